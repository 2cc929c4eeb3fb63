"""What an answer rests on, in the words that all reports share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.report.html import Markup
from streamqid.report.pieces import note
from streamqid.report.text import count

if TYPE_CHECKING:
    from streamqid.problems.answer import Answer


def unreadable(answer: Answer) -> Markup:
    """Warn of rows that could not be read; nothing where all could."""
    found = answer.unreadable
    if found is None:
        return Markup()
    return note(f"{found.found:,} of {found.looked_at:,} rows could not be read and are left out.", "warning")


def read(answer: Answer) -> dict[str, str]:
    """Return how much of the table the answer has seen, and how to get it again."""
    about = "about " if answer.rows_estimated else ""
    seen = "every row counted" if answer.exact else f"a random sample of {answer.sample:,} {answer.sample_unit}"
    again = {} if answer.seed is None else {"Repeat with": f"--seed {answer.seed}"}
    return {"Rows": f"{about}{count(answer.rows, 'row')}", "Seen": seen, **again}


def footer(answer: Answer) -> str:
    """Say what a page was made from, and what it does not hold."""
    seen = "every row of the table" if answer.exact else "a random sample of the table"
    seed = "" if answer.seed is None else f" Repeat with `--seed {answer.seed}`."
    return f"Made by streamqid from {seen}; it holds names of columns and no values.{seed}"
