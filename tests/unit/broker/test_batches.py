from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np
import pytest

from streamqid.broker.batches import KafkaBatch, Passed
from streamqid.broker.formats import Format
from streamqid.broker.inflate import GZIP, ZSTD, inflate
from streamqid.broker.packed import Loose, Packed
from streamqid.broker.stack import HELD_BYTES, STACK_BYTES, Stack, readable, stacked
from streamqid.broker.times import TimeRule
from streamqid.engine.inputs import Listed, Timed
from streamqid.engine.panes import PaneRule
from streamqid.engine.parts import existing
from streamqid.engine.state import State
from streamqid.engine.stream import Stream
from streamqid.errors import ConfigError
from streamqid.records import Origin, Reason
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.secret import Secret
from tests.unit.broker.made import stored, unpacked

if TYPE_CHECKING:
    from collections.abc import Sequence

ORIGIN = Origin("made", 0, "id")
ROWS = [json.dumps({"id": n, "when": 1_000_000 + n}).encode() for n in range(10)]


def batch_of(
    values: Sequence[bytes | None],
    *,
    codec: int = 3,
    start: int | None = None,
    rule: TimeRule | None = None,
    **made: Any,
) -> KafkaBatch:
    (records,) = unpacked(stored(values, codec=codec, **made), position=start or 0)
    first = made.get("base", 0) if start is None else start
    return KafkaBatch(ORIGIN, first, next(stacked([records])), Format(), rule or TimeRule())


def test_a_batch_is_counted_listed_and_timed_without_decompression(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = batch_of(ROWS)
    monkeypatch.setattr("streamqid.broker.packed.inflate", pytest.fail)
    assert isinstance(batch, Listed)
    assert isinstance(batch, Timed)
    assert (batch.start, batch.end, batch.count) == (0, 10, 10)
    assert batch.offsets().tolist() == list(range(10))
    assert batch.event_time(batch.offsets()).tolist() == [1.009] * 10
    assert batch.decode(np.array([20, 30])).offsets.size == 0


def test_a_batch_is_decompressed_once() -> None:
    batch = batch_of(ROWS, rule=TimeRule("record"))
    with mock.patch("streamqid.broker.packed.inflate", wraps=inflate) as watched:
        for offset in range(10):
            assert batch.decode(np.array([offset])).values == [[offset], [1_000_000 + offset]]
        batch.event_time(batch.offsets())
    watched.assert_called_once()


def test_the_count_is_exact_after_a_seek_into_the_middle() -> None:
    batch = batch_of(ROWS, start=4)
    assert (batch.start, batch.end, batch.count) == (4, 10, 6)
    assert batch.decode(np.arange(10)).offsets.tolist() == [4, 5, 6, 7, 8, 9]


def test_offsets_before_the_first_record_belong_to_the_batch_and_do_not_exist() -> None:
    (records,) = unpacked(stored(ROWS, base=100))
    batch = KafkaBatch(ORIGIN, 90, next(stacked([records])), Format(), TimeRule())
    assert (batch.start, batch.end, batch.count) == (90, 110, 10)
    assert existing(batch).tolist() == list(range(100, 110))
    assert batch.decode(np.arange(90, 110)).offsets.tolist() == list(range(100, 110))


@pytest.mark.parametrize(
    ("rule", "times"),
    [
        (TimeRule("record"), [1.0, 1.001, 1.002]),
        (TimeRule("column", "when"), [1000.0, 1000.001, 1000.002]),
        (TimeRule("column", "when", "seconds"), [1_000_000, 1_000_001, 1_000_002]),
        (TimeRule("column", "id", "seconds"), [0, 1, 2]),
        (TimeRule("column", "absent"), [math.nan] * 3),
    ],
)
def test_event_times_follow_the_rule(rule: TimeRule, times: list[float]) -> None:
    batch = batch_of(ROWS[:3], rule=rule)
    np.testing.assert_allclose(batch.event_time(np.arange(3)), times)
    np.testing.assert_allclose(batch.event_time(np.array([1])), times[1:2])


@pytest.mark.parametrize("raw", [True, False])
def test_a_column_is_believed_so_far_after_the_timestamp_of_its_record(*, raw: bool) -> None:
    """Records are made at 1.000, 1.001 … s; whatever is asked for along with one, its time is the same."""
    stamps = [-3600, 0.5, 1.001, 61.002, 61.1, 4e9, 1.0]
    values = [json.dumps({"t": stamp}).encode() for stamp in stamps]
    (records,) = unpacked(stored(values, codec=0 if raw else 3), raw=raw)
    taken = next(stacked([records]))
    batch = KafkaBatch(ORIGIN, 0, taken, Format(), TimeRule("column", "t", "seconds", ahead=60.0))
    expected = [*stamps[:4], math.nan, math.nan, 1.0]
    np.testing.assert_allclose(batch.event_time(np.arange(7)), expected)
    for offset in range(7):
        np.testing.assert_allclose(batch.event_time(np.array([offset])), expected[offset : offset + 1])
    believing = KafkaBatch(ORIGIN, 0, taken, Format(), TimeRule("column", "t", "seconds"))
    np.testing.assert_allclose(believing.event_time(np.arange(7)), stamps)


def test_a_column_of_a_record_without_a_timestamp_is_not_believed() -> None:
    loose = Loose(np.arange(2), np.array([-1, 1000]), [b'{"t": 0.5}'] * 2, 20)
    batch = KafkaBatch(ORIGIN, 0, loose, Format(), TimeRule("column", "t", "seconds", ahead=60.0))
    np.testing.assert_array_equal(batch.event_time(np.arange(2)), [math.nan, 0.5])


def test_one_record_from_the_far_future_closes_no_pane() -> None:
    """The negative control believes the column: then every record after it is late."""
    values = [b'{"t": %d}' % n for n in range(60)]
    values[20] = b'{"t": "2099-01-01T00:00:00Z"}'
    late, outside = {}, {}
    for ahead in (60.0, None):
        state = State(Stream("s", Secret.from_seed(1), Capacity(50), panes=PaneRule(10.0, "seconds")))
        rule = TimeRule("column", "t", "seconds", ahead=ahead)
        applied = [
            state.apply(batch_of(values[at : at + 1], rule=rule, base=at, time=1000 * at)) for at in range(len(values))
        ]
        late[ahead], outside[ahead] = sum(one.late for one in applied), sum(one.outside for one in applied)
        assert state.records == len(values)
    assert (late[60.0], outside[60.0]) == (0, 1)
    assert late[None] == len(values) - 21


def test_a_record_without_a_readable_time_has_none() -> None:
    rule = TimeRule("column", "t", "seconds")
    values = [b'{"t": "1970-01-01T01:00:00+01:00"}', b'{"t": "1970-01-01T00:01"}', b'{"t": true}', b"{", None]
    values += [b'{"t": "soon"}', b'{"t": null}', b'{"t": 1' + b"0" * 400 + b"}", b'{"t": [1]}']
    found = batch_of(values, rule=rule).event_time(np.arange(9))
    np.testing.assert_array_equal(found, [0.0, 60.0] + [math.nan] * 7)


def test_a_time_column_is_named_exactly_if_it_is_used() -> None:
    for kind, column in (("column", ""), ("record", "when")):
        with pytest.raises(ConfigError):
            TimeRule(kind, column)  # type: ignore[arg-type]


def test_rows_and_rejects_come_back_once_each() -> None:
    rows = batch_of([ROWS[0], None, b"{", ROWS[3], b"[1]"]).decode(np.arange(5))
    assert rows.offsets.tolist() == [0, 3]
    assert [(reject.offset, reject.reason) for reject in rows.rejects] == [
        (1, Reason.TOMBSTONE),
        (2, Reason.NOT_JSON),
        (4, Reason.NOT_OBJECT),
    ]


@pytest.mark.parametrize("body", [b"", b"\xff" * 40, b"\x04\x22\x4d\x18" + b"\x00" * 40])
def test_a_broken_batch_gives_rejects_and_says_so(body: bytes) -> None:
    records = Packed(0, 0, 9, 10, 0, 0, 3, memoryview(body), len(body), 1 << 20)
    batch = KafkaBatch(ORIGIN, 0, next(stacked([records])), Format(), TimeRule("record"))
    assert batch.count == 10
    assert [reject.offset for reject in batch.decode(np.arange(2, 5)).rejects] == [2, 3, 4]
    assert np.isnan(batch.event_time(np.arange(10))).all()
    assert batch.broken


def test_a_broken_batch_with_gaps_has_no_records_that_are_known() -> None:
    records = Packed(0, 3, 9, 5, 0, 0, 3, memoryview(b"\xff" * 40), 40, 1 << 20)
    batch = KafkaBatch(ORIGIN, 3, next(stacked([records])), Format(), TimeRule())
    assert batch.count == 0
    assert not batch.decode(np.arange(10)).rejects
    assert batch.broken


def test_a_passed_stretch_holds_nothing() -> None:
    passed = Passed(ORIGIN, 5, 9)
    assert isinstance(passed, Listed)
    assert existing(passed).size == 0
    assert passed.decode(np.arange(5, 9)).offsets.size == passed.event_time(passed.offsets()).size == 0


def side_by_side(count: int, codec: int, nbytes: int) -> list[Packed | Loose]:
    made = bytearray(stored([b"x" * nbytes], codec=codec))
    parts = [base.to_bytes(8) + bytes(made[8:]) for base in range(count)]
    return unpacked(b"".join(parts), limit=1 << 26)


@pytest.mark.parametrize("codec", range(5))
def test_small_batches_of_many_megabytes_are_not_stacked_without_end(codec: int) -> None:
    taken, wrong = readable(side_by_side(7, codec, STACK_BYTES // 3))
    assert wrong is None
    stacks = [stack for stack in stacked(taken) if isinstance(stack, Stack)]
    assert [part.base for stack in stacks for part in stack.parts] == list(range(7))
    assert max(sum(len(part.data()) for part in stack.parts) for stack in stacks) <= STACK_BYTES
    assert len(stacks) < 7 or codec == GZIP
    assert len(list(stacked(side_by_side(2, codec, STACK_BYTES + 1)))) == 2


def test_batches_that_were_inflated_to_be_checked_are_not_all_held() -> None:
    taken = side_by_side(3, ZSTD, HELD_BYTES - 1000)
    with mock.patch("streamqid.broker.packed.ceiling", return_value=1 << 62):
        readable(taken)
    assert sum(one.held > 0 for one in taken if isinstance(one, Packed)) == 1


def test_a_batch_is_held_for_the_next_question_only_if_it_was_read_as_a_whole() -> None:
    taken, _ = readable(side_by_side(3, ZSTD, 1000))
    (stack,) = (one for one in stacked(taken) if isinstance(one, Stack))
    with (
        mock.patch("streamqid.broker.stack.compiled_pick", return_value=None),
        mock.patch("streamqid.broker.stack._FEW", 2),
    ):
        stack.values(np.array([1]))
        assert [part.held for part in stack.parts] == [0, 0, 0]
        stack.timestamps(of_batch=True)
        stack.values(np.array([1]))
        assert [part.held for part in stack.parts] == [0, 0, 0]
        stack.timestamps()
        stack.values(np.array([1]))
        assert all(part.held for part in stack.parts)


def test_batches_whose_times_stand_in_their_headers_are_not_all_held() -> None:
    taken, _ = readable(side_by_side(3, ZSTD, 1000))
    (stack,) = (one for one in stacked(taken) if isinstance(one, Stack))
    with mock.patch("streamqid.broker.stack.HELD_BYTES", 1):
        stack.timestamps(of_batch=True)
        list(stack.spans())
    assert [part.held for part in stack.parts] == [0, 0, 0]
