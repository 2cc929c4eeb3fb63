"""Finding records inside decompressed batches by machine code (the extra ``fast``), as ``walk`` does it in Python."""

from __future__ import annotations

from numba import njit

from streamqid.fields.kernel import byte_at


@njit
def _number(data, at, stop):
    """Return a zigzag varint and the place behind it; the place is -1 if there is none."""
    value, shift = 0, 0
    while at < stop and shift <= 63:
        byte = byte_at(data, at)
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 128:
            return (value >> 1) ^ -(value & 1), at
        shift += 7
    return 0, -1


@njit(nogil=True, cache=True)
def pick(data, bounds, cuts, places, delta, start, end):
    """Find the records at these places of many batches; return whether all of them are whole.

    ``data`` is where the bytes begin.  Batch b lies between ``bounds[b]`` and ``bounds[b + 1]``, and asks for the
    ascending ``places[cuts[b]:cuts[b + 1]]``.  Of each record are written the difference of its offset, and where its
    value starts and ends; a tombstone starts at -1.
    """
    for batch in range(len(bounds) - 1):
        at, stop, record = bounds[batch], bounds[batch + 1], 0
        for i in range(cuts[batch], cuts[batch + 1]):
            behind = at
            while record <= places[i]:
                length, at = _number(data, behind, stop)
                behind = at + length
                if at < 0 or length < 0 or behind > stop:
                    return False
                record += 1
            _, at = _number(data, at + 1, stop)
            if at < 0:
                return False
            delta[i], at = _number(data, at, stop)
            if at < 0:
                return False
            length, at = _number(data, at, stop)
            if at < 0 or length > stop:
                return False
            length, at = _number(data, at + max(length, 0), stop)
            if at < 0 or at + max(length, 0) > behind:
                return False
            start[i] = at if length >= 0 else -1
            end[i] = at + max(length, 0)
            at = behind
    return True
