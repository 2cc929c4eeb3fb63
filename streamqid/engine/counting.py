"""What is counted over every record: the groups of column sets in each pane, and the records that cannot be read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from streamqid.engine.inputs import Fielded
from streamqid.engine.parts import existing, whole
from streamqid.errors import UsageError
from streamqid.fields.reading import NUMBERS, REASONS
from streamqid.fields.wanted import Wanted
from streamqid.records import Reject
from streamqid.sampling.fingerprint import MISSING, MissingRule
from streamqid.sampling.groups import GroupSampler, group_hashes
from streamqid.sampling.priority import mix64

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from streamqid.engine.intake import Intake
    from streamqid.records import Batch, Reason
    from streamqid.sampling.secret import Secret

GROUPS = 1 << 14


@dataclass(frozen=True, slots=True)
class Counting:
    """Column sets whose groups are counted over every record, and how many groups of each are held in a pane."""

    sets: tuple[tuple[str, ...], ...] = ()
    groups: int = GROUPS

    def __post_init__(self) -> None:
        if self.groups < 1:
            msg = f"At least one group must be held, not {self.groups}."
            raise UsageError(msg)
        canonical = dict.fromkeys(tuple(sorted(set(columns))) for columns in self.sets)
        object.__setattr__(self, "sets", tuple(sorted(canonical)))

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns of the sets."""
        return tuple(sorted({column for columns in self.sets for column in columns}))


@dataclass(frozen=True, slots=True, eq=False)
class Fields:
    """The named columns of all records of a batch; ``reasons`` has 0 where a record could be read."""

    offsets: NDArray[np.int64]
    fingerprints: NDArray[np.uint64]
    reasons: NDArray[np.uint8]

    def rejects(self) -> list[Reject]:
        """Return the records that could not be read."""
        bad = np.flatnonzero(self.reasons)
        numbers = self.reasons[bad].tolist()
        return [Reject(offset, REASONS[r - 1]) for offset, r in zip(self.offsets[bad].tolist(), numbers, strict=True)]


class Counters:
    """Counts of one stream; a function of the log, like the samples.  Empty while nothing is to be counted.

    A set that was not counted yet when a pane began has no counts in it (None): they would lack records.
    """

    def __init__(
        self, counting: Counting, intake: Intake, secret: Secret, missing: MissingRule, markers: tuple[str, ...]
    ) -> None:
        self._counting = counting
        self._secret = secret
        self._intake = intake
        self._missing_differ = missing is MissingRule.DISTINCT
        self._wanted = Wanted(counting.columns, secret, missing, markers)
        self._keys = [secret.draw_key("groups " + repr(columns)) for columns in counting.sets]
        self._places = [[counting.columns.index(column) for column in columns] for columns in counting.sets]
        self.panes: dict[int, list[GroupSampler | None]] = {}
        self.bad: Counter[Reason] = Counter()

    def count(self, batch: Batch, panes: Iterable[tuple[int, Batch]]) -> list[Reject]:
        """Count a batch, which has these parts in panes that are held; return what could not be read."""
        fields = self._read(batch)
        good = fields.reasons == 0
        for number, part in panes:
            if number not in self.panes:
                self.panes[number] = self._new()
            chosen = good if part is batch else good & np.isin(fields.offsets, existing(part), assume_unique=True)
            offsets = fields.offsets[chosen]
            rows = fields.fingerprints if len(offsets) == len(good) else fields.fingerprints[chosen]
            alone = mix64(self._secret.priority_key("groups", batch.origin), offsets) if self._missing_differ else None
            for sampler, key, places in zip(self.panes[number], self._keys, self._places, strict=True):
                if sampler is not None:
                    sampler.update(group_hashes(rows[:, places], key, alone=alone))
        if good.all():
            return []
        rejects = fields.rejects()
        self.bad.update(reject.reason for reject in rejects)
        return rejects

    def drop(self, held: Iterable[int]) -> None:
        """Forget all panes but these."""
        kept = set(held)
        for number in [number for number in self.panes if number not in kept]:
            del self.panes[number]

    def window(self, first: int, last: int) -> Mapping[tuple[str, ...], GroupSampler]:
        """Return the counts of each set in the panes first … last, as far as they are held and it was counted."""
        panes = [self.panes[number] for number in range(first, last + 1) if number in self.panes]
        found = {}
        for j, columns in enumerate(self._counting.sets):
            parts = [held for pane in panes if (held := pane[j]) is not None]
            if len(parts) == len(panes):
                found[columns] = reduce(GroupSampler.merge, parts, GroupSampler(self._counting.groups))
        return found

    def arrays(self, panes: Iterable[int]) -> list[NDArray[np.uint8]]:
        """Return what a snapshot holds of these panes, one array for each pane and set."""
        return [
            np.empty(0, np.uint8) if sampler is None else np.frombuffer(sampler.to_bytes(), np.uint8)
            for number in panes
            for sampler in self.panes.get(number, None) or self._new()
        ]

    def restore(
        self,
        panes: Sequence[int],
        sets: Sequence[Sequence[str]],
        arrays: Sequence[NDArray[np.uint8]],
        bad: Mapping[str, int],
    ) -> None:
        """Take over what a snapshot held, which counted these sets in these panes; others begin in later panes."""
        places = {tuple(columns): j for j, columns in enumerate(sets)}
        self.panes = {}
        for i, number in enumerate(panes):
            held = arrays[i * len(places) : (i + 1) * len(places)]
            found = (None if (j := places.get(columns)) is None else held[j] for columns in self._counting.sets)
            self.panes[number] = [self._restored(array) for array in found]
        by_name = {str(reason): reason for reason in NUMBERS}
        self.bad = Counter({by_name[name]: count for name, count in bad.items()})

    def _restored(self, array: NDArray[np.uint8] | None) -> GroupSampler | None:
        """Return saved counts; None if there are none, or of fewer or more groups than are held now."""
        sampler = GroupSampler.from_bytes(array.tobytes()) if array is not None and array.size else None
        return sampler if sampler is not None and sampler.capacity == self._counting.groups else None

    def _new(self) -> list[GroupSampler | None]:
        return [GroupSampler(self._counting.groups) for _ in self._counting.sets]

    def _read(self, batch: Batch) -> Fields:
        """Return the fields of all records of a batch, by the fastest way that it offers."""
        source = whole(batch)
        if not isinstance(source, Fielded):
            return self._decode(batch)
        offsets, fingerprints, reasons = source.fields(self._wanted)
        if source is batch:
            return Fields(offsets, fingerprints, reasons)
        inside = np.isin(offsets, existing(batch), assume_unique=True)
        return Fields(offsets[inside], fingerprints[inside], reasons[inside])

    def _decode(self, batch: Batch) -> Fields:
        rows = batch.decode(existing(batch))
        names, encoded = self._intake.encode(rows)
        fingerprints = np.full((len(rows.offsets) + len(rows.rejects), len(self._wanted.columns)), MISSING, np.uint64)
        for j, column in enumerate(self._wanted.columns):
            if column in names:
                fingerprints[: len(rows.offsets), j] = encoded[:, names.index(column)]
        bad = np.fromiter((reject.offset for reject in rows.rejects), np.int64, len(rows.rejects))
        offsets = np.concatenate([rows.offsets, bad])
        reasons = np.zeros(len(offsets), np.uint8)
        reasons[len(rows.offsets) :] = [NUMBERS[reject.reason] for reject in rows.rejects]
        order = np.argsort(offsets)
        return Fields(offsets[order], fingerprints[order], reasons[order])
