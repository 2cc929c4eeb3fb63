// The text form of Prometheus, as series with labels.

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

export function parse(text) {
  const found = [];
  for (const line of text.split("\n")) {
    const match = line.startsWith("#") ? null : LINE.exec(line);
    if (!match) continue;
    const labels = {};
    for (const [, name, value] of (match[2] ?? "").matchAll(LABEL)) labels[name] = value.replace(/\\(.)/g, (_, c) => (c === "n" ? "\n" : c));
    found.push({ name: match[1].replace(/^streamqid_/, ""), labels, value: Number(match[3]) });
  }
  return found;
}

/** The series of one stream, by name. */
export function of(series, stream) {
  const mine = series.filter((one) => one.labels.stream === stream);
  return {
    all: (name) => mine.filter((one) => one.name === name),
    one: (name) => mine.find((one) => one.name === name)?.value ?? null,
    sum: (name) => { const found = mine.filter((one) => one.name === name); return found.length ? found.reduce((sum, one) => sum + one.value, 0) : null; },
    by: (name, label) => Object.fromEntries(mine.filter((one) => one.name === name).map((one) => [one.labels[label], one.value])),
  };
}
