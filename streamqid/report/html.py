"""Markup in which every text is escaped.

>>> tag("p", "a < b", tag("b", "c"), class_="note")
'<p class="note">a &lt; b<b>c</b></p>'
"""

from __future__ import annotations

import html


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def tag(name: str, *children: str, **attributes: str | float | None) -> Markup:
    """Return an element; texts among its children and attributes are escaped, attributes that are None left out.

    A trailing underscore in the name of an attribute is dropped (``class_``), others become hyphens.
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(printable(str(value)))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{given}>{join(*children)}</{name}>")


def join(*children: str) -> Markup:
    """Return parts one after the other, texts among them escaped."""
    return Markup("".join(c if isinstance(c, Markup) else html.escape(printable(c)) for c in children))


def printable(text: str) -> str:
    r"""Show control characters by their codes: the name of a column may hold any character.

    >>> printable("a\x1b\ud800")
    'a\\x1b\\ud800'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)
