// Every published set: what it is in, by which bounds and limits, since when, and what to do.

import { get, maybe, report } from "./api.js";
import { chart, plain } from "./charts.js";
import { band, points } from "./series.js";
import { h, show } from "./dom.js";
import { badge, chips, count, empty, interval, limit, MEANINGS, moment, name, span, STATES } from "./format.js";

const link = (view, stream, text) => h("a", { href: `#/${view}/${encodeURIComponent(stream)}` }, text);

export function overview(place) {
  const summary = h("div");
  const health = h("div");
  const cards = h("div", { class: "cards" });
  place.append(summary, health, cards);
  return async () => {
    const [histories, ready, streams] = await Promise.all([get("/v1/drift"), report("/readyz"), get("/v1/streams")]);
    const sets = histories.flatMap((history) => history.sets.map((set) => ({ stream: history.stream, set })));
    sets.sort((a, b) => STATES[a.set.verdict.settled].weight - STATES[b.set.verdict.settled].weight);
    show(health, ready.reasons, troubles);
    if (!histories.length) {
      show(summary, "not begun", () => banner("unknown", "Nothing has been read yet.",
        "The service has just started, or its source does not answer. This page goes on by itself."));
      show(cards, null, () => []);
    } else if (sets.length) {
      show(summary, sets.map(({ set }) => set.verdict.settled), sentence);
      show(cards, sets, () => sets.map(card));
    } else {
      const masks = await Promise.all(streams.map((one) => maybe(`/v1/recommendations/${encodeURIComponent(one.name)}`)));
      show(summary, "none", () => banner("unknown", "No published set is watched yet.",
        "Write what you publish, and its limit, into the configuration (under “published”), and you are told when it stops being safe. Until then:"));
      show(cards, masks, () => masks.filter(Boolean).map(recommended));
    }
  };
}

function banner(state, title, text) {
  return h("div", { class: `banner ${state}`, role: "status" }, h("span", { class: "icon", "aria-hidden": "true" }, STATES[state].icon),
    h("div", {}, h("p", { class: "title" }, title), h("p", {}, text)));
}

const beside = (many, what) => (many ? ` ${many} more ${many === 1 ? "is" : "are"} ${what}.` : "");

function sentence(states) {
  const many = (state) => states.filter((one) => one === state).length;
  const of = `${states.length} published ${states.length === 1 ? "set" : "sets"}`;
  if (many("unsafe")) {
    const which = states.length === 1 ? "The published set is" : `${many("unsafe")} of ${of} ${many("unsafe") === 1 ? "is" : "are"}`;
    return banner("unsafe", `${which} unsafe.`,
      `People can be told apart by what is published more than you allow. What to do stands below.${beside(many("at_risk"), "at risk")}${beside(many("unknown"), "not judged yet")}`);
  }
  if (many("at_risk")) return banner("at_risk", states.length === 1 ? "The published set is at risk." : `${many("at_risk")} of ${of} at risk.`, `The limit lies inside the interval: more records will decide it.${beside(many("unknown"), "not judged yet")}`);
  if (many("unknown")) return banner("unknown", states.length === 1 ? "The published set cannot be judged yet." : `${many("unknown")} of ${of} cannot be judged yet.`, "There are too few records, no window has closed, or a column is gone.");
  return banner("safe", states.length === 1 ? "The published set is safe." : `All ${of} are safe.`, "Every measure is within its limit, with the stated confidence.");
}

function troubles(reasons) {
  return reasons.length ? h("div", { class: "notice" }, h("strong", {}, "The service is not well: "), reasons.join(" ")) : null;
}

function card({ stream, set }) {
  const { verdict } = set;
  const unit = verdict.window?.unit;
  const title = `set-${stream}-${set.name}`.replace(/[^\w-]/g, "_");
  return h("article", { class: `card set ${verdict.settled}`, "aria-labelledby": title },
    h("div", { class: "row" }, h("h2", { id: title }, set.name), badge(verdict.settled),
      h("span", { class: "hint" }, `stream ${stream}`)),
    verdict.state === verdict.settled ? null : h("p", { class: "hint" },
      `It stays ${STATES[verdict.settled].word.toLowerCase()} until enough windows in a row say otherwise. The newest one says:`),
    h("p", { class: "says" }, verdict.sentence),
    verdict.proposal ? h("p", { class: "todo" }, h("strong", {}, "What to do: "), verdict.proposal.sentence) : null,
    chips(verdict.columns),
    h("dl", { class: "facts" },
      verdict.findings.map((finding) => [h("dt", {}, name(finding)),
        h("dd", {}, h("b", {}, interval(finding.estimate, finding.quantity)), ` · limit ${limit(finding)}`,
          h("small", {}, MEANINGS[finding.quantity]))]),
      verdict.since === null || verdict.since === undefined ? null
        : [h("dt", {}, `${STATES[verdict.settled].word} since`), h("dd", {}, moment(verdict.since, unit))],
      verdict.window ? [h("dt", {}, "Newest window"), h("dd", {}, where(verdict))] : null),
    spark(set),
    h("p", { class: "links" }, link("drift", stream, "Its course over time"), " ", link("stream", stream, "Try other columns")));
}

/** Windows by records are cut in each partition, so together they hold more rows than the numbers of records say. */
function where({ window, rows }) {
  const several = window.unit !== "seconds" && rows > window.end - window.start;
  return `${span(window)}${several ? " of each partition" : ""}: ${count(rows)} rows`;
}

function spark(set) {
  const measure = set.windows.findLast((one) => one.findings.length)?.findings[0];
  if (!measure) return empty("No window could be judged yet, so there is no course to show.");
  const line = points(set, measure);
  const label = `${name(measure)} of ${set.name} over ${line.x.length} windows, newest ${interval(line.newest, measure.quantity)}, limit ${limit(measure)}`;
  return chart(label, () => ({
    traces: band(line, measure), height: 125, margin: { l: 44, r: 8, t: 20, b: 22 },
    xaxis: { nticks: 3, fixedrange: true }, yaxis: { nticks: 3, fixedrange: true, tickformat: measure.quantity === "smallest_group" ? "" : ",.1~%" },
    annotations: [{ text: `${plain(name(measure))} by window; dashed: the limit`, x: 0, y: 1, xref: "paper", yref: "paper", showarrow: false, xanchor: "left", yanchor: "bottom", font: { size: 11 } }],
  }), { small: true });
}

function recommended(document_) {
  const { mask, key } = document_;
  return h("article", { class: "card" }, h("h2", {}, `Stream ${document_.stream}`),
    key ? [h("p", { class: "says" }, key.guarantee), chips(key.columns, "bad")] : empty("No key is known yet."),
    mask ? [h("p", { class: "says" }, `Can be published: ${mask.guarantee}`), chips(mask.publish, "good")] : null,
    h("p", { class: "links" }, link("stream", document_.stream, "Try columns")));
}
