"""Stored batches of a partition that follow each other, taken as one: what costs by the batch is paid once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from streamqid.broker.finding import compiled_pick, cut_out, find
from streamqid.broker.inflate import BrokenError, InflatedError
from streamqid.broker.packed import Packed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from streamqid.broker.packed import Loose
    from streamqid.broker.walk import Value
    from streamqid.fields.reading import Spans

CHUNK_BYTES = 3 << 18
"""How much is decompressed at a time, at least: a batch is never cut, and a large one is not copied to another."""
HELD_BYTES = 1 << 23
"""How much is held decompressed at most, of batches that are asked more than once."""
STACK_BYTES = 1 << 24
"""How much a stack holds at most when all of it is decompressed, unless its only batch is larger."""
_FEW = 1 / 16
"""Share of the records up to which they are few."""
_NONE = np.empty(0, np.int64)


@dataclass(slots=True, eq=False)
class Stack:
    """Some batches, ascending.  Those that cannot be taken apart are left out, and make it ``broken``.

    ``lost`` has the offsets, as far as they are known, of records that were asked for last and are in such a batch.
    """

    parts: Sequence[Packed]
    lost: list[int] = field(default_factory=list, init=False)
    broken: bool = field(default=False, init=False)
    _count: int | None = field(default=None, init=False)
    _held: int = field(default=0, init=False)
    _kept: set[int] = field(default_factory=set, init=False)

    @property
    def end(self) -> int:
        """One past the last offset, whether or not there is a record at it."""
        return self.parts[-1].end

    @property
    def count(self) -> int:
        """Number of records; those of a batch that cannot be counted count as none."""
        if self._count is None:
            self._count = sum(map(self._counted, self.parts))
        return self._count

    @property
    def nbytes(self) -> int:
        """Bytes of the batches as they are stored."""
        return sum(part.nbytes for part in self.parts)

    def offsets(self) -> NDArray[np.int64]:
        """Return the offsets of all records."""
        return np.concatenate([self._offsets(part) for part in self.parts])

    def timestamps(self, *, of_batch: bool = False) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return these offsets and when each record was made, or the largest time in its batch; in milliseconds."""
        offsets, times = [_NONE], [_NONE]
        for part in self.parts:
            if of_batch:
                present = self._offsets(part)
                made = np.full(len(present), part.max_timestamp)
            else:
                try:
                    present, made = part.timestamps()
                except (BrokenError, InflatedError):
                    self.broken = True
                    continue
            self._remember(part)
            offsets.append(present)
            times.append(made)
        return np.concatenate(offsets), np.concatenate(times)

    def values(self, wanted: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[Value]]:
        """Return those of these ascending offsets at which there is a record that can be had, and its value."""
        few = len(wanted) < _FEW * (self.end - self.parts[0].base)
        if few and compiled_pick() is None and all(part.dense for part in self.parts):
            return self._picked(wanted)
        found = list(self._found(wanted))
        present = [offsets for offsets, _ in found]
        return np.concatenate([_NONE, *present]), [value for _, spans in found for value in spans.values()]

    def spans(self) -> Iterator[tuple[NDArray[np.int64], Spans]]:
        """Yield the offsets and values of all records that can be had, some batches at a time."""
        return self._found(None)

    def forget(self) -> None:
        """Let go of everything that was decompressed."""
        for part in self.parts:
            part.forget()
        self._held = 0
        self._kept.clear()

    def _remember(self, part: Packed) -> None:
        """Keep a decompressed batch for the next question, unless there are too many of them."""
        if part.base in self._kept or not part.held:
            return
        if self._held + part.held > HELD_BYTES:
            part.forget()
            return
        self._held += part.held
        self._kept.add(part.base)

    def _found(self, wanted: NDArray[np.int64] | None) -> Iterator[tuple[NDArray[np.int64], Spans]]:
        self.lost = []
        group: list[_Opened] = []
        size = 0
        for part, asked in self._asked(wanted):
            try:
                group.append(_Opened(part, asked, part.data()))
            except (BrokenError, InflatedError):
                self._lose(part, asked)
                continue
            self._remember(part)
            size += len(group[-1].data)
            if size >= CHUNK_BYTES:
                yield from self._read(group)
                group, size = [], 0
        yield from self._read(group)

    def _picked(self, wanted: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[Value]]:
        """Return what :meth:`values` returns, batch by batch: for a few records none is copied to the others.

        A batch that was decompressed for them alone is let go of, and the next one finds its memory in the cache.
        """
        self.lost = []
        present = [_NONE]
        values: list[Value] = []
        for part, asked in self._asked(wanted):
            try:
                deltas, found = cut_out(part.data(), (wanted if asked is None else asked) - part.base)
            except (BrokenError, InflatedError):
                self._lose(part, asked)
                continue
            if part.base not in self._kept:
                part.forget()
            present.append(deltas + part.base)
            values += found
        return np.concatenate(present), values

    def _asked(self, wanted: NDArray[np.int64] | None) -> Iterator[tuple[Packed, NDArray[np.int64] | None]]:
        """Yield the batches that are asked for anything, with the offsets that are; None for all."""
        if wanted is None:
            yield from ((part, None) for part in self.parts)
            return
        # What is wanted may lie between batches, where there was a mark or an aborted transaction.
        low = np.searchsorted(wanted, [part.first for part in self.parts]).tolist()
        high = np.searchsorted(wanted, [part.end for part in self.parts]).tolist()
        for place, part in enumerate(self.parts):
            if high[place] > low[place]:
                yield part, wanted[low[place] : high[place]]

    def _read(self, group: list[_Opened]) -> Iterator[tuple[NDArray[np.int64], Spans]]:
        """Find the records of some batches; where one is broken, of each alone."""
        if not group:
            return
        places = [one.places() for one in group]
        try:
            deltas, spans = find([one.data for one in group], places)
        except BrokenError:
            if len(group) == 1:
                self._lose(group[0].part, group[0].asked)
            for one in group if len(group) > 1 else ():
                yield from self._read([one])
            return
        offsets = deltas + np.repeat([one.part.base for one in group], [len(one) for one in places])
        if not all(one.part.dense for one in group):
            asked = [one.part.first if one.asked is None else one.asked for one in group]
            cut = np.split(offsets, np.cumsum([len(one) for one in places])[:-1])
            kept = np.concatenate([_kept(some, one) for some, one in zip(cut, asked, strict=True)])
            offsets, spans = offsets[kept], spans.take(kept)
        yield offsets, spans

    def _counted(self, part: Packed) -> int:
        try:
            return part.count
        except (BrokenError, InflatedError):
            self.broken = True
            return 0

    def _offsets(self, part: Packed) -> NDArray[np.int64]:
        try:
            return part.offsets()
        except (BrokenError, InflatedError):
            self.broken = True
            return _NONE

    def _lose(self, part: Packed, asked: NDArray[np.int64] | None) -> None:
        self.broken = True
        offsets = self._offsets(part)
        self.lost += (offsets if asked is None else np.intersect1d(offsets, asked, assume_unique=True)).tolist()


@dataclass(frozen=True, slots=True, eq=False)
class _Opened:
    """A decompressed batch, and the offsets that are asked of it."""

    part: Packed
    asked: NDArray[np.int64] | None
    data: bytes

    def places(self) -> NDArray[np.int64]:
        """Return which records to look for; all of them where gaps leave open which is at an offset."""
        if not self.part.dense:
            return np.arange(self.part.stored)
        first = self.part.first - self.part.base
        return np.arange(first, self.part.stored) if self.asked is None else self.asked - self.part.base


def _kept(offsets: NDArray[np.int64], asked: NDArray[np.int64] | int) -> NDArray[np.bool_]:
    return offsets >= asked if isinstance(asked, int) else np.isin(offsets, asked, assume_unique=True)


def readable(stored: Sequence[Packed | Loose]) -> tuple[Sequence[Packed | Loose], Exception | None]:
    """Return the batches before the first one that must not be read, and why that is so."""
    held = 0
    for place, one in enumerate(stored):
        try:
            one.check()
        except (BrokenError, InflatedError) as error:
            return stored[:place], error
        if isinstance(one, Packed) and held + one.held > HELD_BYTES:
            one.forget()
        elif isinstance(one, Packed):
            held += one.held
    return stored, None


def stacked(stored: Sequence[Packed | Loose]) -> Iterator[Stack | Loose]:
    """Yield batches as stacks of a bounded size; records that the client has taken apart stay as they are.

    Batches of a kilobyte can hold many megabytes each, and whoever asks for all records of a stack has them all at
    once.
    """
    run: list[Packed] = []
    size = 0
    for one in stored:
        if isinstance(one, Packed):
            most = one.most_bytes
            if run and size + most > STACK_BYTES:
                yield Stack(run)
                run, size = [], 0
            run.append(one)
            size += most
            continue
        if run:
            yield Stack(run)
            run, size = [], 0
        yield one
    if run:
        yield Stack(run)
