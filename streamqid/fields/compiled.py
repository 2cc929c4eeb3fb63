"""Fields by machine code (the extra ``fast``); records that it is not sure of are read by the plain reader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from streamqid.fields.paths import NOWHERE
from streamqid.fields.plain import PlainReader
from streamqid.fields.reading import Read, spans_of
from streamqid.sampling.fingerprint import MISSING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.fields.paths import Paths
    from streamqid.fields.reading import Definition, Spans
    from streamqid.sampling.fingerprint import Encoder
    from streamqid.sampling.secret import Secret


class CompiledReader:
    """Reads JSON values byte by byte; equal to :class:`GeneralReader` on every value.

    Whether a text is one that stands for a missing value is told by its hash, so with probability 2^-64 another one is
    taken for it.
    """

    def __init__(
        self, definition: Definition, columns: Sequence[str], encoder: Encoder, secret: Secret, paths: Paths
    ) -> None:
        from streamqid.fields.kernel import REMEMBERED, SHAPE, scan

        self._scan = scan
        self._plain = PlainReader(definition, columns, encoder)
        self._columns = len(columns)
        keys = np.array([np.frombuffer(secret.column_key(column), "<u8") for column in columns], np.uint64)
        halves = keys.reshape(len(columns), 2)
        missing = np.array([encoder.hashes_of_missing(column) for column in columns], np.uint64)
        tree = _tree_of(paths)
        self._room = [np.empty(size, np.int64) for size in _sizes(tree, len(columns), definition.max_depth, SHAPE)]
        # The inner loops have addresses; what stands there lives as long as the reader.
        self._alive = [*tree, halves[:, 0].copy(), halves[:, 1].copy(), missing]
        self._memo = np.zeros((max(1, len(columns)) * REMEMBERED, 4), np.uint64)
        addresses = [array.ctypes.data for array in self._alive]
        self._definition = (
            tuple(addresses[: len(tree)]),
            (*addresses[len(tree) :], missing.size // max(1, len(columns))),
            (paths.row, definition.max_bytes, definition.max_depth, definition.max_fields),
            tuple(array.ctypes.data for array in self._room),
            self._memo.ctypes.data,
        )

    def read(self, spans: Spans) -> Read:
        """Return the fingerprints of all values."""
        fingerprints = np.full((len(spans), self._columns), MISSING, np.uint64)
        sure = np.zeros(len(spans), np.bool_)
        for array in self._room:
            array.fill(-1)
        data = np.frombuffer(spans.data, np.uint8)
        self._scan(data.ctypes.data, spans.start, spans.end, *self._definition, fingerprints, sure)
        reasons = np.zeros(len(spans), np.uint8)
        unsure = np.flatnonzero(~sure)
        if unsure.size:
            decided = self._plain.read(spans_of(map(spans.value, unsure.tolist())))
            fingerprints[unsure], reasons[unsure] = decided.fingerprints, decided.reasons
        return Read(fingerprints, reasons)


def _sizes(tree: tuple[Any, ...], columns: int, depth: int, shape: int) -> tuple[int, ...]:
    """Return how many numbers the inner loops remember: of edges and columns, of nodes, of keys, and of an integer."""
    return len(tree[-1]) + 1, columns + 1, depth + 2, 4 * shape, 3


def _tree_of(paths: Paths) -> tuple[Any, ...]:
    """Lay the tree out in arrays: the edges of each node, and of each edge its name, column and node."""
    listed = [list(node.values()) for node in paths.nodes]
    edges = [edge for node in listed for edge in node]
    encoded = [edge.name.encode("utf-8", "surrogatepass") for edge in edges]
    length = np.array([len(name) for name in encoded], np.int64)
    return (
        np.cumsum([0, *map(len, listed)], dtype=np.int64),
        np.cumsum(length) - length,
        length,
        np.frombuffer(b"".join(encoded), np.uint8),
        np.array([edge.column for edge in edges] or [NOWHERE], np.int64),
        np.array([edge.node for edge in edges] or [NOWHERE], np.int64),
    )
