"""Numbers and names as text, for people."""

from __future__ import annotations

from streamqid.report.text import count, interval, percent

__all__ = ["count", "interval", "nbytes", "one_line", "percent", "plain"]

KILO = 1000


def plain(text: str) -> str:
    r"""Show control characters by their codes: the name of a column must not steer a terminal.

    >>> plain("a\x1b[31m\nb")
    'a\\x1b[31m\\nb'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)


def one_line(text: str) -> str:
    """Return a text on one line and without control characters."""
    return plain(" ".join(text.split()))


def nbytes(size: float) -> str:
    """Print a number of bytes.

    >>> nbytes(999), nbytes(4_100_000), nbytes(2.5e14)
    ('999 B', '4.1 MB', '250 TB')
    """
    unit = "B"
    for larger in ("kB", "MB", "GB", "TB", "PB"):
        if size < KILO:
            break
        size, unit = size / KILO, larger
    return f"{size:,.3g} {unit}" if size < KILO else f"{size:,.0f} {unit}"
