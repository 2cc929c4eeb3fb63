// Numbers and states in words.  Bounds are rounded so that they promise no more than they are.

import { h } from "./dom.js";

export const STATES = {
  unsafe: { word: "Unsafe", icon: "✕", weight: 0 },
  at_risk: { word: "At risk", icon: "▲", weight: 1 },
  unknown: { word: "Unknown", icon: "?", weight: 2 },
  safe: { word: "Safe", icon: "✓", weight: 3 },
};

export function badge(state) {
  const { word, icon } = STATES[state];
  return h("span", { class: `badge ${state}` }, h("span", { "aria-hidden": "true" }, icon), ` ${word}`);
}

/** A share as a percentage: three digits of its distance from 0 or 1, rounded by "floor", "ceil" or "round". */
export function percent(share, way = "round") {
  const distance = Math.min(share, 1 - share);
  const digits = distance <= 0 ? 0 : Math.max(0, Math.min(6, -Math.floor(Math.log10(distance) + 1e-9)));
  const scaled = share * 100 * 10 ** digits;
  const nudge = way === "floor" ? 1e-6 : way === "ceil" ? -1e-6 : 0;
  const text = (Math[way](scaled + nudge) / 10 ** digits).toFixed(digits);
  return `${text.includes(".") ? text.replace(/\.?0+$/, "") : text}\u00a0%`;
}

export const NAMES = {
  separation: "Pairs told apart",
  distinct: "Different rows",
  unique_rows: "Unique rows",
  small_groups: "Rows in small groups",
  smallest_group: "Smallest group",
  closeness: "Rows in telling groups",
};

export const MEANINGS = {
  separation: "share of pairs of rows that differ on these columns",
  distinct: "different rows on these columns, divided by all rows",
  unique_rows: "share of rows that are alone with their values",
  small_groups: "share of rows in groups that are too small",
  smallest_group: "rows of the smallest group",
  closeness: "share of rows in groups that give away the sensitive column: its values there are spread unlike those of all rows",
};

export function name(finding) {
  const below = finding.k ? ` (fewer than ${finding.k})` : "";
  const about = finding.sensitive ? ` (about ${finding.sensitive})` : "";
  return `${NAMES[finding.quantity]}${below}${about}`;
}

/** Whether two findings are about the same measure, as `Finding.measure` says it. */
export const alike = (one, other) => one.quantity === other.quantity && one.k === other.k && one.sensitive === other.sensitive;

const isSize = (quantity) => quantity === "smallest_group";

export function value(number, quantity, way) {
  if (number === null || number === undefined) return "unknown";
  return isSize(quantity) ? `${count(number)} ${number === 1 ? "row" : "rows"}` : percent(number, way);
}

export function interval(estimate, quantity = "separation") {
  if (!estimate) return "unknown";
  const { lower, upper } = estimate;
  if (lower === null && upper === null) return "no bound";
  if (lower !== null && lower === upper) return `exactly ${value(lower, quantity)}`;
  if (lower === null) return `at most ${value(upper, quantity, "ceil")}`;
  if (upper === null) return `at least ${value(lower, quantity, "floor")}`;
  return `${value(lower, quantity, "floor")} to ${value(upper, quantity, "ceil")}`;
}

export function limit(finding) {
  return `${isSize(finding.quantity) ? "at least" : "at most"} ${value(finding.limit, finding.quantity)}`;
}

/** How an answer was found, in words and by the name of its rule. */
export function ruled(rule) {
  const how = {
    certified: "chosen on one sample, judged on another one", paper: "chosen and judged on one sample",
    tuples: "chosen and judged on all pairs of the rows of one sample",
  };
  return how[rule] ? `${how[rule]} (rule ${rule})` : `rule ${rule}`;
}

export const count = (number) => Math.round(number).toLocaleString("en");

export function moment(place, unit) {
  if (place === null || place === undefined) return "not known";
  if (unit !== "seconds") return place ? `record ${count(place)}` : "the first record";
  const text = new Date(place * 1000).toISOString().replace("T", " ");
  return `${text.slice(0, place % 60 ? 19 : 16)} UTC`;
}

export const span = (window) => `${moment(window.start, window.unit)} to ${moment(window.end, window.unit)}`;

export function chips(columns, kind = "", notes = {}) {
  return h("ul", { class: `chips ${kind}` }, columns.map((column) =>
    h("li", {}, h("span", { class: "name" }, column), notes[column] ? h("small", {}, notes[column]) : null)));
}

export const empty = (text) => h("p", { class: "empty" }, text);
