// The course of one measure of a published set, as points and as traces of a chart.

import { colour, plain, tint } from "./charts.js";
import { alike, interval, limit, name, span, STATES, value } from "./format.js";

const place = (window) => (window.unit === "seconds" ? new Date(window.end * 1000).toISOString() : window.end);

export const axis = (unit) => (unit === "seconds" ? "End of the window (event time, UTC)" : "End of the window (record)");

export function points(set, like) {
  const found = set.windows.flatMap((window) => window.findings
    .filter((one) => alike(one, like) && one.estimate)
    .map((finding) => ({ window, finding })));
  const side = (which, open) => found.map(({ finding }) => finding.estimate[which] ?? open);
  const size = like.quantity === "smallest_group";
  return {
    x: found.map(({ window }) => place(window.window)), y: side("estimate"),
    lower: side("lower", 0), upper: side("upper", size ? null : 1),
    states: found.map(({ finding }) => finding.state), limits: found.map(({ finding }) => finding.limit),
    newest: found.at(-1)?.finding.estimate ?? null, unit: found.at(-1)?.window.window.unit,
    text: found.map(({ window, finding }) => `${STATES[finding.state].word}<br>${plain(name(finding))}: ${value(finding.estimate.estimate, finding.quantity)}`
      + `<br>interval: ${interval(finding.estimate, finding.quantity)}<br>limit: ${limit(finding)}<br>${span(window.window)}<br>${window.rows.toLocaleString("en")} rows`),
  };
}

const SYMBOLS = { safe: "circle", at_risk: "triangle-up", unsafe: "x", unknown: "diamond-open" };
const COLOURS = { safe: "safe", at_risk: "risk", unsafe: "unsafe", unknown: "unknown" };

/** The interval as a band, the estimate as a line, the limit as a dashed line; the state is a symbol as well. */
export function band(line, measure) {
  const bare = { mode: "lines", line: { width: 0 }, hoverinfo: "skip", showlegend: false };
  return [
    { ...bare, x: line.x, y: line.lower },
    { ...bare, x: line.x, y: line.upper, fill: "tonexty", fillcolor: tint("accent"), name: "interval", showlegend: true, line: { width: 0, color: tint("accent") } },
    { x: line.x, y: line.y, mode: "lines", name: "estimate", line: { color: colour("accent"), width: 2 }, hoverinfo: "skip" },
    { x: line.x, y: line.limits, mode: "lines", name: `limit ${limit(measure)}`, line: { dash: "dash", width: 2, color: colour("unsafe") }, hoverinfo: "skip" },
    ...Object.keys(SYMBOLS).filter((state) => line.states.includes(state)).map((state) => judged(line, state)),
  ];
}

function judged(line, state) {
  const those = (values) => values.filter((_, i) => line.states[i] === state);
  return {
    x: those(line.x), y: those(line.y), text: those(line.text), mode: "markers", name: STATES[state].word.toLowerCase(),
    hovertemplate: "%{text}<extra></extra>", marker: { symbol: SYMBOLS[state], color: colour(COLOURS[state]), size: 10 },
  };
}
