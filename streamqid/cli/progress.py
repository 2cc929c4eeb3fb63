"""A progress bar on standard error, if a person looks at it."""

from __future__ import annotations

import contextlib
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from streamqid.cli.text import nbytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Task


@contextlib.contextmanager
def reading(table: str) -> Iterator[Callable[[int, int], None]]:
    """Show rows, bytes and rate while a table is read; the bar vanishes at the end.

    Yields what to call with the rows and bytes so far.  Silent when standard error is not a terminal.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _rows, _bytes: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn
    from rich.text import Text

    class Counts(ProgressColumn):
        """Rows, bytes and rows per second."""

        def render(self, task: Task) -> Text:
            of = "" if task.total is None else f" of {nbytes(task.total)}"
            rows = task.fields["rows"]
            rate = rows / task.elapsed if task.elapsed else 0.0
            return Text(f"{rows:,} rows  {nbytes(task.completed)}{of}  {rate:,.0f} rows/s")

    with Progress(
        "Reading", BarColumn(16), Counts(), console=Console(stderr=True, highlight=False), transient=True
    ) as bar:
        task = bar.add_task("Reading", total=_size(table), rows=0, start=False)

        def report(rows: int, done: int) -> None:
            bar.start_task(task)  # At the first rows, so that the rate does not count the start of the program.
            bar.update(task, completed=done, rows=rows)

        yield report


def _size(table: str) -> int | None:
    """Return the size of a regular file."""
    try:
        status = Path(table).stat()
    except (OSError, ValueError):
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None
