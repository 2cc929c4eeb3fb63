// Charts by plotly.js, which is loaded from this host when the first one is drawn.

import { h } from "./dom.js";

let loading = null;

function library() {
  loading ??= new Promise((resolve, reject) => {
    document.head.append(h("script", { src: "/page/plotly.min.js", onload: () => resolve(window.Plotly), onerror: reject }));
  });
  return loading;
}

/** Names of columns may hold what plotly takes for markup. */
export const plain = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

const phone = matchMedia("(max-width: 40rem)");

/** An axis of columns, whose long names are cut; what a chart says about a point has them in full. */
export function columns(names, more = {}) {
  const most = phone.matches ? 15 : 32;
  const text = names.map((name) => plain(name.length > most ? `${name.slice(0, most - 1)}…` : name));
  return { title: "", type: "category", tickvals: names.map(plain), ticktext: text, fixedrange: true, ...more };
}

export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export const tint = (name) => `${colour(name)}33`;

function layout(given) {
  const axis = (more = {}) => ({
    gridcolor: colour("border"), linecolor: colour("border"), zeroline: false, automargin: true, tickangle: 0, ...more,
    title: { text: more.title ?? "", font: { size: 12 }, standoff: 8 },
  });
  return {
    height: 260, margin: { l: 12, r: 12, t: 10, b: 10 }, showlegend: false, dragmode: "zoom", hovermode: "closest",
    legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0, traceorder: "normal" },
    ...given,
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: colour("text"), family: "system-ui, sans-serif", size: 12 },
    hoverlabel: { bgcolor: colour("card"), bordercolor: colour("border"), font: { color: colour("text") }, align: "left" },
    xaxis: axis({ nticks: phone.matches ? 4 : 10, ...given.xaxis }), yaxis: axis(given.yaxis),
  };
}

const CONFIG = { displayModeBar: false, doubleClick: "reset", showTips: false };
const drawn = new Set();

/** Draws a chart when its place comes to have a width, or another one, and lets go of it when the place is gone. */
const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => {
  if (!target.isConnected) forget(target);  // Also told of a place that is not shown yet.
  else if (target.clientWidth !== target.width) draw(target);
}));

/** A place for a chart: `make` returns its traces and layout, and is asked again when the colours change. */
export function chart(label, make, { small = false } = {}) {
  const place = h("div", { class: small ? "spark" : "chart", role: "img", "aria-label": label });
  place.make = make;
  sizes.observe(place);
  return place;
}

/** Draw again with other data; zoom stays. */
export function redraw(place, label, make) {
  place.make = make;
  place.setAttribute("aria-label", label);
  return draw(place);
}

async function draw(place) {
  let plotly;
  try {
    plotly = await library();
  } catch {
    place.textContent = "The chart cannot be drawn: its script did not arrive. The figures are in the tables.";
    return;
  }
  // A view is filled before it is shown: until then there is no width to draw for.
  if (!place.clientWidth) return;
  place.width = place.clientWidth;
  const { traces, ...given } = place.make();
  drawn.add(place);
  await plotly.react(place, traces, { uirevision: "zoom", width: place.width, ...layout(given) }, CONFIG);
}

async function forget(place) {
  if (!drawn.delete(place)) return;
  sizes.unobserve(place);
  (await library()).purge(place);
}

/** Show so many of the newest points, or all of them. */
export async function newest(place, xs, many) {
  const plotly = await library();
  const range = many && xs.length > many ? [xs[xs.length - many], xs[xs.length - 1]] : null;
  await plotly.relayout(place, range ? { "xaxis.range": range, "xaxis.autorange": false } : { "xaxis.autorange": true, "yaxis.autorange": true });
}

/** Draw all charts again: the colours have changed, or the page has become that of a phone. */
export function recolour() {
  return Promise.all([...drawn].map(draw));
}

phone.addEventListener("change", recolour);
