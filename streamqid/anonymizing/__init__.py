"""Making a table in a file safe: read it, suppress cells, audit what is written, and only then give it its name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from streamqid.anonymize.answer import AnonymizeAnswer, answer
from streamqid.anonymize.choosing import solve
from streamqid.anonymize.request import Request
from streamqid.anonymizing.checking import checked_audit
from streamqid.anonymizing.gathering import gather
from streamqid.anonymizing.roles import Roles
from streamqid.anonymizing.writing import write, written
from streamqid.errors import TableError, UsageError
from streamqid.reading import Pass
from streamqid.sources.delimited import DelimitedSource
from streamqid.sources.parquet import ParquetSource

if TYPE_CHECKING:
    from streamqid.options import Options
    from streamqid.records import Source

__all__ = ["AnonymizeAnswer", "Request", "Roles", "anonymize"]

TIME_LIMIT = 60.0
CSV_ENDINGS, JSON_ENDINGS = (".csv", ".tsv"), (".json", ".jsonl", ".ndjson")
OPTIONS = ("format", "delimiter", "header", "progress")


def anonymize(
    table: str | os.PathLike[str],
    out: str | os.PathLike[str],
    roles: Roles,
    request: Request,
    *,
    suppressed: str = "*",
    time_limit: float = TIME_LIMIT,
    force: bool = False,
    **options: Unpack[Options],
) -> AnonymizeAnswer:
    """Write a table in which every group of rows keeps what is requested, and tell what it cost.

    Number and order of the rows stay, and so does every cell but those of quasi-identifiers that become ``suppressed``
    and the columns to drop.  What was written is read again and audited by code that shares nothing with the solvers,
    before the file gets its name ``out``; on any failure no file is left.

    Parameters
    ----------
    table, out
        A CSV file gives a CSV file, with its delimiter; JSON gives JSON lines, nested fields under their paths.
    roles
        What each column is: quasi-identifier, sensitive, to keep or to drop.
    request
        k-anonymity, 2-diversity or t-closeness; the last two speak about one sensitive column.
    time_limit
        Seconds after which the search for a cheaper grouping ends.
    force
        Whether ``out`` may replace a file.
    **options
        ``format``, ``delimiter``, ``header`` and ``progress`` of every question about a table; a CSV file is written
        with a header in any case.
    """
    source, target = _file(table), _target(out, table, force=force)
    if not time_limit > 0:
        msg = f"The time limit must be a positive number of seconds, not {time_limit:g}."
        raise UsageError(msg)
    if not suppressed.isprintable():
        msg = "The text for suppressed cells must be printable: choose another."
        raise UsageError(msg)
    for name in options:
        if name not in OPTIONS:
            msg = f"The option {name!r} is not for anonymize: it takes {', '.join(OPTIONS)}."
            raise UsageError(msg)
    roles.fit(request)
    run = Pass(source, options)
    _refuse_ending(target, run.source)
    data = gather(run, roles, request, suppressed)
    solution = solve(data, request.on(data), time_limit)
    with written(target, force=force) as beside:
        delimiter = write(Pass(source, options).source, roles, solution.grouping.mask(), suppressed, beside)
        audit = checked_audit(beside, delimiter, roles, request, solution.grouping, suppressed)
    return answer(request, solution, audit, roles.names())


def _file(table: object) -> str:
    """Return the path of a file that can be read twice."""
    if not isinstance(table, str | os.PathLike):
        msg = "anonymize takes the path of a file: write the table to a CSV or JSON lines file first."
        raise UsageError(msg)
    path = os.fspath(table)
    if path == "-" or (Path(path).exists() and not Path(path).is_file()):
        msg = f"anonymize reads the table more than once, which {Path(path)} does not allow: give a regular file."
        raise TableError(msg)
    return path


def _target(out: str | os.PathLike[str], table: str | os.PathLike[str], *, force: bool) -> Path:
    target = Path(out)
    if os.fspath(out) == "-":
        msg = "anonymize writes a file, which it audits before it gets its name: name one."
        raise UsageError(msg)
    try:
        why = _why_not(target, Path(table), force=force)
    except OSError as error:
        why = f"cannot be written ({error.strerror}): name another file."
    if why is not None:
        raise UsageError(f"{target} {why}")
    return target


def _refuse_ending(target: Path, source: Source) -> None:
    """Refuse a name that tells another format than the table has, which is what will be written."""
    kind, others = ("CSV", JSON_ENDINGS) if isinstance(source, DelimitedSource) else ("JSON lines", CSV_ENDINGS)
    if target.suffix.lower() in others and not isinstance(source, ParquetSource):
        source.close()
        raise UsageError(f"{target} would hold {kind}, as the table does: give it a name that says so.")


def _why_not(target: Path, table: Path, *, force: bool) -> str | None:
    """Return why a file of this name cannot be made, None if it can."""
    if target.name.lower().endswith((".gz", ".zst", ".parquet")):
        return "cannot be written: choose a plain CSV or JSON lines file."
    if not target.parent.is_dir() or target.is_dir():
        return "cannot be written: name a file in a directory that exists."
    if target.is_symlink():
        # As /dev/stdout is: what it points at would stay as it is, and the link itself would be gone.
        return "is a link, which is not replaced: name the file itself."
    if not target.exists():
        return None
    if table.exists() and target.samefile(table):
        return "is the table itself: name another file."
    if not target.is_file():
        return "is no regular file: it is not replaced, name another one."
    return None if force else "exists: name another file, or allow to replace it with --force."
