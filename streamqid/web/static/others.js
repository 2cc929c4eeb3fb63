// What else was asked of a stream besides a key and a masking: one card for each answer, its sentence first.

import { details, h, section, table } from "./dom.js";
import { chips, interval } from "./format.js";

const SETS = 100;

/** The cards of a recommendation; nothing where nothing else was asked. */
export function others(found) {
  if (!found) return [];
  return [
    found.columns_left_out ? h("p", { class: "notice" }, "More columns occur than may take part, so promises hold for columns that the configuration names only (columns.only).") : null,
    h("div", { class: "two" }, Object.entries(ANSWERS).filter(([name]) => found[name]).map(([name, [title, hint, evidence]]) =>
      section(title, hint, h("p", { class: "says" }, found[name].guarantee), evidence(found[name]))),
    found.unanswered.map((one) => section(ANSWERS[one.problem]?.[0] ?? one.problem, null,
      h("p", { class: "empty" }, `No answer this time: ${one.reason}. The other answers do not depend on it.`)))),
  ];
}

const ANSWERS = {
  minimal: ["Every set that identifies people", "Of none of them can a column be left out.", minimal],
  qid: ["A set that exposes someone", "A quasi-identifier against k-anonymity: it puts rows into groups of fewer than k.",
    (answer) => (answer.columns ? chips(answer.columns, "bad") : null)],
  optimal_key: ["An identifying set, by an exact solver", null, (answer) => chips(answer.columns, "bad")],
  optimal_mask: ["The most that can be published, by an exact solver", null,
    (answer) => [chips(answer.publish, "good"), answer.hide.length ? [h("h3", {}, "Hide"), chips(answer.hide, "hide")] : null]],
  dependencies: ["Columns that give away others", "Whoever knows the left side knows the right one, but for the share of rows beside it.", dependencies],
  articulation: ["Columns between identifiers and sensitive columns", "Articulation points of the graph of columns, and neighbours of an identifier on the way.",
    (answer) => chips(answer.quasi, "bad")],
};

function minimal({ sets }) {
  if (!sets.length) return null;
  const rows = sets.slice(0, SETS).map((one) => [one.columns.join(", "), interval(one.ratio), one.certain ? "yes" : "not sure"]);
  const word = sets.length > SETS ? `The first ${SETS} of ${sets.length} sets` : `The sets, smallest first (${sets.length})`;
  return details(word, table(word, ["Columns", "Share", "Certain"], rows));
}

function dependencies({ dependencies: found, declared }) {
  const all = [...declared.map((one) => ({ ...one, word: " (declared)" })), ...found.map((one) => ({ ...one, word: "" }))];
  if (!all.length) return null;
  const rows = all.slice(0, SETS).map((one) => [`${one.left.join(", ")} → ${one.right.join(", ")}${one.word}`, interval(one.error)]);
  return details(`The dependencies (${all.length})`, table("Dependencies, declared ones first", ["Columns", "Rows that break it"], rows));
}
