"""The compiled reader's inner loops: JSON, and SipHash-2-4 of the named fields, over the bytes of many records.

Compiled when first called.  Whatever is not plain (a backslash, a number that is not its own shortest print, a key that
comes twice, bytes that are no JSON) ends the record with ``False``: somebody else decides.  Integers in here are int64
and hashes uint64; mixing the two would make floats of them.  All is in one file, since a change of this file is what
tells numba to compile anew.

Tables are given by their addresses, since numba counts references to arrays at every call; whoever calls ``scan`` keeps
them alive.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import int64, njit, uint64, void
from numba.extending import intrinsic

QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, COMMA, COLON = (ord(letter) for letter in '"\\{}[],:')
MINUS, PLUS, DOT, ZERO, ONE, NINE = (ord(letter) for letter in "-+.019")
TEXT, INTEGER, FLOAT, NULL, TRUTH = (ord(tag) for tag in "sifnb")
LONGEST_INTEGER, LONGEST_FLOAT, LONGEST_SKIPPED = 18, 15, 100
SHAPE = 512
"""Keys of a record that are remembered, to recognise them in the next."""
REMEMBERED_BITS = 10
REMEMBERED = 1 << REMEMBERED_BITS
"""Short values of a column whose fingerprints are remembered."""
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


def _storing(bits, kind):
    """Return what stores so many bits at an address and a place behind it, which nobody checks."""

    @intrinsic
    def store(typing, address, place, value):
        def build(context, builder, signature, arguments):
            at, behind, stored = arguments
            pointer = builder.inttoptr(builder.add(at, behind), ir.IntType(bits).as_pointer())
            builder.store(builder.trunc(stored, ir.IntType(bits)) if bits < 64 else stored, pointer).align = 1
            return context.get_dummy_value()

        return void(int64, int64, kind), build

    return store


byte_at, integer_at, word_at = _loading(8, int64), _loading(64, int64), _loading(64, uint64)
"""A byte, and eight bytes as a little-endian number with or without a sign."""
put_byte, put_integer, put_word = _storing(8, int64), _storing(64, int64), _storing(64, uint64)


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
        put_byte(scratch, 0, MINUS)
        size += 1
    for i in range(size - 1, start - at - 1, -1):
        digit = value & 15
        put_byte(scratch, i, digit + (48 if digit < 10 else 87))
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
def _same(before, at, size, data):
    """Tell whether as many bytes at two places behind an address are the same."""
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
def _edge(data, at, size, node, tree):
    """Return the edge of a node with this name, or -1."""
    first, place, length, names, _, _ = tree
    for edge in range(integer_at(first, 8 * node), integer_at(first, 8 * node + 8)):
        if integer_at(length, 8 * edge) == size and _same(names - data + integer_at(place, 8 * edge), at, size, data):
            return edge
    return -1


@njit
def _key(data, at, end, record, node, field, tree, seen_edge, shape):
    """Read a key and the colon behind it; return the place of the value, or -1, and the edge of the key."""
    if byte_at(data, at) != QUOTE:
        return -1, -1
    at += 1
    edge, size, known, before = np.int64(-1), np.int64(-1), False, shape + 32 * field
    if field < SHAPE and integer_at(before, 0) >= 0 and integer_at(before, 16) == node:
        size = integer_at(before, 8)
        known = at + size < end and byte_at(data, at + size) == QUOTE and _same(integer_at(before, 0), at, size, data)
    if known:
        edge = integer_at(before, 24)
    else:
        behind = _text(data, at, end)
        if behind < 0:
            return -1, -1
        size = behind - at
        edge = _edge(data, at, size, node, tree) if node >= 0 else -1
        if field < SHAPE:
            put_integer(before, 0, at)
            put_integer(before, 8, size)
            put_integer(before, 16, node)
            put_integer(before, 24, edge)
    if edge >= 0:
        if integer_at(seen_edge, 8 * edge) == record:
            return -1, -1
        put_integer(seen_edge, 8 * edge, record)
    at = _space(data, at + size + 1, end)
    if at >= end or byte_at(data, at) != COLON:
        return -1, -1
    at = _space(data, at + 1, end)
    return (at if at < end else -1), edge


@njit
def _value(data, at, end, byte, named):
    """Read a value that is neither object nor list; return the place behind it, or -1, its tag, and its text's place.

    The canonical bytes of a number are its text only where Python prints it so; of others that are ``named``, and so
    would be hashed, nothing is said.
    """
    if byte == QUOTE:
        behind = _text(data, at + 1, end)
        return (behind + 1 if behind >= 0 else -1), TEXT, at + 1, behind
    if byte == MINUS or ZERO <= byte <= NINE:
        behind, whole, fraction = _number(data, at, end)
        if behind == whole:
            return behind, INTEGER, at, behind
        if behind >= 0 and named and not (behind == fraction and _is_own_print(data, at, whole, fraction)):
            return -1, FLOAT, at, behind
        return behind, FLOAT, at, behind
    if _is(data, at, end, _NULL):
        return at + 4, NULL, at, at
    if _is(data, at, end, _TRUE):
        return at + 4, TRUTH, at, at + 1
    if _is(data, at, end, _FALSE):
        return at + 5, TRUTH, at, at + 1
    return -1, NULL, at, at


@njit
def _hash(data, at, end, tag, k0, k1, scratch):
    """Return the hash of a value by its tag and text; 0 for an integer that is too long or the negative zero."""
    if tag == INTEGER:
        size = _integer(data, at, end, scratch)
        return siphash(k0, k1, tag, scratch, 0, size) if size else uint64(0)
    if tag == TRUTH:
        put_byte(scratch, 0, ONE if byte_at(data, at) == _TRUE[0] else ZERO)
        return siphash(k0, k1, tag, scratch, 0, 1)
    return siphash(k0, k1, tag, data, at, end - at)


@njit
def _fingerprint(data, at, end, stop, tag, column, keys, memo, scratch):
    """Return the fingerprint of a value, and whether it is one; short values are remembered."""
    k0, k1, missing, absent = keys
    size, slot = end - at, memo
    short = size <= 16 and at + 16 <= stop
    one, two, kind = uint64(0), uint64(0), uint64(0)
    if short:
        # Two words that hold the text and nothing else, and what tells texts apart that begin with zeros.
        one, two = word_at(data, at), word_at(data, at + 8)
        if size <= 8:
            one, two = (one << uint64(64 - 8 * size)) if size else uint64(0), uint64(0)
        else:
            two <<= uint64(128 - 8 * size)
        kind = uint64(size << 8 | tag)
        mixed = (one ^ kind) * uint64(0x9E3779B97F4A7C15) + two * uint64(0xBF58476D1CE4E5B9)
        slot += 32 * (column * REMEMBERED + np.int64(mixed >> uint64(64 - REMEMBERED_BITS)))
        if word_at(slot, 0) == one and word_at(slot, 8) == two and word_at(slot, 16) == kind:
            return word_at(slot, 24), True
    found = _hash(data, at, end, tag, word_at(k0, 8 * column), word_at(k1, 8 * column), scratch)
    if found == uint64(0):
        return found, False
    for i in range(absent):
        if word_at(missing, 8 * (absent * column + i)) == found:
            found = uint64(0)
    if short:
        put_word(slot, 0, one)
        put_word(slot, 8, two)
        put_word(slot, 16, kind)
        put_word(slot, 24, found)
    return found, True


@njit
def _behind(data, at, end, depth, lists):
    """Pass the ends of objects and lists, and a comma; return the place behind them, or -1, and the depth there."""
    while depth:
        at = _space(data, at, end)
        if at >= end:
            return -1, depth
        byte = byte_at(data, at)
        at += 1
        if byte == COMMA:
            return at, depth
        if byte != (CLOSE_LIST if (lists >> uint64(depth)) & uint64(1) else CLOSE):
            return -1, depth
        depth -= 1
    return at, depth


@njit(nogil=True, cache=True)
def scan(data, start, end, tree, keys, limits, room, memo, out, sure):
    """Write the fingerprints of all records, and of which of them they are sure; ``data`` is where the bytes begin.

    ``memo`` remembers short values from call to call: two words of text, size and tag, fingerprint.  ``room`` is for
    work, and holds -1 everywhere at first.
    """
    width = 8 * out.shape[1]
    rows = out.ctypes.data
    for record in range(len(start)):
        at, stop = start[record], end[record]
        if at >= 0 and stop - at <= limits[1]:
            sure[record] = _record(data, at, stop, record, tree, keys, limits, room, memo, rows + record * width)


@njit
def _record(data, at, end, record, tree, keys, limits, room, memo, row):
    """Read one record; return whether it is plain JSON with the row in it."""
    row_node, _, max_depth, max_fields = limits
    seen_edge, seen_column, nodes, shape, scratch = room
    edge_column, edge_node = tree[4], tree[5]
    at = _space(data, at, end)
    if at >= end or byte_at(data, at) != OPEN:
        return False
    at += 1
    depth, lists, fields = 1, uint64(0), 0
    put_integer(nodes, 8, 0)
    row_seen, fresh = row_node == 0, True
    while depth:
        # A key unless in a list, a value, and all that follows it up to the next key or value.
        at = _space(data, at, end)
        if at >= end:
            return False
        byte, in_list, edge = byte_at(data, at), (lists >> uint64(depth)) & uint64(1), np.int64(-1)
        if fresh and byte == (CLOSE_LIST if in_list else CLOSE):
            at, depth = _behind(data, at, end, depth, lists)
            if at < 0:
                return False
            fresh = False
            continue
        if not in_list:
            if fields >= max_fields:
                return False
            node = integer_at(nodes, 8 * depth)
            at, edge = _key(data, at, end, record, node, fields, tree, seen_edge, shape)
            if at < 0:
                return False
            fields += 1
            byte = byte_at(data, at)
        column = integer_at(edge_column, 8 * edge) if edge >= 0 else np.int64(-1)
        if byte == OPEN or byte == OPEN_LIST:
            if depth >= max_depth or (byte == OPEN_LIST and column >= 0):
                return False
            depth += 1
            node = integer_at(edge_node, 8 * edge) if byte == OPEN and edge >= 0 else np.int64(-1)
            put_integer(nodes, 8 * depth, node)
            bit = uint64(1) << uint64(depth)
            lists = lists & ~bit if byte == OPEN else lists | bit
            row_seen = row_seen or (node >= 0 and node == row_node)
            fresh = True
            at += 1
            continue
        behind, tag, text, text_end = _value(data, at, end, byte, column >= 0)
        if behind < 0:
            return False
        if column >= 0:
            if integer_at(seen_column, 8 * column) == record:
                return False
            put_integer(seen_column, 8 * column, record)
            found, good = _fingerprint(data, text, text_end, end, tag, column, keys, memo, scratch)
            if not good:
                return False
            put_word(row, 8 * column, found)
        at, depth = _behind(data, behind, end, depth, lists)
        if at < 0:
            return False
        fresh = False
    return row_seen and _space(data, at, end) == end
