"""Opening a table by its path, in whatever format it is."""

from __future__ import annotations

import os
import re
from pathlib import PurePath
from typing import TYPE_CHECKING

from streamqid.errors import TableError
from streamqid.sources.delimited import DelimitedSource
from streamqid.sources.jsonlines import JsonArraySource, JsonLinesSource, holds_array
from streamqid.sources.parquet import ParquetSource
from streamqid.sources.streams import ByteSource

if TYPE_CHECKING:
    from streamqid.records import Source

_FORMATS = ("csv", "jsonl", "parquet")
_ENDINGS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
}

_JSON = re.compile(rb"(\xef\xbb\xbf)?\s*(\[\s*)?\{")
"""How JSON starts; brackets alone may be quotes around the names of a CSV."""


def open_table(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - the word that users know
    delimiter: str | None = None,
    header: bool | None = None,
) -> Source:
    """Open a file, or standard input, as a table.

    Compression by gzip or zstd is recognised by the content.

    Parameters
    ----------
    path
        The file; ``-`` is standard input.  That, or a pipe whose name tells no format, is CSV unless it starts with a
        JSON object or an array of them.
    format
        ``csv``, ``jsonl`` or ``parquet``; by default what the ending of the path says.
    delimiter
        The character between fields of a CSV file; by default a tab if the path says ``.tsv``, else the
        most frequent of comma, semicolon, tab and bar in the first line.
    header
        Whether the first line of a CSV file names the columns; without a header they are called c1, c2, ….  By
        default it does, and a first line that looks like data is refused.

    Raises
    ------
    TableError
        The file cannot be read, or not as a table.
    """
    name = os.fspath(path)
    ending = _ending(name)
    if format is not None and format not in _FORMATS:
        raise TableError(f"The format {format} is not known: name one of {', '.join(_FORMATS)}.")
    source = ByteSource.open(name)
    try:
        return _open(source, format or _likely_format(source, name), ending, delimiter, header)
    except BaseException:
        source.close()
        raise


def _open(source: ByteSource, kind: str, ending: str, delimiter: str | None, header: bool | None) -> Source:
    if kind == "csv":
        between = _checked_delimiter("\t" if delimiter is None and ending == ".tsv" else delimiter)
        return DelimitedSource(source, between, header=header)
    for what, given in (("A delimiter", delimiter), ("Whether there is a header", header)):
        if given is not None:
            raise TableError(f"{what} is for csv only, and {source.name} is read as {kind}: leave it out.")
    if kind == "parquet":
        return ParquetSource(source)
    # A line that is an array is no record, so that only names which promise lines are taken at their word.
    if ending not in (".jsonl", ".ndjson") and holds_array(source.peek()):
        return JsonArraySource(source)
    return JsonLinesSource(source)


def _ending(path: str) -> str:
    """Return the last ending of a path that does not tell a compression."""
    file = PurePath(path.lower())
    return PurePath(file.stem).suffix if file.suffix in (".gz", ".zst") else file.suffix


def _likely_format(source: ByteSource, path: str) -> str:
    kind = _ENDINGS.get(_ending(path))
    if kind is not None:
        return kind
    if source.total_bytes is not None:
        named = " or ".join(f"--format {one}" for one in _FORMATS)
        raise TableError(f"The name of {path} does not tell its format: give {named} (format='csv' and so on).")
    # Standard input, and the pipe that a shell makes for <(command), have no name that could tell.
    front = source.peek()
    if front.startswith(b"PAR1"):
        return "parquet"
    return "jsonl" if _JSON.match(front) else "csv"


def _checked_delimiter(delimiter: str | None) -> str | None:
    if delimiter == "\\t":  # As it arrives from a shell.
        return "\t"
    if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0'):
        raise TableError("A delimiter is one ASCII character, and neither a quote nor a line end.")
    return delimiter
