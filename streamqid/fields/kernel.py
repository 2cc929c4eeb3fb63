"""The compiled reader's inner loops: JSON, and SipHash-2-4 of the named fields, over the bytes of many records.

Compiled when first called.  Whatever is not plain (a backslash, a number that is not its own shortest print, a key that
comes twice, bytes that are no JSON) ends the record with ``False``: somebody else decides.  Integers in here are int64
and hashes uint64; mixing the two would make floats of them.  All is in one file, since a change of this file is what
tells numba to compile anew.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import int64, njit, uint64
from numba.extending import intrinsic

QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, COMMA, COLON = (ord(letter) for letter in '"\\{}[],:')
MINUS, PLUS, DOT, ZERO, ONE, NINE = (ord(letter) for letter in "-+.019")
TEXT, INTEGER, FLOAT, NULL, TRUTH = (ord(tag) for tag in "sifnb")
LONGEST_INTEGER, LONGEST_FLOAT, LONGEST_SKIPPED = 18, 15, 100
FIRST_KEY, KEY, VALUE, BEHIND, FIRST_ITEM = range(5)
"""What comes next: a key or the end of an object, a key, a value, a comma or an end, an item or the end of a list."""
SHAPE = 512
"""Keys of a record that are remembered, to recognise them in the next."""
_TRUE, _FALSE, _NULL = (np.frombuffer(word, np.uint8).copy() for word in (b"true", b"false", b"null"))


def _loading(bits, result):
    """Return what loads so many bits from an address and a place behind it, which nobody checks."""

    @intrinsic
    def load(typing, address, place):
        def build(context, builder, signature, arguments):
            kind = ir.IntType(bits)
            pointer = builder.inttoptr(builder.add(*arguments), kind.as_pointer())
            loaded = builder.load(pointer)
            loaded.align = 1
            return builder.zext(loaded, ir.IntType(64)) if bits < 64 else loaded

        return result(int64, int64), build

    return load


@intrinsic
def lowest_bit(typing, word):
    """Return the number of the lowest bit that is set; there must be one."""

    def build(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return int64(uint64), build


byte_at, word_at = _loading(8, int64), _loading(64, uint64)
"""A byte, and eight bytes as a little-endian number."""


@njit(inline="always")
def _turn(x, bits):
    return (x << uint64(bits)) | (x >> uint64(64 - bits))


@njit(inline="always")
def _round(v0, v1, v2, v3):
    v0 += v1
    v1 = _turn(v1, 13) ^ v0
    v0 = _turn(v0, 32)
    v2 += v3
    v3 = _turn(v3, 16) ^ v2
    v0 += v3
    v3 = _turn(v3, 21) ^ v0
    v2 += v1
    v1 = _turn(v1, 17) ^ v2
    v2 = _turn(v2, 32)
    return v0, v1, v2, v3


@njit
def siphash(k0, k1, tag, data, at, size):
    """Return SipHash-2-4 of a tag and ``size`` bytes; never 0, which is the fingerprint of what is missing."""
    v0, v1 = k0 ^ uint64(0x736F6D6570736575), k1 ^ uint64(0x646F72616E646F6D)
    v2, v3 = k0 ^ uint64(0x6C7967656E657261), k1 ^ uint64(0x7465646279746573)
    word, shift = uint64(tag), 8
    stop = at + size
    if size >= 8:
        # Eight bytes at a time, each word with the last byte of the one before it.
        while at + 8 <= stop:
            loaded = word_at(data, at)
            word |= loaded << uint64(8)
            v3 ^= word
            v0, v1, v2, v3 = _round(v0, v1, v2, v3)
            v0, v1, v2, v3 = _round(v0, v1, v2, v3)
            v0 ^= word
            word = loaded >> uint64(56)
            at += 8
    while at < stop:
        word |= uint64(byte_at(data, at)) << uint64(shift)
        at += 1
        shift += 8
        if shift == 64:
            v3 ^= word
            v0, v1, v2, v3 = _round(v0, v1, v2, v3)
            v0, v1, v2, v3 = _round(v0, v1, v2, v3)
            v0 ^= word
            word, shift = uint64(0), 0
    word |= uint64((size + 1) & 255) << uint64(56)
    v3 ^= word
    v0, v1, v2, v3 = _round(v0, v1, v2, v3)
    v0, v1, v2, v3 = _round(v0, v1, v2, v3)
    v0 ^= word
    v2 ^= uint64(255)
    for _ in range(4):
        v0, v1, v2, v3 = _round(v0, v1, v2, v3)
    found = v0 ^ v1 ^ v2 ^ v3
    return found if found != uint64(0) else uint64(1)


@njit
def _letter(data, at, end):
    """Return the place behind a letter outside ASCII, or -1 if it is no valid UTF-8."""
    first = byte_at(data, at)
    if first < 0xC2 or first > 0xF4:
        return -1
    more = 1 if first < 0xE0 else 2 if first < 0xF0 else 3
    if at + more >= end:
        return -1
    second = byte_at(data, at + 1)
    low, high = 0x80, 0xBF
    if first == 0xE0:
        low = 0xA0
    elif first == 0xED:
        high = 0x9F
    elif first == 0xF0:
        low = 0x90
    elif first == 0xF4:
        high = 0x8F
    if second < low or second > high:
        return -1
    for i in range(at + 2, at + more + 1):
        if byte_at(data, i) & 0xC0 != 0x80:
            return -1
    return at + more + 1


@njit
def _text(data, at, end):
    """Return the place of the quote that ends a text, or -1."""
    ones, tops = uint64(0x0101010101010101), uint64(0x8080808080808080)
    while at < end:
        if at + 8 <= end:
            # Eight bytes at once; a bit is set for each that is a quote, a backslash, a control character or no ASCII,
            # and the lowest such bit is never set for another.
            word = word_at(data, at)
            quote, slash = word ^ uint64(0x2222222222222222), word ^ uint64(0x5C5C5C5C5C5C5C5C)
            odd = ((quote - ones) & ~quote) | ((slash - ones) & ~slash) | ((word - uint64(0x2020202020202020)) & ~word)
            odd = (odd | word) & tops
            if odd == uint64(0):
                at += 8
                continue
            at += lowest_bit(odd) >> 3
        byte = byte_at(data, at)
        if byte == QUOTE:
            return at
        if byte < 0x20 or byte == BACKSLASH:
            return -1
        at = at + 1 if byte < 0x80 else _letter(data, at, end)
        if at < 0:
            return -1
    return -1


@njit
def _space(data, at, end):
    while at < end:
        byte = byte_at(data, at)
        if byte > 32 or not (byte == 32 or byte == 10 or byte == 13 or byte == 9):
            break
        at += 1
    return at


@njit
def _digits(data, at, end):
    while at < end and ZERO <= byte_at(data, at) <= NINE:
        at += 1
    return at


@njit
def _is(data, at, end, word):
    if at + len(word) > end:
        return False
    for i in range(len(word)):
        if byte_at(data, at + i) != word[i]:
            return False
    return True


@njit
def _number(data, at, end):
    """Return the places behind a number, its whole part and its fraction, and whether it is surely in range."""
    start = at + 1 if byte_at(data, at) == MINUS else at
    whole = _digits(data, start, end)
    if whole == start or (byte_at(data, start) == ZERO and whole > start + 1):
        return -1, 0, 0
    fraction = whole
    if whole < end and byte_at(data, whole) == DOT:
        fraction = _digits(data, whole + 1, end)
        if fraction == whole + 1:
            return -1, 0, 0
    behind = fraction
    if behind < end and (byte_at(data, behind) | 0x20) == 0x65:
        behind += 1
        if behind < end and (byte_at(data, behind) == MINUS or byte_at(data, behind) == PLUS):
            behind += 1
        power = behind
        behind = _digits(data, behind, end)
        if behind == power or behind > power + 2:
            return -1, 0, 0
    return (behind if whole - start < LONGEST_SKIPPED else -1), whole, fraction


@njit
def _integer(data, at, end, scratch):
    """Write an integer in hexadecimal; return how many letters, or 0 if it is too long or the negative zero."""
    start = at + 1 if byte_at(data, at) == MINUS else at
    if end - start > LONGEST_INTEGER or (start > at and byte_at(data, start) == ZERO):
        return 0
    value = np.int64(0)
    for i in range(start, end):
        value = value * 10 + (byte_at(data, i) - ZERO)
    size = 1
    rest = value >> 4
    while rest:
        size += 1
        rest >>= 4
    if start > at:
        scratch[0] = MINUS
        size += 1
    for i in range(size - 1, start - at - 1, -1):
        digit = value & 15
        scratch[i] = digit + (48 if digit < 10 else 87)
        value >>= 4
    return size


@njit
def _is_own_print(data, at, whole, fraction):
    """Tell whether a decimal fraction is spelled as Python prints it: no exponent, no needless zero, 15 digits."""
    start = at + 1 if byte_at(data, at) == MINUS else at
    if fraction - start - 1 > LONGEST_FLOAT:
        return False
    if byte_at(data, fraction - 1) == ZERO and fraction - whole > 2:
        return False
    if byte_at(data, start) == ZERO:
        zeros = whole + 1
        while zeros < fraction and byte_at(data, zeros) == ZERO:
            zeros += 1
        if zeros == fraction:
            return start == at
        return zeros - whole - 1 < 4
    return True


@njit
def _same(data, before, at, size):
    """Tell whether as many bytes at two places are the same."""
    stop = at + size
    while at + 8 <= stop:
        if word_at(data, before) != word_at(data, at):
            return False
        at += 8
        before += 8
    while at < stop:
        if byte_at(data, before) != byte_at(data, at):
            return False
        at += 1
        before += 1
    return True


@njit
def _edge(data, at, size, node, first, place, length, names):
    """Return the edge of a node with this name, or -1."""
    for edge in range(first[node], first[node + 1]):
        if length[edge] == size:
            same = True
            for i in range(size):
                if names[place[edge] + i] != byte_at(data, at + i):
                    same = False
                    break
            if same:
                return edge
    return -1


@njit(nogil=True, cache=True)
def scan(data, start, end, tree, keys, limits, out, sure):
    """Write the fingerprints of all records, and of which of them they are sure; ``data`` is where the bytes begin."""
    first, place, length, names, edge_column, edge_node = tree
    k0, k1, missing = keys
    row_node, max_bytes, max_depth, max_fields = limits
    edges, columns = len(edge_column), len(k0)
    seen_edge, seen_column = np.full(edges + 1, -1, np.int64), np.full(columns + 1, -1, np.int64)
    seen_row = np.full(1, -1, np.int64)
    nodes = np.empty(max_depth + 2, np.int64)
    shape = np.full((SHAPE, 4), -1, np.int64)
    scratch = np.empty(20, np.uint8)
    for record in range(len(start)):
        at, stop = start[record], end[record]
        if at < 0 or stop - at > max_bytes:
            continue
        sure[record] = _record(
            data, at, stop, record, first, place, length, names, edge_column, edge_node, k0, k1, missing, row_node,
            max_depth, max_fields, out, seen_edge, seen_column, seen_row, nodes, shape, scratch,
        )  # fmt: skip


@njit
def _record(
    data, at, end, record, first, place, length, names, edge_column, edge_node, k0, k1, missing, row_node,
    max_depth, max_fields, out, seen_edge, seen_column, seen_row, nodes, shape, scratch,
):  # fmt: skip
    at = _space(data, at, end)
    if at >= end or byte_at(data, at) != OPEN:
        return False
    at += 1
    depth, nodes[1], lists = 1, 0, uint64(0)
    if row_node == 0:
        seen_row[0] = record
    state, edge, fields = FIRST_KEY, -1, 0
    while depth:
        at = _space(data, at, end)
        if at >= end:
            return False
        byte = byte_at(data, at)
        if state == BEHIND:
            inside_list = (lists >> uint64(depth)) & uint64(1)
            if byte == COMMA:
                state = VALUE if inside_list else KEY
                edge = -1
            elif byte == (CLOSE_LIST if inside_list else CLOSE):
                depth -= 1
            else:
                return False
            at += 1
        elif state <= KEY:
            if byte == CLOSE and state == FIRST_KEY:
                depth -= 1
                state = BEHIND
                at += 1
                continue
            if byte != QUOTE or fields >= max_fields:
                return False
            at += 1
            node = nodes[depth]
            size, known = np.int64(-1), False
            if fields < SHAPE and shape[fields, 0] >= 0 and shape[fields, 2] == node:
                size = shape[fields, 1]
                known = at + size < end and byte_at(data, at + size) == QUOTE
                if known:
                    known = _same(data, shape[fields, 0], at, size)
            if known:
                edge = shape[fields, 3]
            else:
                behind = _text(data, at, end)
                if behind < 0:
                    return False
                size = behind - at
                edge = _edge(data, at, size, node, first, place, length, names) if node >= 0 else -1
                if fields < SHAPE:
                    shape[fields, 0], shape[fields, 1], shape[fields, 2], shape[fields, 3] = at, size, node, edge
            fields += 1
            if edge >= 0:
                if seen_edge[edge] == record:
                    return False
                seen_edge[edge] = record
            at = _space(data, at + size + 1, end)
            if at >= end or byte_at(data, at) != COLON:
                return False
            at += 1
            state = VALUE
        else:
            if byte == CLOSE_LIST and state == FIRST_ITEM:
                depth -= 1
                state = BEHIND
                at += 1
                continue
            column = edge_column[edge] if edge >= 0 else -1
            state = BEHIND
            tag, source, size, in_data = TEXT, at + 1, np.int64(0), True
            if byte == QUOTE:
                behind = _text(data, at + 1, end)
                if behind < 0:
                    return False
                size = behind - source
                at = behind + 1
            elif byte == MINUS or ZERO <= byte <= NINE:
                behind, whole, fraction = _number(data, at, end)
                if behind < 0:
                    return False
                tag, source, size = FLOAT, at, behind - at
                if column >= 0 and behind == whole:
                    tag, size, in_data = INTEGER, _integer(data, at, behind, scratch), False
                    if size == 0:
                        return False
                elif column >= 0 and not (behind == fraction and _is_own_print(data, at, whole, fraction)):
                    return False
                at = behind
            elif byte == OPEN or byte == OPEN_LIST:
                if depth >= max_depth or (byte == OPEN_LIST and column >= 0):
                    return False
                depth += 1
                nodes[depth] = edge_node[edge] if byte == OPEN and edge >= 0 else -1
                if byte == OPEN:
                    lists &= ~(uint64(1) << uint64(depth))
                    state = FIRST_KEY
                    if nodes[depth] >= 0 and nodes[depth] == row_node:
                        seen_row[0] = record
                else:
                    lists |= uint64(1) << uint64(depth)
                    state = FIRST_ITEM
                edge = -1
                at += 1
                continue
            elif _is(data, at, end, _NULL):
                tag, in_data = NULL, False
                at += 4
            elif _is(data, at, end, _TRUE) or _is(data, at, end, _FALSE):
                tag, size, in_data = TRUTH, np.int64(1), False
                scratch[0] = ONE if byte == _TRUE[0] else ZERO
                at += 4 if byte == _TRUE[0] else 5
            else:
                return False
            if column >= 0:
                if seen_column[column] == record:
                    return False
                seen_column[column] = record
                if in_data:
                    found = siphash(k0[column], k1[column], tag, data, source, size)
                else:
                    found = siphash(k0[column], k1[column], tag, scratch.ctypes.data, 0, size)
                for i in range(missing.shape[1]):
                    if missing[column, i] == found:
                        found = uint64(0)
                out[record, column] = found
    return seen_row[0] == record and _space(data, at, end) == end
