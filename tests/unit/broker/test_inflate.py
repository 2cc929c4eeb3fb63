from __future__ import annotations

import contextlib
import gzip
import os
import tracemalloc

import lz4.frame  # type: ignore[import-untyped]
import pytest
import snappy  # type: ignore[import-untyped]
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from kafka.codec import snappy_encode

from streamqid.broker.inflate import GZIP, LZ4, NONE, SNAPPY, ZSTD, BrokenError, InflatedError, ceiling, inflate

WRITERS = {
    "none": (NONE, bytes),
    "gzip": (GZIP, gzip.compress),
    "gzip in two members": (GZIP, lambda data: gzip.compress(data[:7]) + gzip.compress(data[7:])),
    "snappy": (SNAPPY, snappy.compress),
    "snappy in blocks": (SNAPPY, snappy_encode),
    "lz4": (LZ4, lambda data: lz4.frame.compress(data, block_linked=False)),
    "lz4 with sums": (LZ4, lambda data: lz4.frame.compress(data, content_checksum=True, block_checksum=True)),
    "lz4 without size": (LZ4, lambda data: lz4.frame.compress(data, store_size=False)),
    "zstd": (ZSTD, zstandard.ZstdCompressor().compress),
    "zstd with sum": (ZSTD, zstandard.ZstdCompressor(write_checksum=True).compress),
    "zstd in two frames": (ZSTD, lambda data: zstandard.compress(data[:7]) + zstandard.compress(data[7:])),
    "zstd without size": (ZSTD, zstandard.ZstdCompressor(write_content_size=False).compress),
}
COMPRESSED = [name for name in WRITERS if name != "none"]


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("data", [b"", b"x", b"ab" * 300_000, os.urandom(200_000)], ids=["empty", "1", "even", "odd"])
def test_all_codecs_come_back_within_what_their_frames_promise(name: str, data: bytes) -> None:
    codec, write = WRITERS[name]
    packed = write(data)
    assert inflate(codec, packed, len(data)) == data
    assert len(data) <= ceiling(codec, packed)
    assert ceiling(codec, packed) == ceiling(codec, memoryview(packed))


@pytest.mark.parametrize("name", COMPRESSED)
def test_a_byte_too_much_is_refused(name: str) -> None:
    codec, write = WRITERS[name]
    with pytest.raises(InflatedError):
        inflate(codec, write(b"ab" * 300_000), 599_999)


@pytest.mark.parametrize("name", ["gzip", "lz4 without size", "zstd", "zstd without size"])
def test_a_bomb_takes_little_memory(name: str) -> None:
    codec, write = WRITERS[name]
    bomb = write(bytes(50 << 20))
    assert ceiling(codec, bomb) > 1 << 20
    tracemalloc.start()
    try:
        with pytest.raises(InflatedError):
            inflate(codec, bomb, 1 << 20)
        assert tracemalloc.get_traced_memory()[1] < 12 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["snappy", "lz4", "zstd", "zstd without size"])
def test_an_ordinary_batch_needs_no_decompression_to_be_let_through(name: str) -> None:
    codec, write = WRITERS[name]
    assert ceiling(codec, write(os.urandom(1 << 16))) < 1 << 19


@pytest.mark.parametrize("name", COMPRESSED)
def test_what_was_cut_off_is_broken(name: str) -> None:
    codec, write = WRITERS[name]
    with pytest.raises(BrokenError):
        inflate(codec, write(os.urandom(5000))[:-2000], 1 << 20)


@given(codec=st.integers(0, 7), data=st.binary(max_size=200))
def test_any_bytes_are_data_broken_or_too_large(codec: int, data: bytes) -> None:
    with contextlib.suppress(BrokenError, InflatedError):
        assert len(inflate(codec, data, 1 << 16)) <= 1 << 16
