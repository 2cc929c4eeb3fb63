// Whether the service keeps up: records, lag, bad records, samples, snapshots and solves.

import { report, text } from "./api.js";
import { chart, colour, plain, redraw } from "./charts.js";
import { h, section, show, table } from "./dom.js";
import { count, empty } from "./format.js";
import { of, parse } from "./metrics.js";

const KEPT = 900;

export function pipeline(place, stream) {
  const [health, tiles, bad, fill, parts] = [h("div"), h("dl", { class: "tiles" }), h("div"), h("div"), h("div")];
  const course = { at: [], records: [], speed: [], lag: [] };
  const speed = chart("Records per second since this view was opened", () => drawing(course, "speed", "Records per second"));
  const lag = h("div");
  place.append(health, tiles, h("div", { class: "two" },
    section("Speed", "Records counted per second, since this view was opened.", speed),
    section("Lag", "Offsets that wait to be read, since this view was opened.", lag),
    section("Bad records", "Records that could not be read, by reason.", bad),
    section("Sample fill", "Rows in each of the two samples, against what they should hold.", fill)),
  section("Partitions", null, parts));
  return async () => {
    const [words, ready] = await Promise.all([text("/metrics"), report("/readyz")]);
    const found = of(parse(words), stream);
    follow(course, found);
    show(health, ready, () => (ready.ok ? null : h("div", { class: "notice" }, h("strong", {}, "Not ready: "), ready.reasons.join(" "))));
    show(tiles, facts(found, course, ready), (all) => all.map(([word, big, small]) => h("div", { class: "tile" }, h("dt", {}, word), h("dd", {}, big, h("small", {}, small)))));
    redraw(speed, `Records per second: now ${rate(course)}`, () => drawing(course, "speed", "Records per second"));
    const waits = () => drawing(course, "lag", "Offsets that wait");
    const told = course.lag.some((one) => one !== null);
    show(lag, told, () => (told ? chart("Lag", waits) : empty("The source does not tell how much waits: it is no topic, or not connected yet.")));
    if (told) redraw(lag.firstChild, `Lag: now ${known(found.sum("lag_offsets"))}`, waits);
    show(bad, [found.by("bad_records_total", "reason"), Boolean(found.one("looked_at_total"))], reasons);
    show(fill, [found.by("sample_rows", "sample"), found.one("sample_target_rows")], ([rows, target]) => filled(rows, target));
    show(parts, found.all("lag_offsets").map((one) => [one.labels.topic, one.labels.partition, one.value]), (rows) => (rows.length
      ? table("Lag by partition", ["Topic", "Partition", "Offsets that wait"], rows.map(([topic, partition, waits]) => [topic, partition, count(waits)]))
      : empty("No partition is known.")));
  };
}

const known = (number) => (number === null ? "not known" : count(number));
const ago = (moment) => (moment === null ? "none saved yet" : `last ${count(Math.max(0, Date.now() / 1000 - moment))} s ago`);
const rate = (course) => (course.speed.at(-1) === undefined || course.speed.at(-1) === null ? "–" : `${count(course.speed.at(-1))} /s`);

function follow(course, found) {
  const now = Date.now();
  const records = found.one("records_total");
  const before = course.records.at(-1);
  const seconds = (now - new Date(course.at.at(-1)).getTime()) / 1000;
  course.at.push(new Date(now).toISOString());
  course.records.push(records);
  course.speed.push(before === undefined || before === null || records === null ? null : Math.max(0, (records - before) / seconds));
  course.lag.push(found.sum("lag_offsets"));
  for (const line of Object.values(course)) if (line.length > KEPT) line.shift();
}

function facts(found, course, ready) {
  const solves = found.by("solves_total", "outcome");
  const saved = found.by("checkpoints_total", "outcome");
  const mean = (name) => { const many = found.one(`${name}_count`); return many ? `${(found.one(`${name}_sum`) / many).toFixed(2)} s each` : "none yet"; };
  const bytes = found.one("last_checkpoint_bytes");
  return [
    ["State", ready.ok ? "✓ Ready" : "✕ Not ready", ready.ok ? "every stream is read" : "see above"],
    ["Records", known(found.one("records_total")), `${known(found.one("duplicates_total"))} came twice and were dropped`],
    ["Speed", rate(course), "in the last two seconds"],
    ["Lag", found.sum("lag_offsets") === null ? "–" : count(found.sum("lag_offsets")), found.sum("lag_offsets") === null ? "not known for this source" : "offsets that wait"],
    ["Bad records", known(found.sum("bad_records_total")), `of ${known(found.one("looked_at_total"))} looked at`],
    ["Snapshots", known(saved.saved ?? null), `${known(saved.failed ?? null)} failed; ${ago(found.one("last_checkpoint_timestamp_seconds"))}${bytes === null ? "" : `, ${(bytes / 1e6).toFixed(1)} MB`}`],
    ["Solves", known(solves.answered ?? null), `${mean("solve_duration_seconds")}; ${known(solves.timed_out ?? null)} timed out, ${known(solves.crashed ?? null)} crashed`],
  ];
}

function drawing(course, which, title) {
  const last = new Date(course.at.at(-1) ?? Date.now()).getTime();
  const first = Math.min(new Date(course.at[0] ?? last).getTime(), last - 60000);
  const none = course[which].every((one) => one === null);
  return {
    annotations: none ? [{ text: "One moment …", xref: "paper", yref: "paper", x: 0.5, y: 0.5, showarrow: false }] : [],
    traces: [{ x: course.at, y: course[which], mode: "lines+markers", marker: { size: 4 }, line: { color: colour("accent"), width: 2 }, connectgaps: false, hovertemplate: `%{y:,.0f}<extra></extra>` }],
    xaxis: { title: "Time (UTC)", type: "date", range: [new Date(first).toISOString(), new Date(last).toISOString()], nticks: 5 }, yaxis: { title, rangemode: "tozero" },
  };
}

function reasons([by, looked]) {
  const rows = Object.entries(by).filter(([, many]) => many).sort((a, b) => a[1] - b[1]);
  if (!rows.length) return empty(looked ? "Every record that was looked at could be read." : "No record has been looked at yet.");
  const make = () => ({
    height: 90 + 30 * rows.length,
    traces: [{ type: "bar", orientation: "h", x: rows.map(([, many]) => many), y: rows.map(([reason]) => plain(reason)), marker: { color: colour("risk") }, hovertemplate: "%{y}: %{x:,}<extra></extra>" }],
    xaxis: { title: "Records", rangemode: "tozero" }, yaxis: { title: "" },
  });
  return chart(`Bad records by reason: ${rows.map(([reason, many]) => `${reason} ${many}`).join(", ")}`, make);
}

function filled(rows, target) {
  const names = Object.keys(rows).sort();
  if (!names.length) return empty("The samples are counted when the first answer is computed, usually within a minute.");
  const make = () => ({
    height: 200,
    traces: [{ type: "bar", orientation: "h", x: names.map((one) => rows[one]), y: names.map((one) => `sample ${plain(one)}`), marker: { color: colour("accent") }, hovertemplate: "%{y}: %{x:,} rows<extra></extra>" }],
    shapes: [{ type: "line", x0: target, x1: target, y0: -0.5, y1: names.length - 0.5, line: { color: colour("text"), dash: "dash" } }],
    xaxis: { title: `Rows (dashed: ${count(target)} that it should hold)`, rangemode: "tozero" }, yaxis: { title: "" },
  });
  return chart(`Sample fill: ${names.map((one) => `${one} ${rows[one]}`).join(", ")} of ${target}`, make);
}
