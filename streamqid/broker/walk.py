"""Finding records inside a decompressed batch, without building objects for those that nobody asked for.

A record is a length and as many bytes: attributes, the differences of its time and offset to those of the batch, key,
value, headers.  All numbers are zigzag varints.  Every function raises an IndexError or a ValueError where the bytes
are no records.
"""

from __future__ import annotations

from itertools import pairwise, repeat
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

Value: TypeAlias = bytes | None
"""The value of a record; None is a tombstone."""

_STEPS: tuple[Any, ...] = tuple(
    tuple((low >> 1) - 62 + (high << 6) if low & 129 == 128 else None for low in range(256)) if high < 128 else None
    for high in range(256)
)
"""From the place of a record to the next one, by the second and the first byte of a length from 64 to 8191.

None, which is no number and has no places, stands for all other bytes.  Reading lengths one by one is most of the work
where few records are asked for; in this order of the two bytes, records of like length look into the same few rows.
"""


def place_behind(data: bytes, at: int, count: int) -> int:
    """Return the place behind so many records."""
    steps = _STEPS
    left = repeat(None, count)
    try:
        for _ in left:
            at += steps[data[at + 1]][data[at]]
    except TypeError:
        at = _behind_one(data, at)
        for _ in left:
            at = _behind_one(data, at)
    return at


def _behind_one(data: bytes, at: int) -> int:
    """Return the place behind a record of any length."""
    byte = data[at]
    if byte & 129 == 0:
        return at + 1 + (byte >> 1)
    length, at = number(data, at)
    return _end(data, at, length)


def values_at(data: bytes, places: Sequence[int]) -> list[Value]:
    """Return the values of the records at these ascending places, counted from 0; walks no further than the last."""
    values: list[Value] = []
    at = place = 0
    for wanted in places:
        length, at = number(data, place_behind(data, at, wanted - place))
        end = _end(data, at, length)
        values.append(_value(data, _skip(data, _skip(data, at + 1)), end))
        at, place = end, wanted + 1
    return values


def spans(  # a call for each number would double its time
    data: bytes, at: int, stop: int, places: Sequence[int]
) -> tuple[list[int], list[int], list[int]]:
    """Return of the records at these ascending places their differences in offset, and starts and ends of their values.

    The batch lies in ``data[at:stop]``; a tombstone starts at -1.
    """
    deltas: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    place = 0
    for wanted in places:
        at = place_behind(data, at, wanted - place)
        # Even numbers of two bytes, spelled out: this loop is most of the work where every record is read.
        low, high = data[at], data[at + 1]
        if low & 129 == 128 and high < 128:
            end, at = at + (low >> 1) - 62 + (high << 6), at + 3
        else:
            length, at = number(data, at)
            end, at = _end(data, at, length), at + 1
        while data[at] > 127:
            at += 1
        low, high = data[at + 1], data[at + 2]
        if low & 129 == 128 and high < 128:
            deltas.append((low >> 1) - 64 + (high << 6))
            at += 3
        else:
            delta, at = number(data, at + 1)
            deltas.append(delta)
        if data[at] == 1:
            at += 1
        else:
            length, at = number(data, at)
            at += length if length > 0 else 0
        low = data[at]
        if low & 129 == 128 and (high := data[at + 1]) < 128:
            at += 2
            last = at + (low >> 1) - 64 + (high << 6)
        else:
            length, at = number(data, at)
            last = at + length if length >= 0 else at
            if length < 0:
                at = -1
        if last > end or end > stop:
            raise ValueError
        starts.append(at)
        ends.append(last)
        at, place = end, wanted + 1
    return deltas, starts, ends


def all_spans(
    data: bytes, bounds: Sequence[int], counts: Sequence[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return what :func:`spans` returns, of the first ``counts[b]`` records of each batch b.

    It lies between ``bounds[b]`` and ``bounds[b + 1]``.  Only the lengths of records are read one by one.
    """
    fronts: list[int] = []
    for (at, stop), count in zip(pairwise(bounds), counts, strict=True):
        fronts += _fronts(data, at, stop, count)
    letters = np.frombuffer(data, np.uint8)
    lengths, place = _numbers(letters, np.array(fronts, np.int64))
    end = place + lengths
    _, place = _numbers(letters, place + 1)
    delta, place = _numbers(letters, place)
    key, place = _numbers(letters, place)
    size, start = _numbers(letters, place + np.maximum(key, 0))
    last = start + np.maximum(size, 0)
    # The fronts follow from the lengths, so that none is negative and each record ends where the next one begins.
    if (lengths < 0).any() or (last > end).any():
        raise ValueError
    return delta, np.where(size < 0, -1, start), last


def _fronts(data: bytes, at: int, stop: int, count: int) -> list[int]:
    """Return where so many records begin, the last of which ends at ``stop`` or before."""
    steps = _STEPS
    fronts = [at]
    try:
        for _ in repeat(None, count):
            at += steps[data[at + 1]][data[at]]
            fronts.append(at)
    except TypeError:
        while len(fronts) <= count:
            at = _behind_one(data, at)
            fronts.append(at)
    if at > stop:
        raise ValueError
    return fronts[:-1]


def _numbers(letters: NDArray[np.uint8], at: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers at these places and the places behind them."""
    value = letters[at].astype(np.int64)
    longer = value >> 7
    if not longer.any():
        return (value >> 1) ^ -(value & 1), at + 1
    second = letters.take(at + longer)
    if (second > 127).any():
        return _long_numbers(letters, at)
    value += ((second.astype(np.int64) << 7) - 128) * longer
    return (value >> 1) ^ -(value & 1), at + 1 + longer


def _long_numbers(letters: NDArray[np.uint8], at: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    byte = letters[at].astype(np.int64)
    value, behind = byte & 0x7F, at + 1
    longer = np.flatnonzero(byte > 127)
    for shift in range(7, 70, 7):
        if not longer.size:
            return (value >> 1) ^ -(value & 1), behind
        byte = letters[behind[longer]].astype(np.int64)
        value[longer] |= (byte & 0x7F) << shift
        behind[longer] += 1
        longer = longer[byte > 127]
    raise ValueError


def values_of(data: bytes, count: int, deltas: Collection[int]) -> dict[int, Value]:
    """Return the values of those of the ``count`` records whose offset differs by one of ``deltas`` from the base."""
    found: dict[int, Value] = {}
    at = 0
    for _ in range(count):
        length, at = number(data, at)
        end = _end(data, at, length)
        delta, key = number(data, _skip(data, at + 1))
        if delta in deltas:
            found[delta] = _value(data, key, end)
        at = end
    return found


def listing(data: bytes, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the differences of all ``count`` records in offset and in time."""
    offsets = np.empty(count, np.int64)
    times = np.empty(count, np.int64)
    at = 0
    for place in range(count):
        length, at = number(data, at)
        end = _end(data, at, length)
        times[place], delta = number(data, at + 1)
        offsets[place], _ = number(data, delta)
        at = end
    return offsets, times


def number(data: bytes, at: int) -> tuple[int, int]:
    """Return the number at a place and the place behind it."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 128:
            return (value >> 1) ^ -(value & 1), at
        shift += 7
        if shift > 63:
            raise ValueError


def _skip(data: bytes, at: int) -> int:
    """Return the place behind a number."""
    while data[at] > 127:
        at += 1
    return at + 1


def _end(data: bytes, at: int, length: int) -> int:
    if length < 0 or at + length > len(data):
        raise ValueError
    return at + length


def _value(data: bytes, at: int, end: int) -> Value:
    """Return the value of the record whose key begins at a place and that ends at another."""
    length, at = number(data, at)
    length, at = number(data, at + max(length, 0))
    if at + max(length, 0) > end:
        raise ValueError
    return None if length < 0 else data[at : at + length]
