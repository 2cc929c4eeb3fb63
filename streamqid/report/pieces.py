"""The parts that reports are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.report.html import Markup, join, tag

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def section(title: str, *parts: str) -> Markup:
    """Return parts under a heading."""
    return tag("section", tag("h2", title), *parts)


def card(title: str, *parts: str, badge: str = "") -> Markup:
    """Return parts under a smaller heading, set off by a frame; ``badge`` stands beside the heading."""
    return tag("article", tag("h3", title, badge), *parts)


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[int] = ()) -> Markup:
    """Return a table whose first column names the row; ``numbers`` are the columns to be set flush right.

    It scrolls by itself when it is wider than the page.
    """
    classes = ["number" if j in numbers else None for j in range(len(headers))]
    head = tag("tr", *(tag("th", text, scope="col", class_=kind) for text, kind in zip(headers, classes, strict=True)))
    body = [
        tag(
            "tr",
            tag("th", row[0], scope="row"),
            *(tag("td", cell, class_=kind) for cell, kind in zip(row[1:], classes[1:], strict=True)),
        )
        for row in rows
    ]
    return tag("div", tag("table", tag("thead", head), tag("tbody", *body)), class_="wide", tabindex="0")


def chip(text: str, kind: str, reason: str | None = None) -> Markup:
    """Return a short coloured word; the reason shows when the pointer rests on it."""
    return tag("span", text, class_=f"chip {kind}", title=reason)


def chips(names: Iterable[str], kind: str) -> Markup:
    """Return names of columns, each set off by its colour."""
    return join(*(chip(name, f"name {kind}") for name in names))


def bar(share: float, kind: str = "plain", reach: tuple[float, float] | None = None) -> Markup:
    """Return a bar as long as the share, with the interval ``reach`` as a thin line; its number stands beside it."""
    parts = [_piece(0.0, share, 0, 10)] if share > 0.0 else []
    if reach is not None:
        parts.append(_piece(*reach, 4, 2, "reach"))
    return tag(
        "svg", *parts, class_=f"bar {kind}", viewBox="0 0 100 10", preserveAspectRatio="none", aria_hidden="true"
    )


def _piece(start: float, end: float, top: int, height: int, kind: str | None = None) -> Markup:
    start, end = (100.0 * min(max(x, 0.0), 1.0) for x in (start, end))
    # Half a hundredth is the least that can be seen.
    return tag("rect", class_=kind, x=f"{start:.2f}", y=top, width=f"{max(end - start, 0.5):.2f}", height=height)


def figure(picture: str, caption: str) -> Markup:
    """Return a picture, which scrolls by itself when it is wider than the page, and what it shows."""
    return tag("figure", tag("div", picture, class_="wide", tabindex="0"), tag("figcaption", caption))


def note(text: str, kind: str = "plain") -> Markup:
    """Return a sentence that stands out: ``plain``, ``good`` or ``warning``."""
    return tag("p", text, class_=f"note {kind}")


def facts(pairs: Mapping[str, str]) -> Markup:
    """Return names with their values."""
    return tag("dl", *(tag("div", tag("dt", name), tag("dd", value)) for name, value in pairs.items()))


def items(lines: Iterable[str]) -> Markup:
    """Return lines as a list."""
    return tag("ul", *(tag("li", prose(line)) for line in lines))


def prose(text: str) -> Markup:
    """Return a text in which what stands between backticks is set as code.

    >>> prose("See `streamqid mask`.")
    'See <code>streamqid mask</code>.'
    """
    # A backtick without a partner is a letter: it may belong to the name of a column.
    parts = text.split("`") if text.count("`") % 2 == 0 else [text]
    return join(*(tag("code", part) if i % 2 else part for i, part in enumerate(parts)))


def faint(text: str) -> Markup:
    """Return an explanation beside what it explains."""
    return tag("p", prose(text), class_="faint")


def details(title: str, *parts: str) -> Markup:
    """Return parts that are folded away until the title is clicked."""
    return tag("details", tag("summary", title), *parts)
