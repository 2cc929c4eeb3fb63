// Elements from data: texts are always texts, so a column name can never become markup.

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

/** Fill a place anew if what it shows has changed: what is unchanged keeps its focus and its zoom. */
export function show(place, data, make) {
  const text = JSON.stringify(data) ?? "";
  if (place.shown === text) return false;
  place.shown = text;
  place.replaceChildren(...[make(data)].flat(Infinity).filter(Boolean));
  return true;
}

export function section(title, hint, ...children) {
  const id = `t-${title.toLowerCase().replace(/[^a-z]+/g, "-")}`;
  return h("section", { class: "card", "aria-labelledby": id }, h("h2", { id }, title),
    hint ? h("p", { class: "hint" }, hint) : null, ...children);
}

export function table(caption, heads, rows) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, h("caption", {}, caption),
      h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell, i) =>
        i ? h("td", {}, cell) : h("th", { scope: "row" }, cell)))))));
}

export function details(summary, ...children) {
  return h("details", {}, h("summary", {}, summary), ...children);
}
