"""The second pass: the rows with suppressed cells into a file that gets its name only when all is well."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import secrets
from typing import TYPE_CHECKING, TextIO

import numpy as np

from streamqid.anonymizing.gathering import values_of
from streamqid.errors import TableError, UsageError
from streamqid.records import ABSENT
from streamqid.sources.delimited import DelimitedSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from streamqid.anonymizing.roles import Roles
    from streamqid.records import Rows, Source


@contextlib.contextmanager
def written(target: Path, *, force: bool) -> Iterator[Path]:
    """Give the name of a file beside the target that becomes the target at the end; on any failure it is removed.

    Without ``force`` a file that came up meanwhile is not replaced.
    """
    # A name takes at most 255 bytes, and a character up to four.
    beside = target.with_name(f".{target.name[:50]}.{secrets.token_hex(4)}")
    try:
        yield beside
        if force:
            beside.replace(target)
        else:
            _name_anew(beside, target)
        _keep_names(target.parent)
    except FileExistsError:
        msg = f"{target} exists: name another file, or allow to replace it with --force."
        raise UsageError(msg) from None
    except OSError as error:
        msg = f"{target} cannot be written ({error.strerror or type(error).__name__}): check the path and the disk."
        raise UsageError(msg) from None
    finally:
        beside.unlink(missing_ok=True)


def _name_anew(beside: Path, target: Path) -> None:
    """Give a file a name that no file has, else raise a FileExistsError."""
    try:
        target.hardlink_to(beside)
    except FileExistsError:
        raise
    except OSError:
        # Some file systems have no links: there the name is taken by an empty file first.
        target.touch(exist_ok=False)
        beside.replace(target)


def _keep_names(directory: Path) -> None:
    """Put the names in a directory on the disk, where the file system can; their files are there already."""
    with contextlib.suppress(OSError):
        opened = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def write(source: Source, roles: Roles, mask: NDArray[np.bool_], suppressed: str, path: Path) -> str | None:
    """Write all rows of a source to a new file, on the disk when this returns; return the delimiter if it is CSV.

    ``mask[i, j]`` says that cell j of the quasi-identifiers of row i is suppressed.
    """
    delimiter = source.delimiter if isinstance(source, DelimitedSource) else None
    try:
        with path.open("x", encoding="utf-8", newline="") as file:
            header = roles.published(source.columns)
            if delimiter is not None:
                _write_delimited([tuple(header)], delimiter, file)
            rows = 0
            for batch in source.batches():
                part = batch.decode(np.arange(batch.start, batch.end))
                here = mask[rows : rows + len(part.offsets)]
                rows += len(part.offsets)
                if part.rejects or len(here) < len(part.offsets):
                    raise _changed(source)
                columns = list(dict.fromkeys([*roles.published(part.columns), *roles.quasi]))
                cells = zip(*(_column(part, name, roles, here, suppressed) for name in columns), strict=True)
                if delimiter is not None:
                    _write_delimited(cells, delimiter, file)
                else:
                    _write_json(cells, columns, file)
            if rows != len(mask):
                raise _changed(source)
            file.flush()
            os.fsync(file.fileno())
    finally:
        source.close()
    return delimiter


def _changed(source: Source) -> TableError:
    return TableError(f"{source.name} changed while it was read: try again when nobody writes to it.")


def _column(rows: Rows, name: str, roles: Roles, mask: NDArray[np.bool_], suppressed: str) -> Sequence[object]:
    values = values_of(rows, name)
    if name not in roles.quasi:
        return values
    hidden = mask[:, list(roles.quasi).index(name)].tolist()
    return [suppressed if hide else value for hide, value in zip(hidden, values, strict=True)]


def _write_delimited(rows: Iterable[tuple[object, ...]], delimiter: str, file: TextIO) -> None:
    """Write rows; one with a carriage return in quotes, as older versions of csv would write it bare."""
    plain = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    quoted = csv.writer(file, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in rows:
        (quoted if any("\r" in str(cell) for cell in row) else plain).writerow(row)


def _write_json(rows: Iterable[tuple[object, ...]], columns: Sequence[str], file: TextIO) -> None:
    for row in rows:
        fields = {name: value for name, value in zip(columns, row, strict=True) if value is not ABSENT}
        file.write(json.dumps(fields, ensure_ascii=False) + "\n")
