"""Groups and bad records are counted over every record, the same by every way to read them."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from kafka.record.util import calc_crc32c

from streamqid.broker.batches import KafkaBatch
from streamqid.broker.formats import Format
from streamqid.broker.stack import stacked
from streamqid.broker.times import TimeRule
from streamqid.engine.counting import Counting
from streamqid.engine.history_file import HistoryFile
from streamqid.engine.panes import PaneRule
from streamqid.engine.projection import Projection
from streamqid.engine.questions import Limit, PublishedSet, Quantity
from streamqid.engine.solver import InlineSolver, job_of
from streamqid.engine.state import State, restore
from streamqid.engine.stream import Stream
from streamqid.engine.watch import Watch
from streamqid.errors import StateError, UsageError
from streamqid.fields.wanted import Wanted
from streamqid.records import Origin, Reason
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.fingerprint import MissingRule
from streamqid.sampling.secret import Secret
from tests.unit.broker.made import stored, unpacked

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from streamqid.broker.packed import Loose, Packed
    from streamqid.engine.judge import Window

ORIGIN = Origin("made", 0, "id")
PLAIN = Stream("s", Secret.from_seed(1), Capacity(4), panes=PaneRule(40, "records"), panes_kept=4)
STREAM = replace(PLAIN, counting=Counting((("b", "a"), ("n.c",), ("a", "b")), groups=1000))


def row(number: int) -> bytes | None:
    """Return a record: every seventh cannot be read, for one reason or another."""
    if number % 7 == 3:
        return [b"{", b'{"a": "\xff"}', b"[]", None][number // 7 % 4]
    nested = {"n": {"c": number % 3}} if number % 2 else {}
    return json.dumps({"a": number % 5, "b": str(number % 4), "other": number, **nested}).encode()


VALUES = [row(number) for number in range(200)]
GOOD = [number for number in range(200) if number % 7 != 3]
BAD = Counter(
    [Reason.NOT_JSON, Reason.ENCODING, Reason.NOT_OBJECT, Reason.TOMBSTONE][n // 7 % 4] for n in range(3, 200, 7)
)


def batches(sizes: Sequence[int], *, raw: bool = True, codec: int = 3) -> list[Packed | Loose]:
    """Return the log as stored batches of these sizes, again and again."""
    found, start, turn = [], 0, 0
    while start < len(VALUES):
        end = min(start + sizes[turn % len(sizes)], len(VALUES))
        found += unpacked(stored(VALUES[start:end], base=start, codec=codec), position=start, raw=raw)
        start, turn = end, turn + 1
    return found


def read(stream: Stream, parts: Sequence[Sequence[Packed | Loose]]) -> State:
    """Return the state after these batches, each group of them taken as one."""
    return read_on(State(stream), parts)


def read_on(state: State, parts: Sequence[Sequence[Packed | Loose]]) -> State:
    for part in parts:
        for records in stacked(part):
            before = state.next_offsets().get(ORIGIN, 0)
            state.apply(KafkaBatch(ORIGIN, before, records, Format(), TimeRule()))
    return state


def held(state: State, columns: tuple[str, ...], first: int, last: int) -> list[int]:
    assert state.counters is not None
    sampler = state.counters.window(first, last)[columns]
    assert sampler.whole
    return sorted(sampler.held()[1].tolist())


def test_groups_are_counted_over_every_record_that_can_be_read() -> None:
    state = read(STREAM, [batches([50])])
    assert list(state.panes) == [1, 2, 3, 4]
    inside = [number for number in GOOD if number >= 40]
    assert held(state, ("a", "b"), 1, 4) == sorted(Counter((n % 5, n % 4) for n in inside).values())
    nested = Counter(n % 3 if n % 2 else None for n in inside)
    assert held(state, ("n.c",), 1, 4) == sorted(nested.values())
    assert held(state, ("a", "b"), 2, 2) == sorted(Counter((n % 5, n % 4) for n in inside if 80 <= n < 120).values())
    assert state.counters is not None
    assert state.counters.bad == BAD


def test_a_missing_value_can_differ_from_every_other_one() -> None:
    state = read(replace(STREAM, missing=MissingRule.DISTINCT), [batches([50])])
    inside = [number for number in GOOD if number >= 40]
    nested = Counter(n % 3 if n % 2 else -n for n in inside)
    assert held(state, ("n.c",), 1, 4) == sorted(nested.values())


def test_stacks_of_any_height_any_codec_and_the_plain_client_give_the_same_bytes() -> None:
    expected = read(STREAM, [[one] for one in batches([50])]).to_bytes()
    small = batches([1, 2, 30])
    assert read(STREAM, [small]).to_bytes() == expected
    assert read(STREAM, [small[:3], small[3:4], small[4:]]).to_bytes() == expected
    assert read(STREAM, [batches([13], codec=codec) for codec in (0,)]).to_bytes() == expected
    assert read(STREAM, [batches([70], codec=4)]).to_bytes() == expected
    assert read(STREAM, [batches([17], raw=False)]).to_bytes() == expected


@pytest.mark.parametrize("kept", [0, 3, 60, 199])
def test_a_restart_in_the_middle_of_a_batch_changes_nothing(kept: int) -> None:
    expected = read(STREAM, [batches([50])])
    state = State(STREAM)
    (part,) = unpacked(stored(VALUES[: kept + 1]), position=0)
    state.apply(KafkaBatch(ORIGIN, 0, next(stacked([part])), Format(), TimeRule()))
    again = restore(state.to_bytes(), STREAM)
    for start in (0, max(0, kept - 5)):
        (part,) = unpacked(stored(VALUES[start:], base=start), position=start)
        again.apply(KafkaBatch(ORIGIN, start, next(stacked([part])), Format(), TimeRule()))
    assert again.to_bytes() == expected.to_bytes()
    assert again.counters is not None
    assert again.counters.bad == BAD


def test_all_bad_records_are_told_and_all_are_looked_at() -> None:
    state = State(STREAM)
    (part,) = unpacked(stored(VALUES), position=0)
    applied = state.apply(KafkaBatch(ORIGIN, 0, next(stacked([part])), Format(), TimeRule()))
    assert applied.looked_at == 200
    assert [reject.offset for reject in applied.rejects] == list(range(3, 200, 7))
    assert Counter(reject.reason for reject in applied.rejects) == BAD


def test_a_batch_in_a_stack_that_cannot_be_taken_apart_costs_its_own_records_only() -> None:
    parts = batches([50], codec=0)
    parts[1].body = memoryview(b"\xff" * 40)  # type: ignore[union-attr]
    batch = KafkaBatch(ORIGIN, 0, next(stacked(parts)), Format(), TimeRule())
    applied = State(STREAM).apply(batch)
    assert batch.broken
    lost = [reject.offset for reject in applied.rejects if 50 <= reject.offset < 100]
    assert lost == list(range(50, 100))
    assert len(applied.rejects) == 50 + sum(not 50 <= n < 100 for n in range(3, 200, 7))
    rows = batch.decode(np.array([7, 60, 130]))
    assert rows.offsets.tolist() == [7, 130]
    assert [reject.offset for reject in rows.rejects] == [60]
    assert np.isnan(replace_time(batch).event_time(np.array([60]))).all()


def replace_time(batch: KafkaBatch) -> KafkaBatch:
    return KafkaBatch(batch.origin, batch.start, batch.records, batch.format, TimeRule("record"))


def test_the_time_of_ingest_is_that_of_each_stored_batch() -> None:
    parts = [*unpacked(stored(VALUES[:5], time=1000)), *unpacked(stored(VALUES[5:9], base=5, time=9000), position=5)]
    batch = KafkaBatch(ORIGIN, 0, next(stacked(parts)), Format(), TimeRule())
    assert batch.event_time(np.arange(9)).tolist() == [1.004] * 5 + [9.003] * 4
    assert replace_time(batch).event_time(np.arange(3, 7)).tolist() == [1.003, 1.004, 9.0, 9.001]
    assert math.isnan(batch.event_time(np.array([50]))[0])


def test_offsets_between_and_inside_batches_may_hold_no_record() -> None:
    """Marks of transactions lie between batches, and removed records inside them."""
    gap = bytearray(stored(VALUES[10:12], base=10))
    gap[23:27] = (5).to_bytes(4)
    gap[17:21] = calc_crc32c(gap[21:]).to_bytes(4)
    parts = [
        *unpacked(stored(VALUES[:5])),
        *unpacked(bytes(gap), position=5),
        *unpacked(stored(VALUES[20:23], base=20), position=16),
    ]
    batch = KafkaBatch(ORIGIN, 0, next(stacked(parts)), Format(), TimeRule())
    assert (batch.count, batch.end) == (10, 23)
    there = [0, 1, 2, 3, 4, 10, 11, 20, 21, 22]
    assert batch.offsets().tolist() == there
    rows = batch.decode(np.arange(23))
    assert sorted([*rows.offsets.tolist(), *(reject.offset for reject in rows.rejects)]) == there
    assert batch.decode(np.array([3, 4, 7, 11, 15, 22])).offsets.tolist() == [4, 11, 22]
    offsets, _, reasons = batch.fields(Wanted(("a",), PLAIN.secret))
    assert offsets.tolist() == there
    assert np.flatnonzero(reasons).tolist() == [there.index(reject.offset) for reject in rows.rejects]
    assert not batch.broken


def test_a_window_of_a_solve_has_the_counts_of_its_panes(tmp_path: Path) -> None:
    published = (PublishedSet("p", ("b", "a"), (Limit(Quantity.UNIQUE_ROWS, 0.9),), 0.01),)

    def due(stream: Stream) -> list[Window]:
        watch, state = Watch(stream, HistoryFile(tmp_path)), read(stream, [batches([50])])
        watch.begin(state)
        return [one.window for one in job_of(stream, state, watch).due]

    counted = due(replace(STREAM, published=published))
    assert [window.span.first_pane for window in counted] == [1, 2, 3]
    for window in counted:
        first = int(window.span.start)
        groups = window.groups["a", "b"]
        assert groups.n == sum(first <= number < first + 40 for number in GOOD)
        assert groups.whole
    assert not due(replace(PLAIN, published=published))[0].groups


def test_columns_that_are_left_out_are_reported() -> None:
    few = replace(PLAIN, max_columns=2)
    answer = InlineSolver().solve(job_of(few, read(few, [batches([50])])))
    assert answer.columns_left_out
    assert not InlineSolver().solve(job_of(PLAIN, read(PLAIN, [batches([50])]))).columns_left_out


@pytest.mark.parametrize(
    ("before", "kept"),
    [
        (PLAIN, ()),
        (replace(STREAM, counting=Counting((("n.c",), ("b",)), groups=1000)), (("n.c",),)),
        (replace(STREAM, counting=Counting(STREAM.counted, groups=999)), ()),
        (STREAM, STREAM.counted),
    ],
)
def test_a_set_that_is_new_is_counted_in_the_panes_that_begin_then(
    before: Stream, kept: tuple[tuple[str, ...], ...]
) -> None:
    """Windows with older panes have no counts of it, rather than counts that lack records."""
    everything = list(batches([50]))
    half = len(everything) // 2
    old = read(before, [everything[:half]])
    new = restore(old.to_bytes(), STREAM)
    seen = max(new.panes)
    read_on(new, [everything[half:]])
    again = restore(new.to_bytes(), STREAM)
    straight = read(STREAM, [everything])
    assert straight.counters is not None
    for state in (new, again):
        assert state.counters is not None
        for number in state.panes:
            whole = straight.counters.window(number, number)
            expected = whole if number > seen else {columns: whole[columns] for columns in kept}
            found = state.counters.window(number, number)
            assert {columns: one.to_bytes() for columns, one in found.items()} == {
                columns: one.to_bytes() for columns, one in expected.items()
            }
        assert set(state.counters.window(seen, seen + 1)) == set(kept)
    assert new.to_bytes() == again.to_bytes()


def test_state_of_other_columns_is_refused() -> None:
    with pytest.raises(StateError, match="restore that configuration"):
        restore(State(STREAM).to_bytes(), replace(STREAM, max_columns=7))


def test_sets_are_the_same_in_any_order() -> None:
    assert STREAM.counted == (("a", "b"), ("n.c",))
    assert PLAIN.counted == ()
    assert STREAM.sampling_digest == PLAIN.sampling_digest
    assert STREAM.digest != PLAIN.digest


def test_a_column_that_is_left_out_cannot_be_counted() -> None:
    with pytest.raises(UsageError, match="keep it, or do not count it"):
        replace(STREAM, projection=Projection(ignore=["b"]))
    with pytest.raises(UsageError, match="At least one group"):
        Counting((), groups=0)
