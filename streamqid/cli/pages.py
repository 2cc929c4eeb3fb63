"""The option that writes an answer as a web page, too."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from streamqid.errors import UsageError

Html = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the report as a web page, too.")]


@contextmanager
def page_file(path: Path | None, table: str) -> Iterator[Callable[[str], None]]:
    """Give a function that writes a page to the path, or does nothing without one.

    That a file can be made there is found out at once, before a long table is read.  The page gets its name when it is
    complete and on the disk, so a report that stands there is whole, and a failure leaves the one from before.
    """
    if path is None:
        yield lambda _: None
        return
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            raise _refusal(path, "it is no file")
        if target.exists() and Path(table).exists() and target.samefile(table):
            raise _refusal(path, "it is the table")
        beside = target.with_name(f".{target.name[:100]}.{os.getpid()}.part")
        file = beside.open("w", encoding="utf-8")
    except OSError as error:
        raise _refusal(path, error.strerror) from None

    def write(text: str) -> None:
        try:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            beside.replace(target)
        except OSError as error:
            raise _refusal(path, error.strerror) from None

    try:
        with file:
            yield write
    finally:
        beside.unlink(missing_ok=True)


def table_name(table: str) -> str:
    """Return what a page calls the table.

    >>> table_name("/home/ann/people.csv"), table_name("-")
    ('people.csv', 'standard input')
    """
    return "standard input" if table == "-" else Path(table).name


def _refusal(path: Path, reason: str | None) -> UsageError:
    return UsageError(f"The report cannot be written to {str(path)!r} ({reason}): name a file that can be written.")
