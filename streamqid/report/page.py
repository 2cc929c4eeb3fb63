"""The frame around a report: one file with its style inside, in light and dark."""

from __future__ import annotations

from streamqid.report.html import Markup, join, tag
from streamqid.report.pieces import prose

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""The page needs nothing from elsewhere, and its browser is told so."""

COLOURS = Markup("""
:root {
  color-scheme: light dark;
  --ground: #fbfbf9; --panel: #ffffff; --ink: #1d2430; --faint: #5d6675; --line: #dfe2e7;
  --red: #b3261e; --red-soft: #fbe6e4; --violet: #6b3fa0; --violet-soft: #efe7f8;
  --amber: #8a5a00; --amber-soft: #fbf0d9; --green: #1d6b45; --green-soft: #e2f3ea; --grey-soft: #eef0f3;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ground: #14171c; --panel: #1b1f26; --ink: #e6e9ee; --faint: #9aa4b2; --line: #323842;
    --red: #ff9a92; --red-soft: #46201d; --violet: #cdb0f5; --violet-soft: #33254a;
    --amber: #f0c06a; --amber-soft: #40310f; --green: #86d6ab; --green-soft: #17382a; --grey-soft: #272c35;
  }
}
""")

FRAME = Markup("""
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 66rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
header p { color: var(--faint); margin: .25rem 0 0; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.25rem 0 .75rem; }
footer { margin-top: 3rem; color: var(--faint); font-size: .85rem; border-top: 1px solid var(--line); }
@media print {
  body { background: none; } main { max-width: none; padding: 0; }
  article, figure, tr { break-inside: avoid; } h2, h3 { break-after: avoid; }
  .wide { overflow: visible; } table { font-size: .8rem; } th, td { padding-right: .5rem; }
  thead th, .chip { white-space: normal; } details::details-content { content-visibility: visible; }
}
""")

PIECES = Markup("""
h3 { font-size: 1rem; margin: 0 0 .35rem; display: flex; flex-wrap: wrap; gap: .6rem; align-items: baseline; }
p { margin: .35rem 0; max-width: 46rem; overflow-wrap: anywhere; }
article { background: var(--panel); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.15rem;
  margin: .9rem 0; }
.wide { overflow-x: auto; margin: .6rem 0; }
table { border-collapse: collapse; font-size: .92rem; }
th, td { text-align: left; padding: .32rem .75rem .32rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
thead th { color: var(--faint); font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 500; overflow-wrap: break-word; min-width: 8rem; max-width: 16rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.chip { display: inline-block; border-radius: 1rem; padding: .05rem .5rem; font-size: .82rem; white-space: nowrap;
  font-weight: 400; background: var(--grey-soft); color: var(--faint); border: 1px solid transparent; }
h3 .chip { white-space: normal; }
.chip.name { white-space: normal; overflow-wrap: anywhere; margin: .1rem .25rem .1rem 0; }
.chip.red { background: var(--red-soft); color: var(--red); font-weight: 600; }
.chip.violet { background: var(--violet-soft); color: var(--violet); }
.chip.amber { background: var(--amber-soft); color: var(--amber); }
.chip.green { background: var(--green-soft); color: var(--green); }
.note { border-left: .25rem solid var(--line); padding: .3rem .9rem; margin: .9rem 0; }
.note.warning { border-color: var(--red); } .note.good { border-color: var(--green); }
.verdict { margin-top: 1.5rem; font-size: 1.15rem; line-height: 1.4; font-weight: 600; }
.faint { color: var(--faint); }
code { font: .92em ui-monospace, Menlo, Consolas, monospace; white-space: nowrap; }
dl { display: grid; gap: .2rem 1.5rem; margin: .5rem 0; font-size: .92rem; }
dl div { display: flex; flex-wrap: wrap; gap: 0 .6rem; } dt { color: var(--faint); min-width: 10rem; }
dd { margin: 0; overflow-wrap: anywhere; }
ul { margin: .4rem 0; padding-left: 1.2rem; font-size: .92rem; overflow-wrap: anywhere; }
details { margin: .5rem 0; } summary { cursor: pointer; color: var(--faint); }
figure { margin: .6rem 0; } figcaption { color: var(--faint); font-size: .9rem; max-width: 46rem; }
svg { max-width: 100%; height: auto; font: 13px system-ui, sans-serif; }
svg .edge { stroke: var(--faint); fill: none; opacity: .65; }
svg .node rect { fill: var(--panel); stroke: var(--faint); stroke-width: 1.2; }
svg text { fill: var(--ink); text-anchor: middle; dominant-baseline: central; }
svg .red rect { fill: var(--red-soft); stroke: var(--red); stroke-width: 2; }
svg .violet rect { fill: var(--violet-soft); stroke: var(--violet); }
svg .amber rect { fill: var(--amber-soft); stroke: var(--amber); }
svg.bar { display: block; width: 9rem; max-width: none; height: .8rem; margin-top: .35rem;
  background: var(--grey-soft); }
svg.bar rect { fill: var(--faint); } svg.bar.red rect { fill: var(--red); }
svg.bar.green rect { fill: var(--green); } svg.bar .reach { fill: var(--ink); }
@media screen and (max-width: 45rem) {
  figure svg { max-width: none; } svg.bar { width: 3.5rem; }
  th, td { padding-right: .6rem; } tbody th { min-width: 5rem; max-width: 9rem; } thead th { white-space: normal; }
}
""")


def page(title: str, subtitle: str, *parts: str, footer: str) -> str:
    """Return a whole page."""
    head = tag(
        "head",
        Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        tag("title", title),
        tag("style", COLOURS, PIECES, FRAME),
    )
    top, bottom = tag("header", tag("h1", title), tag("p", subtitle)), tag("footer", tag("p", prose(footer)))
    body = tag("body", tag("main", top, *parts, bottom))
    return f"<!doctype html>\n{tag('html', join(head, body), lang='en')}\n"
