"""The bytes of a snapshot: what was written comes back, and nothing else is accepted."""

from __future__ import annotations

import hashlib
import struct

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from streamqid.errors import MergeError, SnapshotCorruptError, SnapshotVersionError, StateError
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.fingerprint import MissingRule
from streamqid.sampling.sampler import Sampler
from streamqid.sampling.secret import Secret
from streamqid.sampling.snapshot import pack, unpack
from tests.unit.sampling.plain import fingerprints, sampler_of

SMALL = sampler_of(fingerprints([(1, "a"), (2, None), (3, "a")]), 3, Capacity(2, 0.5, 9), MissingRule.EQUAL)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3)
    ),
    max_leaves=8,
)
HEADERS = st.dictionaries(st.text(st.characters(codec="utf-8")).filter(lambda key: key != "arrays"), JSON, max_size=4)
ARRAYS = st.lists(
    st.sampled_from([np.uint64, np.int64, np.bool_, np.uint8]).flatmap(
        lambda kind: npst.arrays(kind, npst.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=4))
    ),
    max_size=4,
)


def resealed(body: bytes) -> bytes:
    """Return the body under a checksum that holds."""
    return body + hashlib.blake2b(body, digest_size=32).digest()


@given(HEADERS, ARRAYS)
def test_header_and_arrays_come_back_and_give_the_same_bytes_again(
    header: dict[str, object], arrays: list[np.ndarray[tuple[int, ...], np.dtype[np.generic]]]
) -> None:
    data = pack(header, arrays)
    back, arrays_back = unpack(data)
    assert back == header
    assert len(arrays_back) == len(arrays)
    for there, here in zip(arrays, arrays_back, strict=True):
        assert there.dtype == here.dtype
        assert np.array_equal(there, here)
    assert pack(back, arrays_back) == data


def test_the_layout_is_the_documented_one() -> None:
    data = pack({"b": 1, "a": "x"}, [np.array([1, 2], np.uint64), np.array([[True]])])
    text = b'{"a":"x","arrays":[["<u8",[2]],["|b1",[1,1]]],"b":1}'
    body = b"streamqd" + struct.pack("<HHI", 1, 0, len(text)) + text + struct.pack("<QQ", 1, 2) + b"\x01"
    assert data == resealed(body)


def test_big_endian_arrays_are_written_little_endian() -> None:
    numbers = np.array([1, 2**40], ">u8")
    assert pack({}, [numbers]) == pack({}, [numbers.astype("<u8")])


def test_equal_headers_in_another_order_give_equal_bytes() -> None:
    assert pack({"a": {"x": 1, "y": 2}, "b": 2}, []) == pack({"b": 2, "a": {"y": 2, "x": 1}}, [])


def test_a_restored_sampler_is_the_saved_one() -> None:
    data = SMALL.to_bytes()
    restored = Sampler.from_bytes(data, SMALL.secret)
    assert restored.to_bytes() == data
    assert (restored.n, restored.capacity, restored.missing) == (SMALL.n, SMALL.capacity, SMALL.missing)
    assert np.array_equal(restored.evidence().a.fingerprints, SMALL.evidence().a.fingerprints)
    empty = Sampler(Secret.from_seed(0), Capacity(1))
    assert Sampler.from_bytes(empty.to_bytes(), empty.secret).to_bytes() == empty.to_bytes()


def test_every_flipped_bit_is_noticed() -> None:
    data = SMALL.to_bytes()
    for position in range(len(data)):
        for bit in range(8):
            changed = bytearray(data)
            changed[position] ^= 1 << bit
            with pytest.raises(SnapshotCorruptError, match="restore an older snapshot"):
                Sampler.from_bytes(bytes(changed), SMALL.secret)


def test_every_truncation_and_every_addition_is_noticed() -> None:
    data = SMALL.to_bytes()
    for length in range(len(data)):
        with pytest.raises(SnapshotCorruptError):
            unpack(data[:length])
    for tail in (b"\0", b"x" * 32, data):
        with pytest.raises(SnapshotCorruptError):
            unpack(data + tail)


@pytest.mark.parametrize("data", [b"", b"streamqd", b"PK\x03\x04" + bytes(100), b"\x80\x04N." + bytes(100)])
def test_other_files_are_no_snapshots(data: bytes) -> None:
    with pytest.raises(SnapshotCorruptError, match="not a streamqid snapshot: check the path"):
        unpack(data)


@pytest.mark.parametrize("version", [0, 2, 9, 65_535])
def test_another_version_is_refused_with_what_to_do(version: int) -> None:
    data = SMALL.to_bytes()
    other = resealed(data[:8] + struct.pack("<H", version) + data[10:-32])
    with pytest.raises(SnapshotVersionError) as caught:
        Sampler.from_bytes(other, SMALL.secret)
    assert (caught.value.found, caught.value.supported) == (version, (1,))
    assert str(caught.value) == (
        f"The snapshot has format version {version}, this streamqid reads 1: open it with the version of "
        "streamqid that wrote it, or start a new state directory."
    )
    assert isinstance(caught.value, StateError)
    assert caught.value.exit_code == 3


def test_the_snapshot_of_another_secret_is_refused() -> None:
    other = Secret.from_seed(99)
    with pytest.raises(MergeError, match=f"with the secret {SMALL.secret.key_id}, not {other.key_id}: give the secret"):
        Sampler.from_bytes(SMALL.to_bytes(), other)


@pytest.mark.parametrize("kind", ["|O", "<f8", "<U4", "<m8[s]"])
def test_arrays_of_other_types_are_refused_so_that_nothing_is_unpickled(kind: str) -> None:
    text = msgspec.json.encode({"arrays": [[kind, [1]]]})
    body = b"streamqd" + struct.pack("<HHI", 1, 0, len(text)) + text + bytes(64)
    with pytest.raises(SnapshotCorruptError, match="unknown type"):
        unpack(resealed(body))


def test_restored_arrays_can_be_written_to() -> None:
    """A restored sampler goes on growing."""
    assert all(array.flags.writeable for array in unpack(SMALL.to_bytes())[1])


@pytest.mark.parametrize("header", [{"kind": "window"}, {"kind": "sampler"}, {}])
def test_an_intact_snapshot_of_something_else_is_refused(header: dict[str, object]) -> None:
    with pytest.raises(StateError):
        Sampler.from_bytes(pack({**header, "key_id": SMALL.secret.key_id}, []), SMALL.secret)


@pytest.mark.parametrize("shape", [[-1], [10**9], [2**62, 4]])
def test_arrays_that_do_not_fit_are_refused(shape: list[int]) -> None:
    text = msgspec.json.encode({"arrays": [["<u8", shape]]})
    body = b"streamqd" + struct.pack("<HHI", 1, 0, len(text)) + text + bytes(64)
    with pytest.raises(SnapshotCorruptError):
        unpack(resealed(body))
