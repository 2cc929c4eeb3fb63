// How things came to be as they are: measures over time, who entered and left the key, columns that changed.

import { get } from "./api.js";
import { chart, colour, columns as axisOf, newest, plain, redraw } from "./charts.js";
import { details, h, section, show, table } from "./dom.js";
import { alike, badge, chips, count, empty, interval, limit, MEANINGS, moment, name, percent, span, value } from "./format.js";
import { axis, band, points } from "./series.js";

export function drift(place, stream) {
  const sets = h("div", { class: "view" });
  const keys = h("div");
  const events = h("div");
  const shown = new Map();
  place.append(sets, section("Key membership", "Which columns belonged to the smallest identifying set found, window by window. "
    + "A column enters or leaves when the key of the new window is certain; before that, the set may change by chance.", keys),
    section("Events", "What changed, newest first: measures, key and columns of the records.", events));
  return async () => {
    const [history] = await get(`/v1/drift?stream=${encodeURIComponent(stream)}`);
    const measured = (history?.sets ?? []).filter((set) => set.windows.some((one) => one.findings.length));
    const lines = measured.flatMap((set) => set.windows.findLast((one) => one.findings.length).findings.map((finding) => ({ set, finding })));
    const rebuilt = show(sets, lines.map(({ set, finding }) => [set.definition, name(finding)]),
      () => (lines.length ? lines.map((line) => course(line, shown)) : section("Published sets", null,
        empty("No window has been judged yet: the first one is when it closes, if a published set is configured."))));
    if (!rebuilt) lines.forEach((line) => again(line, shown));
    show(keys, history?.windows ?? [], membership);
    show(events, [history?.events ?? [], (history?.sets ?? []).map((set) => set.alert), history?.past ?? []], () => happened(history));
  };
}

const id = ({ set, finding }) => `${set.name} ${name(finding)}`;

function drawing({ set, finding }) {
  const line = points(set, finding);
  const share = finding.quantity !== "smallest_group";
  return {
    line, label: `${name(finding)} of ${set.name} over ${line.x.length} windows, newest ${interval(line.newest, finding.quantity)}, limit ${limit(finding)}`,
    make: () => ({
      traces: band(line, finding), height: 320, showlegend: true, margin: { l: 12, r: 12, t: 30, b: 12 },
      xaxis: { title: axis(line.unit) }, yaxis: { title: name(finding), tickformat: share ? ",.3~%" : "" },
    }),
  };
}

function rows(set, finding) {
  return set.windows.slice().reverse().map((one) => {
    const found = one.findings.find((each) => alike(each, finding));
    return [span(one.window), badge(one.state), found?.estimate ? value(found.estimate.estimate, finding.quantity) : "unknown", interval(found?.estimate, finding.quantity), count(one.rows)];
  });
}

function figures({ set, finding }) {
  return table(`${name(finding)} of ${set.name}, limit ${limit(finding)}`, ["Window", "Verdict", "Estimate", "Interval", "Rows"], rows(set, finding));
}

function course(line, shown) {
  const { set, finding } = line;
  const now = drawing(line);
  const place = chart(now.label, now.make);
  const listed = h("div");
  show(listed, set.windows, () => figures(line));
  const held = { place, listed, xs: now.line.x };
  shown.set(id(line), held);
  const zoom = (word, many) => h("button", { type: "button", onclick: () => newest(place, held.xs, many) }, word);
  return section(`${set.name}: ${name(finding)}`, `Limit ${limit(finding)}: ${MEANINGS[finding.quantity]}. The band is the interval. Drag to zoom, double-click to go back.`,
    h("p", { class: "row", role: "group", "aria-label": "Zoom" }, zoom("All windows", 0), zoom("Last 20", 20), zoom("Last 5", 5)),
    place, details("The same as a table", listed));
}

function again(line, shown) {
  const held = shown.get(id(line));
  const now = drawing(line);
  if (!show(held.listed, line.set.windows, () => figures(line))) return;
  held.xs = now.line.x;
  redraw(held.place, now.label, now.make);
}

const end = (window) => (window.unit === "seconds" ? new Date(window.end * 1000).toISOString() : window.end);

function membership(windows) {
  const known = windows.filter((one) => one.key);
  if (!known.length) return empty("No key has been found in a closed window yet.");
  const columns = [...new Set(known.flatMap((one) => [...one.key, ...one.left]))].reverse();
  const marks = (word, symbol, shade, of) => {
    const found = known.flatMap((one) => of(one).map((column) => ({ one, column })));
    return {
      x: found.map(({ one }) => end(one.window)), y: found.map(({ column }) => plain(column)), mode: "markers", name: word,
      marker: { symbol, size: 12, color: colour(shade), line: { width: symbol.includes("open") ? 2 : 0, color: colour(shade) } },
      text: found.map(({ one, column }) => `${plain(column)} ${word}<br>${span(one.window)}<br>share of the risk: ${one.risks[column] === undefined ? "unknown" : percent(one.risks[column])}`),
      hovertemplate: "%{text}<extra></extra>",
    };
  };
  const make = () => ({
    height: 110 + 28 * columns.length, showlegend: true, margin: { l: 8, r: 12, t: 30, b: 12 },
    traces: [marks("is in the key", "square", "accent", (one) => (one.key_met ? one.key.filter((column) => !one.entered.includes(column)) : [])),
      marks("found, not certain", "square-open", "accent", (one) => (one.key_met ? [] : one.key)),
      marks("entered", "triangle-up", "unsafe", (one) => one.entered), marks("left", "x-open", "safe", (one) => one.left)],
    xaxis: { title: axis(known[0].window.unit) }, yaxis: axisOf(columns, { categoryorder: "array", categoryarray: columns.map(plain) }),
  });
  const last = known.at(-1);
  return [h("p", {}, `In the newest closed window${last.key_met ? "" : " (the sample is too small to be certain)"}: `), chips(last.key, "bad"), chart(`Key membership over ${known.length} windows; now ${last.key.join(", ")}`, make),
    details("The same as a table", table("Key by window, newest first", ["Window", "Key", "Certain", "Entered", "Left"],
      known.slice().reverse().map((one) => [span(one.window), one.key.join(", "), one.key_met ? "yes" : "no", one.entered.join(", ") || "–", one.left.join(", ") || "–"])))];
}

const ICONS = { rose: "↑", fell: "↓", entered: "→", left: "←", new: "+", missing: "−", retyped: "≠" };

function todo({ proposal }, over) {
  const advice = proposal ? `${over ? "What was to be done" : "What to do"}: ${proposal.sentence}` : "";
  return over ? `${advice} The set is published otherwise since then, or no longer.` : advice || "There is nothing to do.";
}

function happened(history) {
  const past = (history?.past ?? []).slice().reverse();
  const last = (history?.sets ?? []).filter((set) => set.alert).map((set) => set.alert);
  const alerts = [...last, ...past].map((alert) => h("li", {}, details(
    h("span", {}, badge(alert.state), ` Alert, ${alert.status === "firing" ? "open" : "over"}: ${alert.sentence}`),
    h("p", {}, todo(alert, past.includes(alert))),
    h("p", { class: "hint" }, `Set ${alert.set}, since ${moment(alert.since, alert.window?.unit)}${alert.owner ? `, for ${alert.owner}` : ""}. Id ${alert.id}.`))));
  const events = (history?.events ?? []).slice().reverse().map((event) => h("li", {}, details(
    h("span", {}, h("span", { "aria-hidden": "true" }, `${ICONS[event.change]} `), h("strong", {}, `${event.about} ${event.change}: `), event.sentence),
    h("p", { class: "hint" }, `Began at ${moment(event.began, event.window.unit)}; found in the window ${span(event.window)}.`
      + (event.before ? ` Before ${interval(event.before)}, after ${interval(event.after)}.` : "") + ` Id ${event.id}.`))));
  return alerts.length + events.length ? h("ul", { class: "events" }, alerts, events) : empty("Nothing has changed so far.");
}
