// What-if: tick columns, and read what publishing them would mean.

import { at, get } from "./api.js";
import { h, show, table } from "./dom.js";
import { badge, chips, count, empty, interval, limit, MEANINGS, name, NAMES, percent, ruled, span, STATES, value } from "./format.js";

const OVER = { all: "all records", newest: "the newest closed window" };

export function whatIf(stream) {
  const ticks = h("div", { class: "ticks" });
  const like = h("select", { id: "like" });
  const over = h("select", { id: "over" }, Object.entries(OVER).map(([word, text]) => h("option", { value: word }, text)));
  const result = h("div", { class: "result", "aria-live": "polite", id: "result" });
  const safe = h("div", { "aria-live": "polite", id: "safe" });
  const find = h("button", { type: "button", class: "main", id: "find" }, "Largest safe set with these columns");
  const clear = h("button", { type: "button" }, "Untick all");
  const element = h("div", { class: "whatif" },
    h("div", {}, h("div", { class: "asks" }, h("label", {}, "Judge by", like), h("label", {}, "Sample of", over)),
      h("fieldset", {}, h("legend", {}, "Columns to publish"),
        h("p", { class: "hint" }, "Beside each column: by how many percentage points the pairs told apart fall without it, or rise with it, on the sample."), ticks), h("p", { class: "row" }, find, clear)),
    h("div", {}, result, safe));
  let basis = null;
  let begun = false;
  let failed = false;
  let asked = 0;

  const boxes = () => [...ticks.querySelectorAll("input")];
  const ticked = () => boxes().filter((box) => box.checked).map((box) => box.value);
  const question = () => {
    const query = new URLSearchParams(ticked().map((column) => ["column", column]));
    query.set("over", over.value);
    if (like.value) query.set("like", like.value);
    return query;
  };

  async function ask() {
    const mine = ++asked;
    failed = false;
    if (!ticked().length) {
      show(result, "none", () => empty("Tick at least one column."));
      result.className = "result";
      return;
    }
    try {
      const answer = await get(`${at(stream, "whatif")}?${question()}`);
      if (mine !== asked) return;
      show(result, answer, told);
      result.className = `result ${answer.state}`;
      for (const one of answer.check?.contributions ?? []) {
        const box = boxes().find((each) => each.value === one.column);
        if (box) box.parentElement.lastChild.textContent = change(one);
      }
    } catch (failure) {
      if (mine !== asked) return;
      failed = true;
      show(result, failure.message, () => empty(failure.message));
      result.className = "result";
    }
  }

  async function search() {
    find.disabled = true;
    show(safe, "…", () => empty("Looking for it …"));
    try {
      const answer = await get(`${at(stream, "safe")}?${question()}`);
      show(safe, answer, (found) => largest(found, tick));
    } catch (failure) {
      show(safe, failure.message, () => empty(failure.message));
    }
    find.disabled = false;
    find.focus();
  }

  function tick(columns) {
    for (const box of boxes()) box.checked = columns.includes(box.value);
    show(safe, "", () => []);
    return ask();
  }

  function changed() {
    show(safe, "", () => []);
    return ask();
  }

  ticks.addEventListener("change", changed);
  like.addEventListener("change", changed);
  over.addEventListener("change", changed);
  clear.addEventListener("click", () => tick([]));
  find.addEventListener("click", search);

  async function update(columns, found, sets) {
    show(like, [sets.map((set) => set.name), found?.mask?.beta], () => options(sets, found?.mask));
    if (!begun && columns) {
      begun = true;
      over.value = sets.some((set) => set.window) ? "newest" : "all";
    }
    const names = columns?.columns.map((one) => one.column) ?? [];
    const kept = ticked().length ? ticked() : sets[0]?.columns ?? [];
    const rebuilt = show(ticks, [...names].sort(), () => names.map((column) => h("label", {},
      h("input", { type: "checkbox", value: column, checked: kept.includes(column) }), h("span", { class: "name" }, column), h("small"))));
    find.disabled = clear.disabled = !names.length;
    if (!names.length) {
      show(ticks, "none", () => empty("No column is known yet."));
      show(result, "no sample", () => empty("There is no sample yet: it comes with the first answer, within about a minute of the first records."));
    } else if (rebuilt || failed || basis !== columns.basis) await ask();
    basis = columns?.basis ?? null;
  }

  return { element, update };
}

function change({ member, change: { estimate } }) {
  return `${member ? "without it " : "with it "}${estimate ? (member ? "−" : "+") + percent(estimate) : "±0"}`;
}

function options(sets, mask) {
  const by = mask ? `the limit of this stream: ${NAMES[mask.measure].toLowerCase()} at most ${percent(mask.beta)}` : "the limit of this stream";
  return [...sets.map((set) => h("option", { value: set.name }, `the limits of ${set.name}`)), h("option", { value: "" }, by)];
}

function figure(estimate, quantity) {
  if (!estimate) return "unknown";
  const bounds = interval(estimate, quantity);
  return estimate.lower !== null && estimate.lower === estimate.upper ? h("b", {}, bounds) : [h("b", {}, value(estimate.estimate, quantity)), h("br"), bounds];
}

function told(answer) {
  const { check } = answer;
  const limits = Object.fromEntries(answer.findings.map((one) => [one.quantity, one]));
  const others = answer.findings.filter((one) => !["separation", "distinct", "unique_rows"].includes(one.quantity));
  const row = (quantity, estimate, finding) => [h("span", { title: MEANINGS[quantity] }, finding ? name(finding) : NAMES[quantity]),
    figure(estimate, quantity), finding ? limit(finding) : "none", finding ? badge(finding.state) : "–"];
  const where = answer.over === "all" ? `all ${count(answer.records)} records` : `the window ${span(answer.window)}, ${count(answer.records)} records`;
  return [
    h("p", { class: "row" }, badge(answer.state), h("strong", {}, verdict(answer.state))),
    h("p", { class: "says", id: "sentence" }, answer.sentence),
    check ? table("Measures of the ticked columns", ["Measure", "Share, interval", "Limit", "Verdict"], [
      row("separation", check.separation, limits.separation), row("distinct", check.distinct, limits.distinct),
      row("unique_rows", check.unique_rows, limits.unique_rows), ...others.map((one) => row(one.quantity, one.estimate, one))]) : null,
    h("p", { class: "hint" }, `From ${check ? `${count(check.sample)} ${check.sample_unit} of ` : ""}${where}; ${check?.exact ? "exact" : `confidence ${percent(1 - answer.delta)}`}. ${answer.conditions}`),
  ];
}

const WORDS = { safe: "These columns may be published together.", unsafe: "Do not publish these columns together.", at_risk: "Not certain: the limit lies inside the interval.", unknown: "The sample cannot tell." };
const verdict = (state) => WORDS[state] ?? STATES[state].word;

function largest(found, tick) {
  const { answer } = found;
  if (!answer) return empty("The sample is too small to look for a safe set.");
  if (!answer.met) {
    const todo = found.containing.length ? "Untick some columns: with all of those that are ticked none is certain to be safe."
      : "No column is certain to be safe: wait for more records, or allow more in the configuration.";
    return [h("h3", {}, "No safe set"), h("p", { class: "says" }, todo), h("p", { class: "hint" }, answer.guarantee)];
  }
  const more = answer.publish.filter((column) => !found.containing.includes(column));
  const others = found.other_limits.map((measure) => measure.replace(/_/g, " ")).join(", ");
  return [h("h3", {}, others ? "Largest set within one of the limits" : "Largest safe set found"), h("p", { class: "says" }, answer.guarantee), chips(answer.publish, "good"),
    others ? h("p", { class: "todo" }, `Not looked at here: ${others}. Tick these columns to see whether they keep those limits too.`) : null,
    h("p", { class: "hint" }, `${more.length ? `${more.length} more than you ticked. ` : "No column can be added. "}From ${count(answer.sample)} ${answer.sample_unit}; ${ruled(answer.rule)}. ${found.conditions}`),
    more.length ? h("button", { type: "button", onclick: () => tick(answer.publish) }, "Tick these columns") : null];
}
