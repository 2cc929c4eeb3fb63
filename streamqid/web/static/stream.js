// One stream: what identifies people in it, what can be published, the risk of each column, and what-if.

import { at, get, maybe } from "./api.js";
import { chart, colour, columns as axis, plain } from "./charts.js";
import { details, h, section, show, table } from "./dom.js";
import { chips, count, empty, interval, percent, ruled } from "./format.js";
import { others } from "./others.js";
import { whatIf } from "./whatif.js";

export function stream(place, name) {
  const answers = h("div", { class: "two" });
  const more = h("div", { class: "view" });
  const risks = h("div");
  const explore = whatIf(name);
  place.append(answers, more, section("What if other columns were published?",
    "Tick columns to see how well they tell people apart, on the live sample. Nothing is changed by this.", explore.element),
  section("Risk by column", "How well each column tells people apart by itself, and how much it adds to the risk of all columns together.", risks));
  return async () => {
    const [found, columns, published] = await Promise.all([
      maybe(`/v1/recommendations/${encodeURIComponent(name)}`), maybe(at(name, "columns")), get("/v1/published")]);
    const sets = published.find((one) => one.stream === name)?.verdicts ?? [];
    show(answers, found && [found.key, found.mask, found.records], () => [key(found), mask(found)]);
    show(more, found && { ...found, records: 0, previous: null }, () => others(found));
    show(risks, columns?.columns ?? null, () => risk(columns));
    await explore.update(columns, found, sets);
  };
}

function contributions(answer) {
  return Object.fromEntries((answer.contributions ?? []).map((one) => [one.column, one.change]));
}

function notes(answer, columns, word, sign) {
  const changes = contributions(answer);
  const told = ({ estimate, upper }) => (estimate === 0 && !upper ? "±0" : estimate || upper === null || upper === estimate ? `${sign}${percent(estimate)}` : `${sign}${percent(upper, "ceil")} at most`);
  return Object.fromEntries(columns.filter((column) => changes[column]).map((column) => [column, `${word} ${told(changes[column])}`]));
}

function key(found) {
  const hint = "The fewest columns found that tell nearly all pairs of people apart. "
    + "Beside each column: how many percentage points of the pairs it alone tells apart.";
  if (!found?.key) return section("What identifies people", hint, empty("No key is known yet: the first answer comes within about a minute of the first records."));
  const { key: answer } = found;
  return section("What identifies people", hint, h("p", { class: "says" }, answer.guarantee), chips(answer.columns, "bad", notes(answer, answer.columns, "without it", "−")),
    h("p", { class: "hint" }, `From ${count(found.records)} records, ${count(answer.sample)} ${answer.sample_unit}; ${ruled(answer.rule)}.`));
}

function mask(found) {
  const hint = "As many columns as the limit of this stream allows. Beside each column: by how many percentage points the measure falls without it, or rises with it.";
  if (!found?.mask) return section("What can be published", hint, empty("Nothing is known yet: the first answer comes within about a minute of the first records, if the configuration asks what can be published."));
  const { mask: answer } = found;
  return section("What can be published", hint, h("p", { class: "says" }, answer.guarantee),
    answer.publish.length ? [h("h3", {}, "Publish"), chips(answer.publish, "good", notes(answer, answer.publish, "without it", "−"))] : empty("No column is certain to stay within the limit."),
    answer.hide.length ? [h("h3", {}, "Hide"), chips(answer.hide, "hide", notes(answer, answer.hide, "with it", "+"))] : null,
    h("p", { class: "hint" }, `Unique rows on the published columns: ${interval(answer.unique_rows)}. A set can keep its limit although a few rows are unique. `
      + `From ${count(answer.sample)} ${answer.sample_unit}; ${ruled(answer.rule)}.`));
}

const SHOWN = 30;

function risk(found) {
  if (!found?.columns.length) return empty("No column is known yet: there is a sample with the first answer.");
  const top = found.columns.slice(0, SHOWN).reverse();
  const names = top.map((one) => plain(one.column));
  const text = top.map((one) => `${plain(one.column)}<br>alone tells apart: ${interval(one.separation)}<br>different values: ${interval(one.distinct)}<br>share of the risk: ${percent(one.risk.estimate)} (on the sample, no bound)`);
  const bar = { type: "bar", orientation: "h", y: names, text, textposition: "none", hovertemplate: "%{text}<extra></extra>" };
  const make = () => ({
    height: 110 + 30 * top.length, margin: { l: 8, r: 16, t: 30, b: 8 }, showlegend: true, barmode: "group", bargap: 0.3,
    traces: [
      { ...bar, name: "share of the risk", x: top.map((one) => one.risk.estimate), marker: { color: colour("risk"), pattern: { shape: "/", fillmode: "overlay", fgcolor: colour("card"), size: 5 } } },
      {
        ...bar, name: "alone tells pairs apart", x: top.map((one) => one.separation.estimate), marker: { color: colour("accent") },
        error_x: {
          type: "data", symmetric: false, color: colour("text"), thickness: 1,
          array: top.map((one) => (one.separation.upper ?? 1) - one.separation.estimate), arrayminus: top.map((one) => one.separation.estimate - (one.separation.lower ?? 0)),
        },
      },
    ],
    legend: { orientation: "h", y: 1, yanchor: "bottom", x: 0, traceorder: "reversed" },
    xaxis: { title: "Share of pairs, or of the risk", tickformat: ".0%", range: [0, 1.02], fixedrange: true }, yaxis: axis(top.map((one) => one.column)),
  });
  const first = found.columns[0];
  const many = found.columns.length;
  return [many > SHOWN ? h("p", { class: "hint" }, `The ${SHOWN} riskiest of ${count(many)} columns; the table has all of them.`) : null, chart(`Share of the risk by column; ${first.column} has most with ${percent(first.risk.estimate)}`, make),
    details("The same as a table", table(`Columns by risk; ${found.conditions}`, ["Column", "Share of risk", "Alone tells apart", "Different values"],
      found.columns.map((one) => [one.column, percent(one.risk.estimate), interval(one.separation), interval(one.distinct)])))];
}
