// Which view is shown, of which stream; and the clock that keeps it new without reloading.

import { Failure, get } from "./api.js";
import { recolour } from "./charts.js";
import { h } from "./dom.js";
import { drift } from "./drift.js";
import { overview } from "./overview.js";
import { pipeline } from "./pipeline.js";
import { stream } from "./stream.js";

const EVERY = 2000;
const VIEWS = { overview: ["Overview", overview], stream: ["Stream", stream], drift: ["Drift", drift], pipeline: ["Pipeline", pipeline] };
const main = document.getElementById("main");
const notice = document.getElementById("notice");
let update = null;
let turn = 0;
let streams = [];
let seen = null;

function route() {
  const [, view, ...rest] = location.hash.split("/");
  const known = VIEWS[view] ? view : "overview";
  const asked = named(rest.join("/"));
  return { view: known, stream: asked || streams[0]?.name || "" };
}

/** The name of a stream in an address; an address that somebody cut off names none. */
function named(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

const href = (view, name) => `#/${view}${view === "overview" || !name ? "" : `/${encodeURIComponent(name)}`}`;

/** Whether there is a stream of this name; as long as none is known, any may be. */
const exists = (name) => !streams.length || streams.some((one) => one.name === name);

function frame() {
  const here = route();
  const next = exists(here.stream) ? here.stream : streams[0].name;
  document.getElementById("views").replaceChildren(...Object.entries(VIEWS).map(([view, [word]]) =>
    h("a", { href: href(view, next), "aria-current": view === here.view ? "page" : null }, word)));
  const pick = document.getElementById("stream");
  pick.replaceChildren(...streams.map((one) => h("option", { value: one.name, selected: one.name === here.stream }, one.name)));
  document.getElementById("streams").hidden = here.view === "overview" || streams.length < 2;
  document.title = `${VIEWS[here.view][0]} · streamqid`;
}

async function look() {
  const mine = turn;
  try {
    const found = await get("/v1/streams");
    if (JSON.stringify(found.map((one) => one.name)) !== JSON.stringify(streams.map((one) => one.name))) {
      streams = found;
      frame();
    }
    const here = route();
    if (mine !== turn) return;
    if (here.view !== "overview" && !exists(here.stream)) {
      throw new Failure(404, `There is no stream of the name ${here.stream}: choose a view above.`);
    }
    if (!update) {
      const place = h("div", { class: "view" });
      const begun = VIEWS[here.view][1](place, here.stream);
      await begun();
      if (mine !== turn) return;
      update = begun;
      main.replaceChildren(h("h1", { class: here.view === "overview" ? "quiet" : "" }, heading(here)), place);
    } else await update();
    seen = new Date();
    say("");
  } catch (failure) {
    if (mine !== turn) return;
    if (!(failure instanceof Failure)) console.error(failure);
    say(failure instanceof Failure ? failure.message : "This view could not be drawn: reload the page, or read /v1/published.");
    if (!update) main.replaceChildren(h("p", { class: "empty" }, "Nothing to show yet."));
  }
}

const heading = (here) => (here.view === "overview" ? "Overview" : `${VIEWS[here.view][0]}: ${here.stream}`);

/** Say what is wrong, if anything, and from when what is shown is: an old verdict must not look like a new one. */
function say(text) {
  const old = text && update && seen ? ` What is shown is from ${seen.toLocaleString("en-GB")}.` : "";
  notice.textContent = text + old;
  notice.hidden = !text;
  main.classList.toggle("old", Boolean(old));
  const live = text ? "Not live." : `Live: asked at ${seen.toLocaleTimeString("en-GB")}.`;
  document.getElementById("live").textContent = live;
}

async function change(event) {
  turn += 1;
  update = null;
  frame();
  await look();
  if (!event) return;
  scrollTo(0, 0);
  main.focus({ preventScroll: true });
}

function theme(word, keep) {
  document.documentElement.dataset.theme = word;
  document.getElementById("theme").setAttribute("aria-pressed", String(word === "dark"));
  if (keep) localStorage.setItem("streamqid.theme", word);
  recolour();
}

const dark = matchMedia("(prefers-color-scheme: dark)");
theme(localStorage.getItem("streamqid.theme") ?? (dark.matches ? "dark" : "light"));
dark.addEventListener("change", () => { if (!localStorage.getItem("streamqid.theme")) theme(dark.matches ? "dark" : "light"); });
document.getElementById("theme").addEventListener("click", () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark", true));
document.getElementById("stream").addEventListener("change", (event) => { location.hash = href(route().view, event.target.value); });
document.getElementById("skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
addEventListener("hashchange", change);

async function live() {
  if (!document.hidden) await look();
  setTimeout(live, EVERY);
}

await change();
setTimeout(live, EVERY);
