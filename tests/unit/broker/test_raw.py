from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kafka.record.memory_records import MemoryRecordsBuilder

from streamqid.broker import selfcheck
from streamqid.broker.inflate import BrokenError, InflatedError
from streamqid.broker.packed import Loose, Packed
from streamqid.broker.raw import CorruptBatchError
from streamqid.errors import TransportError
from tests.unit.broker.made import stored, unpacked

VALUES = st.lists(st.one_of(st.none(), st.binary(max_size=40), st.just(b"v" * 9000)), min_size=1, max_size=30)
EVERYTHING = np.arange(0, 10_000)

Seen = list[tuple[int, int, bytes | None]]


def seen(batches: list[Packed | Loose]) -> Seen:
    """Offset, time and value of all records."""
    found: Seen = []
    for batch in batches:
        offsets, times = batch.timestamps()
        present, values = batch.values(EVERYTHING)
        assert offsets.tolist() == present.tolist() == batch.offsets().tolist()
        assert batch.count == len(values)
        found += zip(offsets.tolist(), times.tolist(), values, strict=True)
    return found


@given(first=VALUES, second=VALUES, codec=st.integers(0, 4), position=st.integers(0, 61))
def test_both_paths_give_the_same_records_from_any_position(
    first: list[bytes | None], second: list[bytes | None], codec: int, position: int
) -> None:
    data = stored(first, codec=codec) + stored(second, base=len(first), codec=codec, time=5000)
    raw, plain = (seen(unpacked(data, position=position, raw=raw)) for raw in (True, False))
    assert raw == plain
    assert [value for _, _, value in raw] == [*first, *second][position:]


@pytest.mark.parametrize("magic", [0, 1])
def test_batches_of_old_brokers_are_read_alike(magic: int) -> None:
    builder = MemoryRecordsBuilder(magic=magic, compression_type=1, batch_size=1 << 16)
    for value in (b"one", b"two", None):
        builder.append(timestamp=7 if magic else None, key=b"key", value=value)
    builder.close()
    data = bytes(builder.buffer())
    found = [[(o, v) for o, _, v in seen(unpacked(data, position=1, raw=raw))] for raw in (True, False)]
    assert found == [[(1, b"two"), (2, None)]] * 2
    with pytest.raises(CorruptBatchError):
        unpacked(data[:-1] + bytes([data[-1] ^ 1]))


@given(values=VALUES, data=st.data())
def test_any_choice_of_records_is_found(values: list[bytes | None], data: st.DataObject) -> None:
    (batch,) = unpacked(stored(values, base=100, codec=1))
    wanted = sorted(data.draw(st.sets(st.integers(90, 140))))
    present, found = batch.values(np.array(wanted, np.int64))
    expected = [offset for offset in wanted if 100 <= offset < 100 + len(values)]
    assert present.tolist() == expected
    assert found == [values[offset - 100] for offset in expected]


def test_a_batch_that_is_not_whole_is_left_for_the_next_fetch() -> None:
    whole = stored([b"a", b"b"])
    assert len(unpacked(whole + stored([b"c"], base=2)[:-1])) == 1


@pytest.mark.parametrize("place", [17, 30, 60, 70])
def test_a_flipped_bit_is_noticed(place: int) -> None:
    data = bytearray(stored([b"value"] * 5, base=7))
    data[place] ^= 4
    with pytest.raises(CorruptBatchError) as caught:
        unpacked(bytes(data))
    assert caught.value.offset == 7


def test_good_batches_before_a_corrupt_one_are_handed_out() -> None:
    bad = bytearray(stored([b"b"], base=1))
    bad[-1] ^= 1
    assert seen(unpacked(stored([b"a"]) + bytes(bad))) == [(0, 1000, b"a")]


def test_a_batch_of_no_records_is_passed() -> None:
    data = bytearray(stored([b"a"]))
    (batch,) = unpacked(bytes(data))
    assert isinstance(batch, Packed)
    batch.stored, batch.body = 0, memoryview(b"")
    batch.attributes = 4
    batch.check()
    assert batch.count == 0
    assert not batch.offsets().size


@given(
    body=st.binary(max_size=60), stored_count=st.integers(1, 20), last=st.integers(0, 30), attributes=st.integers(0, 4)
)
def test_any_body_is_records_or_broken(body: bytes, stored_count: int, last: int, attributes: int) -> None:
    batch = Packed(0, 0, last, stored_count, 0, 0, attributes, memoryview(body), len(body), 1 << 16)
    for look in (lambda: batch.values(EVERYTHING), batch.timestamps, batch.offsets):
        with contextlib.suppress(BrokenError, InflatedError):
            look()


def test_the_check_at_the_start_passes_here() -> None:
    selfcheck.require_packages()
    assert selfcheck.hook_works()


def test_another_client_falls_back_to_plain_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamqid.broker.selfcheck.install", lambda *_: None)
    assert not selfcheck.hook_works()


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(selfcheck.PACKAGES, "no_such_module", "no-such-package")
    with pytest.raises(TransportError, match="pip install no-such-package"):
        selfcheck.require_packages()
