"""Decompression with a limit: a batch of a few kilobytes can hold gigabytes, and nobody may fill our memory."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import zstandard

if TYPE_CHECKING:
    from collections.abc import Iterator

NONE, GZIP, SNAPPY, LZ4, ZSTD = range(5)
"""The codecs, as the lowest three bits of a batch's attributes number them."""

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")

_XERIAL = b"\x82SNAPPY\x00"
_XERIAL_HEADER_BYTES = 16
_GZIP_RATIO, _LZ4_RATIO = 1040, 256
_RATIOS = {NONE: 1, GZIP: _GZIP_RATIO, LZ4: _LZ4_RATIO}
_LZ4_BLOCK_BYTES = {4: 1 << 16, 5: 1 << 18, 6: 1 << 20, 7: 1 << 22}
_ZSTD_BLOCK_BYTES = 1 << 17
_ZSTD_STEP_BYTES = 64
_ZSTD_MAGIC, _LZ4_MAGIC = 0xFD2FB528, 0x184D2204
_UNKNOWN = 1 << 62


class InflatedError(Exception):
    """The batch is larger than allowed when it is decompressed."""


class BrokenError(Exception):
    """The batch is not what its header says."""


def surely_fits(codec: int, size: int, limit: int) -> bool:
    """Tell whether so many compressed bytes cannot hold more than ``limit``, whatever they are."""
    return codec in _RATIOS and size * _RATIOS[codec] <= limit


def ceiling(codec: int, data: bytes | memoryview) -> int:
    """Return a size in bytes that the decompressed data cannot exceed, from its frames alone.

    Costs no decompression.  Far too high for data that is not understood, which is then decompressed with care.
    """
    try:
        if codec == NONE or not len(data):
            return len(data)
        if codec == GZIP:
            return len(data) * _GZIP_RATIO
        if codec == SNAPPY:
            return sum(_snappy_length(block) for block in _snappy_blocks(data))
        if codec == LZ4:
            return _lz4_ceiling(data)
        return _zstd_ceiling(data)
    except (IndexError, KeyError, ValueError, zstandard.ZstdError):
        return _UNKNOWN


def inflate(codec: int, data: bytes | memoryview, limit: int) -> bytes:
    """Return the decompressed data.

    Raises
    ------
    InflatedError
        If it is larger than ``limit`` bytes; no more than about that much memory was taken to find out.
    BrokenError
        If it cannot be decompressed.
    """
    try:
        if codec == LZ4 and surely_fits(codec, len(data), limit):
            return _lz4_whole(data)
        data = bytes(data)
        most = ceiling(codec, data)
        cap = min(most, limit) + 1
        if codec == NONE or not data:
            whole = data
        elif codec == GZIP:
            whole = _gzip(data, cap)
        elif codec == SNAPPY:
            whole = _snappy(data, most, limit)
        elif codec == LZ4:
            whole = _lz4(data, cap)
        elif codec == ZSTD:
            whole = _zstd(data, cap)
        else:
            raise BrokenError
    except (zlib.error, RuntimeError, ValueError, IndexError, zstandard.ZstdError) as error:
        raise BrokenError from error
    if len(whole) > limit:
        raise InflatedError
    return whole


def _gzip(data: bytes, cap: int) -> bytes:
    parts, rest = [], data
    while rest and cap > 0:
        member = zlib.decompressobj(wbits=31)
        parts.append(member.decompress(rest, cap))
        if not member.eof and len(parts[-1]) < cap:
            raise BrokenError
        cap -= len(parts[-1])
        rest = member.unused_data
    return b"".join(parts)


def _lz4_whole(data: bytes | memoryview) -> bytes:
    """Decompress what cannot be too large, in one call."""
    import lz4.frame  # type: ignore[import-untyped]

    whole: bytes = lz4.frame.decompress(data) if len(data) else b""
    return whole


def _lz4(data: bytes, cap: int) -> bytes:
    import lz4.frame

    frame = lz4.frame.LZ4FrameDecompressor()
    whole: bytes = frame.decompress(data, max_length=cap)
    if not frame.eof and len(whole) < cap:
        raise BrokenError
    return whole


def _snappy(data: bytes, most: int, limit: int) -> bytes:
    import snappy  # type: ignore[import-untyped]

    if most > limit:
        raise BrokenError if most == _UNKNOWN else InflatedError
    try:
        return b"".join(snappy.uncompress(bytes(block)) for block in _snappy_blocks(data))
    except snappy.UncompressError as error:
        raise BrokenError from error


def _zstd(data: bytes, cap: int) -> bytes:
    """Decompress by so few bytes at a time that none can hold more than a few megabytes."""
    step = len(data) if ceiling(ZSTD, data) < cap else _ZSTD_STEP_BYTES
    decompressor = zstandard.ZstdDecompressor()
    frame = decompressor.decompressobj()
    parts, size, rest = [], 0, b""
    for place in range(0, len(data), step):
        rest += data[place : place + step]
        while rest and size < cap:
            if frame.eof:
                frame = decompressor.decompressobj()
            parts.append(frame.decompress(rest))
            size += len(parts[-1])
            rest = frame.unused_data if frame.eof else b""
    if not frame.eof and size < cap:
        raise BrokenError
    return b"".join(parts)


def _snappy_blocks(data: bytes | memoryview) -> Iterator[bytes | memoryview]:
    """Yield the blocks of the framing that Java clients write, or the whole where there is none."""
    if data[: len(_XERIAL)] != _XERIAL:
        yield data
        return
    place = _XERIAL_HEADER_BYTES
    while place < len(data):
        end = place + 4 + int.from_bytes(data[place : place + 4])
        if end > len(data):
            raise ValueError
        yield data[place + 4 : end]
        place = end


def _snappy_length(block: bytes | memoryview) -> int:
    """Return what a block says that it holds; the decompressor holds it to that."""
    length = shift = 0
    for byte in block[:5]:
        length |= (byte & 0x7F) << shift
        if byte < 128:
            return length
        shift += 7
    raise ValueError


def _lz4_ceiling(data: bytes | memoryview) -> int:
    flags = data[4]
    if int.from_bytes(data[:4], "little") != _LZ4_MAGIC:
        return _UNKNOWN
    block_bytes = _LZ4_BLOCK_BYTES[data[5] >> 4 & 7]
    place, total = 7 + 8 * (flags >> 3 & 1) + 4 * (flags & 1), 0
    while size := int.from_bytes(data[place : place + 4], "little") & 0x7FFFFFFF:
        total += min(block_bytes, size * _LZ4_RATIO)
        place += 4 + size + 4 * (flags >> 4 & 1)
    # The end mark, and perhaps a checksum of all; another frame behind it is not looked into.
    return total if place + 4 + 4 * (flags >> 2 & 1) >= len(data) else _UNKNOWN


def _zstd_ceiling(data: bytes | memoryview) -> int:
    if int.from_bytes(data[:4], "little") != _ZSTD_MAGIC:
        return _UNKNOWN
    place, total, last = zstandard.frame_header_size(data), 0, False
    while not last:
        header = int.from_bytes(data[place : place + 3], "little")
        last, kind, size = bool(header & 1), header >> 1 & 3, header >> 3
        total += size if kind < 2 else _ZSTD_BLOCK_BYTES
        # A block of kind 1 is one byte that is repeated.
        place += 3 + (1 if kind == 1 else size)
        if place > len(data):
            return _UNKNOWN
    return total if place + 4 * (data[4] >> 2 & 1) >= len(data) else _UNKNOWN
