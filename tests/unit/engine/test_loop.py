from __future__ import annotations

import logging
import pickle
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from streamqid.clock import ManualClock
from streamqid.engine.documents import Recommendation, VerdictState
from streamqid.engine.loop import Loop
from streamqid.engine.memory import MemoryStore
from streamqid.engine.panes import PaneRule
from streamqid.engine.questions import AskKey, AskMask, Limit, PublishedSet, Quantity
from streamqid.engine.schedule import AGAIN_SECONDS, Pace
from streamqid.engine.solver import InlineSolver, job_of
from streamqid.engine.state import State, restore
from streamqid.engine.stream import Stream
from streamqid.engine.watch import Watch
from streamqid.errors import StateError, UsageError
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.secret import Secret
from streamqid.synthetic import Drift, DriftKind, GeneratedBatch, GeneratorSource, Population

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pydantic import BaseModel

    from streamqid.records import Origin

ROWS = 12_000
PEOPLE = Population(5, identifier=False, drifts=(Drift(DriftKind.FINER, "region", 6_000),))
STREAM = Stream(
    "people",
    Secret.from_seed(5),
    Capacity(1_000),
    panes=PaneRule(2.0, "seconds"),
    panes_kept=4,
    mask=AskMask(beta=0.9, must_hide=("region", "never_seen"), weights={"age": 2.0}),
    published=(
        PublishedSet("demographics", ("age", "sex", "region"), (Limit(Quantity.SEPARATION, 0.9925),), delta=0.2),
    ),
    pace=Pace(solve_records=None, solve_seconds=None, checkpoint_records=5_000),
)


@dataclass
class Kept:
    """A publisher that keeps the documents, and may act on each."""

    act: Callable[[Recommendation], None] = lambda _: None
    documents: list[Recommendation] = field(default_factory=list)

    def publish(self, document: BaseModel) -> None:
        if isinstance(document, Recommendation):
            self.documents.append(document)
            self.act(document)


def people(rows: int = ROWS, batch_rows: int = 500) -> GeneratorSource:
    return GeneratorSource(PEOPLE, rows, batch_rows)


def new_loop(store: MemoryStore, kept: Kept, stream: Stream = STREAM, source: GeneratorSource | None = None) -> Loop:
    return Loop(stream, source or people(), store, kept, ManualClock())


def ran(store: MemoryStore, stream: Stream = STREAM) -> list[Recommendation]:
    kept = Kept()
    new_loop(store, kept, stream).run()
    return kept.documents


def test_what_is_published_and_when() -> None:
    documents = ran(MemoryStore())
    # At once; when each of the six panes but the last closes; at the end.
    assert [d.records for d in documents] == [500, 2500, 4500, 6500, 8500, 10500, 12000]
    assert [[p.next_offset for p in d.positions] for d in documents] == [[d.records] for d in documents]
    states = [d.verdicts[0].state.value for d in documents]
    assert states == ["unknown", "safe", "safe", "safe", "unsafe", "unsafe", "unsafe"]
    assert len({d.id for d in documents}) == len(documents)
    assert [d.previous for d in documents] == [None, *(before.id for before, _ in pairwise(documents))]
    for document in documents:
        assert document.key is not None
        assert document.mask is not None
        assert {"region"} <= set(document.mask.hide)
        assert (document.stream, document.skipped_offsets) == ("people", 0)


def test_what_changed_is_told() -> None:
    documents = ran(MemoryStore())
    assert documents[0].changes == []
    told = [(c.before, c.after) for d in documents for c in d.changes if c.about == "published set demographics"]
    assert told == [("unknown", "safe"), ("safe", "unsafe")]
    for before, now in pairwise(documents):
        assert before.key is not None
        assert now.key is not None
        assert any(c.about == "key" for c in now.changes) == (set(before.key.columns) != set(now.key.columns))


def test_a_verdict_tells_its_window_and_since_when() -> None:
    last = ran(MemoryStore())[-1].verdicts[0]
    assert last.window is not None
    assert (last.window.start, last.window.end) == (PEOPLE.start + 8, PEOPLE.start + 10)
    assert last.since == PEOPLE.start + 6
    assert last.sentence.startswith("Unsafe: two random rows differ on {age, sex, region} in at least ")


@pytest.mark.parametrize(
    ("records", "seconds", "solved_at"),
    [(3_000, 4.0, [500, 2500, 4500, 6500, 7000]), (3_000, None, [500, 3500, 6500, 7000])],
)
def test_solves_follow_records_and_time(records: int, seconds: float | None, solved_at: list[int]) -> None:
    kept, clock = Kept(), ManualClock()

    class SlowSource(GeneratorSource):
        def batches(self) -> Iterator[GeneratedBatch]:
            for batch in super().batches():
                clock.advance(1.0)
                yield batch

    pace = Pace(solve_records=records, solve_seconds=seconds, on_close=False)
    source = SlowSource(PEOPLE, 7_000, 500)
    Loop(replace(STREAM, pace=pace), source, MemoryStore(), kept, clock).run()
    assert [d.records for d in kept.documents] == solved_at


def test_equal_positions_give_equal_documents_after_a_restart() -> None:
    store = MemoryStore()
    kept = Kept()
    new_loop(store, kept).run(until=4_500)
    again = ran(store)
    assert [d.records for d in again] == [4500, 6500, 8500, 10500, 12000]
    assert again[0] == kept.documents[-1].model_copy(update={"previous": None, "changes": []})
    assert again[1:] == ran(MemoryStore())[3:]


def test_ids_depend_on_the_questions() -> None:
    others = [
        replace(STREAM, key=AskKey(epsilon=0.01)),
        replace(STREAM, mask=None),
        replace(STREAM, published=()),
        replace(STREAM, window_panes=2),
    ]
    ids = {ran(MemoryStore(), stream)[-1].id for stream in (STREAM, *others)}
    assert len(ids) == 1 + len(others)
    assert replace(STREAM, pace=Pace()).digest == STREAM.digest


@pytest.mark.parametrize("fatal", [2_600, 5_100, 11_900])
def test_a_crash_anywhere_costs_no_record(fatal: int) -> None:
    class Died(Exception):  # noqa: N818
        pass

    class DyingSource(GeneratorSource):
        def batches(self) -> Iterator[GeneratedBatch]:
            for batch in super().batches():
                if batch.end > fatal:
                    raise Died
                yield batch

    store, straight = MemoryStore(), MemoryStore()
    with pytest.raises(Died):
        new_loop(store, Kept(), source=DyingSource(PEOPLE, ROWS, 700)).run()
    saved = store.load()
    assert (0 if saved is None else restore(saved, STREAM).records) == (0, 5_600, 11_200)[min(fatal // 5_600, 2)]
    ran(store)
    ran(straight)
    assert store.load() == straight.load()


def test_a_publisher_that_fails_ends_the_loop_without_a_checkpoint() -> None:
    def fail(document: Recommendation) -> None:
        if document.records > 6_000:
            raise ConnectionError

    store = MemoryStore()
    with pytest.raises(ConnectionError):
        new_loop(store, Kept(fail)).run()
    assert restore(store.load() or b"", STREAM).records == 5_000


def test_a_stop_finishes_the_batch_saves_and_returns() -> None:
    store, straight = MemoryStore(), MemoryStore()
    kept = Kept()
    loop = new_loop(store, kept)
    kept.act = lambda document: loop.stop() if document.records == 4_500 else None
    tally = loop.run()
    assert (tally.batches, tally.published, tally.checkpoints) == (9, 3, 1)
    assert restore(store.load() or b"", STREAM).records == 4_500
    ran(store)
    ran(straight)
    assert store.load() == straight.load()


def test_records_that_come_again_are_dropped() -> None:
    store = MemoryStore()
    ran(store)
    before = store.load()
    tally = new_loop(store, Kept()).run()
    assert (tally.restored, tally.duplicates, tally.published) == (True, ROWS, 1)
    assert store.load() == before


def test_a_source_that_can_seek_is_told_where() -> None:
    class SeekingSource(GeneratorSource):
        def seek(self, positions: Mapping[Origin, int]) -> None:
            (self._first,) = positions.values()

    store = MemoryStore()
    new_loop(store, Kept(), source=SeekingSource(PEOPLE, ROWS, 500)).run(until=3_000)
    tally = new_loop(store, Kept(), source=SeekingSource(PEOPLE, ROWS, 500)).run()
    assert (tally.duplicates, tally.batches) == (0, 18)


class RefusingStore(MemoryStore):
    """A disk that is full until it is told otherwise."""

    full = True

    def save(self, data: bytes) -> None:
        if self.full:
            msg = "The state could not be saved (No space left on device)."
            raise StateError(msg)
        super().save(data)


def test_a_full_disk_is_told_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    store, kept, clock = RefusingStore(), Kept(), ManualClock()
    loop = Loop(STREAM, people(), store, kept, clock)

    def act(document: Recommendation) -> None:
        clock.advance(AGAIN_SECONDS)
        store.full = document.records < 8_000

    kept.act = act
    with caplog.at_level(logging.WARNING):
        tally = loop.run()
    # At 5,000 records and with the document of 6,500; then with that of 8,500 and in the end.
    assert (tally.failed_checkpoints, tally.checkpoints) == (2, 2)
    assert caplog.text.count("checkpoint at") == caplog.text.count("checkpoint at 5000 records failed") == 1
    assert restore(store.load() or b"", STREAM).records == ROWS


def test_the_last_checkpoint_must_succeed() -> None:
    with pytest.raises(StateError, match="No space"):
        new_loop(RefusingStore(), Kept()).run()


def test_an_empty_source_says_nothing_and_saves() -> None:
    store, kept = MemoryStore(), Kept()
    people_without_drift = GeneratorSource(Population(5), 0)
    assert new_loop(store, kept, source=people_without_drift).run().published == 0
    assert restore(store.load() or b"", STREAM).records == 0


def test_a_single_row_has_nothing_to_be_told_apart_from() -> None:
    kept = Kept()
    new_loop(MemoryStore(), kept, source=GeneratorSource(Population(5), 1)).run()
    (document,) = kept.documents
    assert (document.key, document.mask) == (None, None)
    assert document.verdicts[0].state == VerdictState.UNKNOWN


def filled(stream: Stream) -> State:
    state = State(stream)
    for batch in people().batches():
        state.apply(batch)
    return state


def test_a_job_can_be_solved_elsewhere_with_the_same_bytes() -> None:
    job = job_of(STREAM, filled(STREAM))
    here = InlineSolver().solve(job)
    there = InlineSolver().solve(pickle.loads(pickle.dumps(job)))  # noqa: S301
    assert there.model_dump_json() == here.model_dump_json()
    assert Recommendation.model_validate_json(here.model_dump_json()) == here


def test_windows_of_several_panes_are_complete_and_closed() -> None:
    stream = replace(STREAM, window_panes=2)
    state = filled(stream)
    first = round(PEOPLE.start / 2)
    windows = [due.window for due in Watch(replace(stream, published=()), MemoryStore()).due(state)]
    assert list(state.panes) == [first + 2, first + 3, first + 4, first + 5]
    assert [(w.span.first_pane, w.span.last_pane) for w in windows] == [
        (first + 2, first + 3),
        (first + 3, first + 4),
    ]
    assert [w.records for w in windows] == [4_000, 4_000]


def test_a_stream_that_cannot_be_is_refused() -> None:
    with pytest.raises(UsageError, match="do not hold a closed window"):
        replace(STREAM, panes_kept=2, window_panes=2)
    with pytest.raises(UsageError, match="same name"):
        replace(STREAM, published=STREAM.published * 2)
