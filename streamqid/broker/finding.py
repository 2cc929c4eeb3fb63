"""Where the values of records are in many decompressed batches at once."""

from __future__ import annotations

import functools
import logging
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from streamqid.broker.inflate import BrokenError
from streamqid.broker.walk import all_spans, spans
from streamqid.fields.reading import Spans

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from streamqid.broker.walk import Value

log = logging.getLogger(__name__)

_MANY = 32
"""Records from which on it pays to read their numbers together."""

Found = tuple["NDArray[np.int64]", Spans]
"""Differences of offsets to the base of the batch, and where the values are."""


@functools.cache
def compiled_pick() -> Callable[..., bool] | None:
    """Return the compiled walk if it is installed and finds in a made-up batch what the plain one finds."""
    try:
        from streamqid.broker.picking import pick

        data = bytes.fromhex("0e 00 00 00 01 02 61 00 10 00 02 02 02 6b 02 62 00 0c 00 04 04 01 01 00")
        if _same(_by_machine(pick, [data], [np.arange(3)]), _by_hand([data], [np.arange(3)])):
            return pick
        log.info("Records are found without the compiled walk: it does not agree with the plain one.")
    except ImportError:
        log.debug("Records are found without the compiled walk: numba is not installed.")
    except Exception as error:  # whatever a compiler may raise
        log.info("Records are found without the compiled walk: it does not compile (%s).", type(error).__name__)
    return None


def find(parts: Sequence[bytes], places: Sequence[NDArray[np.int64]]) -> Found:
    """Return the records at these ascending places of each of some decompressed batches; raises a BrokenError."""
    machine = compiled_pick()
    found = None if machine is None else _by_machine(machine, parts, places)
    return _by_hand(parts, places) if found is None else found


def _by_machine(pick: Callable[..., bool], parts: Sequence[bytes], places: Sequence[NDArray[np.int64]]) -> Found | None:
    data = parts[0] if len(parts) == 1 else b"".join(parts)
    bounds = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(part) for part in parts], out=bounds[1:])
    cuts = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(one) for one in places], out=cuts[1:])
    wanted = np.concatenate(places)
    deltas, start, end = (np.empty(len(wanted), np.int64) for _ in range(3))
    address: Any = np.frombuffer(data, np.uint8).ctypes.data if data else 0
    return (deltas, Spans(data, start, end)) if pick(address, bounds, cuts, wanted, deltas, start, end) else None


def _by_hand(parts: Sequence[bytes], places: Sequence[NDArray[np.int64]]) -> Found:
    """Walk in Python; of a few records of each batch no more is looked at than their values."""
    data = parts[0] if len(parts) == 1 else b"".join(parts)
    bounds = [0, *accumulate(map(len, parts))]
    counts = [len(wanted) for wanted in places]
    try:
        if sum(counts) > _MANY and all(len(wanted) and len(wanted) == wanted[-1] + 1 for wanted in places):
            deltas, start, end = all_spans(data, bounds, counts)
            return deltas, Spans(data, start, end)
        found = [
            spans(data, front, stop, wanted.tolist())
            for (front, stop), wanted in zip(pairwise(bounds), places, strict=True)
        ]
    except (IndexError, ValueError) as error:
        raise BrokenError from error
    deltas, start, end = (np.array([*chain.from_iterable(column)], np.int64) for column in zip(*found, strict=True))
    return deltas, Spans(data, start, end)


def cut_out(data: bytes, places: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[Value]]:
    """Return a few records of one decompressed batch by a walk in Python: differences of offsets, and values."""
    try:
        deltas, start, end = spans(data, 0, len(data), places.tolist())
    except (IndexError, ValueError) as error:
        raise BrokenError from error
    values = [data[front:behind] if front >= 0 else None for front, behind in zip(start, end, strict=True)]
    return np.array(deltas, np.int64), values


def _same(one: Found | None, other: Found) -> bool:
    return one is not None and bool(np.array_equal(one[0], other[0]) and one[1].values() == other[1].values())
