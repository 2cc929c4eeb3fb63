"""All that the loop remembers, in one blob: samples, panes, and the positions that they cover.

The blob is a function of the configuration and of the records before the positions.  How these were cut into
batches, how often they were delivered and where the process crashed leave no trace in it; what does depend on
deliveries (duplicates, late records, unreadable ones that were looked at) is therefore counted in the
:class:`Tally` of a run and not here.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from streamqid.engine.documents import Position
from streamqid.engine.events import Applied
from streamqid.engine.intake import Intake
from streamqid.engine.panes import NO_PANE, split
from streamqid.engine.parts import Part, after
from streamqid.engine.progress import Progress, whole_from
from streamqid.errors import StateError
from streamqid.records import Origin
from streamqid.sampling.sampler import Sampler
from streamqid.sampling.snapshot import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamqid.engine.intake import Taken
    from streamqid.engine.stream import Stream
    from streamqid.problems.answer import Unreadable
    from streamqid.records import Batch

KIND = "engine"


def digest_of(snapshot: bytes) -> str:
    """Name the content of a snapshot."""
    return hashlib.blake2b(snapshot, digest_size=8).hexdigest()


class State:
    """Landmark sample, panes and positions of a stream.  Owned by one thread."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._intake = Intake(stream.new_encoder(), stream.projection)
        self.landmark = stream.new_sampler()
        self.panes = stream.new_panes()
        self.counters = stream.new_counters(self._intake)
        """Counts over every record; None where only candidates are read."""
        self.progress: dict[Origin, Progress] = {}
        self.caught_up: frozenset[Origin] = frozenset()
        """Origins last seen without a record to read, or gone for good; known to a live source only, and not saved."""
        self.unread: frozenset[Origin] = frozenset()
        """Origins that are to be read, known to an announcing source only, and not saved."""

    @property
    def records(self) -> int:
        """How many records were counted, each once."""
        return self.landmark.n

    @property
    def skipped(self) -> int:
        """Offsets before the positions at which there was no record."""
        return sum(progress.skipped for progress in self.progress.values())

    def next_offsets(self) -> Mapping[Origin, int]:
        """Return the first offset of each origin that was not counted yet."""
        return {origin: progress.next for origin, progress in self.progress.items()}

    def positions(self) -> list[Position]:
        """Return the same in canonical order, for documents."""
        return [
            Position(origin=origin.name, partition=origin.partition, id=origin.id, next_offset=progress.next)
            for origin, progress in self._sorted_progress()
        ]

    def closed_before(self) -> int | None:
        """Return the oldest pane that is still open.

        A pane is open while an origin that has more to read may add to it: the newest pane that the origin furthest
        behind was in, and ``late_panes`` more.  An origin that is read to its end holds none open, since it may be
        silent for ever; when all are, the newest pane of all is open.  While nothing has come yet of an origin that is
        to be read, every pane is: None.
        """
        if any(origin not in self.progress or self.progress[origin].untouched for origin in self.unread):
            return None
        newest = {origin: p.newest_pane for origin, p in self.progress.items() if p.newest_pane is not None}
        behind = [pane for origin, pane in newest.items() if origin not in self.caught_up]
        pane = min(behind) if behind else max(newest.values(), default=None)
        return None if pane is None else pane - self._stream.late_panes

    def whole_from(self) -> int | None:
        """Return the oldest pane that lacks nothing; None if no record was gone before it was read."""
        return whole_from(self.progress.values(), self._stream.panes)

    def unreadable(self) -> Unreadable:
        """Return what could not be read among the records that this process looked at."""
        return self._intake.unreadable()

    def types(self) -> Mapping[str, set[str]]:
        """Return the types of values that this process met in each column."""
        return self._intake.types

    def apply(self, batch: Batch) -> Applied:
        """Count and sample the records of a batch that were not counted before.

        Every sampler says which offsets it may want, and each of these is read once.  An origin that is new begins
        at the start of its first batch.
        """
        progress = self.progress.setdefault(batch.origin, Progress(batch.start, batch.start))
        fresh = after(batch, progress.next)
        if fresh is None:
            return Applied(duplicates=batch.count)
        parts = list(split(fresh, self._stream.panes))
        panes = [(part, None if number == NO_PANE else self.panes.pane(number)) for number, part in parts]
        held = [(number, part) for (number, _), (part, pane) in zip(parts, panes, strict=True) if pane is not None]
        # Whoever reads all records goes first: what was decompressed for that is at hand when a few are picked.
        counted = None if self.counters is None else tuple(self.counters.count(fresh, held))
        taken = self._take(fresh, panes)
        looked_at = 0 if taken is None else len(taken.offsets) + len(taken.rejects)
        rejects = () if taken is None else tuple(taken.rejects)
        if self.counters is not None and counted is not None:
            looked_at, rejects = fresh.count, counted
            self.counters.drop(self.panes)
        before = self.closed_before()
        met = sorted(parts, key=lambda part: part[1].start)
        progress.see(fresh, [number for number, _ in met if number != NO_PANE])
        now = self.closed_before()
        return Applied(
            fresh=fresh.count,
            duplicates=batch.count - fresh.count,
            outside=sum(part.count for part, pane in panes if pane is None),
            late=sum(part.count for number, part in held if before is not None and number < before),
            closed=self._closes(before, now),
            looked_at=looked_at,
            rejects=rejects,
        )

    def _closes(self, before: int | None, now: int | None) -> bool:
        """Tell whether a pane was open before and is not now; None says that all are open."""
        if now is None or before is None:
            return now is not None and any(number < now for number in self.panes)
        return now > before

    def _take(self, fresh: Batch, panes: list[tuple[Batch, Sampler | None]]) -> Taken | None:
        """Sample from a batch, which consists of these parts; return what was looked at."""
        samplers = [(fresh, self.landmark), *((part, pane) for part, pane in panes if pane is not None)]
        wanted = [pane.candidates(part.origin, part.start, part.end, part.count) for part, pane in samplers]
        if not any(offsets.size for offsets in wanted):
            for part, sampler in samplers:
                sampler.update_count(part.count)
            return None
        taken = self._intake.read(fresh, np.unique(np.concatenate(wanted)))
        for part, sampler in samplers:
            here = taken if part is fresh or not isinstance(part, Part) else taken.among(part.present)
            here.update(sampler, part.count)
        return taken

    def to_bytes(self) -> bytes:
        """Return the snapshot; the same records give the same bytes."""
        samplers = [self.landmark, *(self.panes.held(number) for number in self.panes)]
        header: dict[str, Any] = {
            "kind": KIND,
            "stream": self._stream.name,
            "sampling": self._stream.sampling_digest,
            "panes": list(self.panes),
            "origins": [
                [origin.name, origin.partition, origin.id, *p.numbers()] for origin, p in self._sorted_progress()
            ],
        }
        arrays = [np.frombuffer(sampler.to_bytes(), np.uint8) for sampler in samplers]
        if self.counters is not None:
            header["counted"] = self._stream.counted
            header["bad"] = {str(reason): count for reason, count in sorted(self.counters.bad.items())}
            arrays += self.counters.arrays(self.panes)
        return pack(header, arrays)

    def digest(self) -> str:
        """Name the content: two states with the same digest hold the same samples and positions."""
        return digest_of(self.to_bytes())

    def _sorted_progress(self) -> list[tuple[Origin, Progress]]:
        return sorted(self.progress.items(), key=lambda item: (item[0].name, item[0].partition, item[0].id))


def restore(data: bytes, stream: Stream) -> State:
    """Return the state of a snapshot that was made under the same sampling configuration and secret."""
    header, arrays = unpack(data)
    if header.get("kind") != KIND:
        msg = f"The snapshot holds a {header.get('kind')} and not the state of a stream: check the state directory."
        raise StateError(msg)
    state = State(stream)
    samplers, groups = arrays[: 1 + len(header["panes"])], arrays[1 + len(header["panes"]) :]
    state.landmark, *panes = (Sampler.from_bytes(array.tobytes(), stream.secret) for array in samplers)
    if header["sampling"] != stream.sampling_digest:
        msg = (
            f"The state belongs to stream {header['stream']!r} with another name, capacity, missing rule, choice of "
            "columns, pane width or event time: restore that configuration, or start with an empty state directory."
        )
        raise StateError(msg)
    for number, sampler in zip(header["panes"], panes, strict=True):
        state.panes.put(number, sampler)
    if state.counters is not None:
        state.counters.restore(header["panes"], header.get("counted", ()), groups, header.get("bad", {}))
    for name, partition, log_id, *numbers in header["origins"]:
        state.progress[Origin(name, partition, log_id)] = Progress(*numbers)
    return state
