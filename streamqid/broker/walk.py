"""Finding records inside a decompressed batch, without building objects for those that nobody asked for.

A record is a length and as many bytes: attributes, the differences of its time and offset to those of the batch, key,
value, headers.  All numbers are zigzag varints.  Every function raises an IndexError or a ValueError where the bytes
are no records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

Value: TypeAlias = bytes | None
"""The value of a record; None is a tombstone."""


def values_at(data: bytes, places: Sequence[int]) -> list[Value]:
    """Return the values of the records at these ascending places, counted from 0; walks no further than the last."""
    values: list[Value] = []
    at = place = 0
    for wanted in places:
        for _ in range(place, wanted):
            # The length of a record that nobody asked for, spelled out: this loop is most of the work.
            byte = data[at]
            if byte < 128:
                at += 1 + (byte >> 1)
            elif (second := data[at + 1]) < 128:
                at += (byte >> 1) - 62 + (second << 6)
            else:
                length, at = _number(data, at)
                at = _end(data, at, length)
        length, at = _number(data, at)
        end = _end(data, at, length)
        values.append(_value(data, _skip(data, _skip(data, at + 1)), end))
        at, place = end, wanted + 1
    return values


def spans(  # noqa: C901, PLR0912  # a call for each number would double its time
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
        while place < wanted:
            byte = data[at]
            if byte < 128:
                at += 1 + (byte >> 1)
            elif (second := data[at + 1]) < 128:
                at += (byte >> 1) - 62 + (second << 6)
            else:
                length, at = _number(data, at)
                at = _end(data, at, length)
            place += 1
        # Even numbers of two bytes, spelled out: this loop is most of the work where every record is read.
        low, high = data[at], data[at + 1]
        if low & 129 == 128 and high < 128:
            end, at = at + (low >> 1) - 62 + (high << 6), at + 3
        else:
            length, at = _number(data, at)
            end, at = _end(data, at, length), at + 1
        while data[at] > 127:
            at += 1
        low, high = data[at + 1], data[at + 2]
        if low & 129 == 128 and high < 128:
            deltas.append((low >> 1) - 64 + (high << 6))
            at += 3
        else:
            delta, at = _number(data, at + 1)
            deltas.append(delta)
        if data[at] == 1:
            at += 1
        else:
            length, at = _number(data, at)
            at += length if length > 0 else 0
        low = data[at]
        if low & 129 == 128 and (high := data[at + 1]) < 128:
            at += 2
            last = at + (low >> 1) - 64 + (high << 6)
        else:
            length, at = _number(data, at)
            last = at + length if length >= 0 else at
            if length < 0:
                at = -1
        if last > end or end > stop:
            raise ValueError
        starts.append(at)
        ends.append(last)
        at, place = end, wanted + 1
    return deltas, starts, ends


def values_of(data: bytes, count: int, deltas: Collection[int]) -> dict[int, Value]:
    """Return the values of those of the ``count`` records whose offset differs by one of ``deltas`` from the base."""
    found: dict[int, Value] = {}
    at = 0
    for _ in range(count):
        length, at = _number(data, at)
        end = _end(data, at, length)
        delta, key = _number(data, _skip(data, at + 1))
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
        length, at = _number(data, at)
        end = _end(data, at, length)
        times[place], delta = _number(data, at + 1)
        offsets[place], _ = _number(data, delta)
        at = end
    return offsets, times


def _number(data: bytes, at: int) -> tuple[int, int]:
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
    length, at = _number(data, at)
    length, at = _number(data, at + max(length, 0))
    if at + max(length, 0) > end:
        raise ValueError
    return None if length < 0 else data[at : at + length]
