"""A population as CSV and as JSON lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from streamqid.synthetic.cells import Words
from streamqid.synthetic.population import chunks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from streamqid.synthetic.population import Population


def _render(pieces: Sequence[tuple[NDArray[np.int64], Words]]) -> bytes:
    """Return the texts of all pieces row by row: laid out in fixed widths, then without the padding."""
    layout = [(f"piece{j}", words.glyphs.dtype) for j, (_, words) in enumerate(pieces)]
    page = np.empty(len(pieces[0][0]), layout)
    for (name, _), (codes, words) in zip(layout, pieces, strict=True):
        page[name] = words.glyphs.take(codes) if codes.any() else words.glyphs[0]
    coded = page.view(np.uint8)
    return bytes(coded[coded != 0])


def write_csv(population: Population, rows: int, out: BinaryIO) -> None:
    """Write a header and ``rows`` lines; a null and a field that is not there are both an empty field."""
    population.check_rows(rows)
    out.write(",".join(population.columns).encode())
    glue = [Words((mark,) * 3) for mark in "\n" + "," * (len(population.columns) - 1)]
    for numbers in chunks(rows):
        pieces = []
        for mark, cells in zip(glue, population.cells(population.columns, numbers), strict=True):
            pieces += [(cells.state, mark), *cells.parts]
        out.write(_render(pieces))
    out.write(b"\n")


def write_jsonl(population: Population, rows: int, out: BinaryIO) -> None:
    """Write ``rows`` JSON objects, one a line; a null is null and a field that is not there has no key."""
    for lines in jsonl(population, rows):
        out.write(lines)


def jsonl(population: Population, rows: int) -> Iterator[bytes]:
    """Yield the same in pieces of many whole lines."""
    population.check_rows(rows)
    marks = [f'{"," if j else "{"}"{column}":' for j, column in enumerate(population.columns)]
    bare = [Words((mark, f"{mark}null", "")) for mark in marks]
    quoted = [Words((f'{mark}"', f"{mark}null", "")) for mark in marks]
    quote, last = Words(('"', "", "")), Words(("}\n",))
    for numbers in chunks(rows):
        pieces = []
        for j, cells in enumerate(population.cells(population.columns, numbers)):
            if cells.number:
                pieces += [(cells.state, bare[j]), *cells.parts]
            else:
                pieces += [(cells.state, quoted[j]), *cells.parts, (cells.state, quote)]
        yield _render([*pieces, (np.zeros_like(numbers), last)])
