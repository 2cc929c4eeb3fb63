"""The parts that reports are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.report.html import Markup, tag

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


def note(text: str, kind: str = "plain") -> Markup:
    """Return a sentence that stands out: ``plain``, ``good`` or ``warning``."""
    return tag("p", text, class_=f"note {kind}")


def facts(pairs: Mapping[str, str]) -> Markup:
    """Return names with their values."""
    return tag("dl", *(tag("div", tag("dt", name), tag("dd", value)) for name, value in pairs.items()))


def items(lines: Iterable[str]) -> Markup:
    """Return lines as a list."""
    return tag("ul", *(tag("li", line) for line in lines))


def details(title: str, *parts: str) -> Markup:
    """Return parts that are folded away until the title is clicked."""
    return tag("details", tag("summary", title), *parts)
