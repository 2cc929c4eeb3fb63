"""The two samples A and B of one population, fed batch by batch, merged, saved and restored."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from streamqid.errors import MergeError, SnapshotCorruptError
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.columns import ColumnLimit
from streamqid.sampling.fingerprint import MissingRule
from streamqid.sampling.pairs import Evidence, Tuples
from streamqid.sampling.priority import Cursor, mix64
from streamqid.sampling.retained import Retained
from streamqid.sampling.sample import Sample
from streamqid.sampling.secret import origin_id
from streamqid.sampling.snapshot import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from streamqid.records import Origin
    from streamqid.sampling.secret import Secret

SAMPLES = ("A", "B")
KIND = "sampler"


class Sampler:
    """Samples A and B, independent of each other: one chooses, the other one judges.

    A pure function of the log: the same records give the same bytes whatever the batches, the order of
    merges and the restarts in between, as long as no record is counted twice.

    Parameters
    ----------
    secret
        Decides which records are sampled.
    capacity
        Size of each of the two samples.
    missing
        How missing values compare in the fingerprints that are fed in.
    max_columns
        How many columns take part at most, chosen by a keyed hash of their names (``sampling.columns``); None for
        all.  A limit for logs whose producers can make up names; whoever needs certain columns names them.
    """

    def __init__(
        self,
        secret: Secret,
        capacity: Capacity,
        missing: MissingRule = MissingRule.VALUE,
        max_columns: int | None = None,
    ) -> None:
        self.secret = secret
        self.capacity = capacity
        self.missing = missing
        self.max_columns = max_columns
        self.n = 0
        self._limit = None if max_columns is None else ColumnLimit(max_columns, secret)
        self.samples = {name: Sample(capacity, self._limit) for name in SAMPLES}
        self._cursors: dict[tuple[str, Origin], Cursor] = {}

    def candidates(self, origin: Origin, start: int, end: int, count: int, expected: int = 0) -> NDArray[np.int64]:
        """Return the offsets in [start, end) that must be decoded for the next ``count`` records, ascending.

        With ``expected`` the caller knows that at least so many records will come in all, and only those are
        returned that can still be in the retained set then; before, the set is incomplete.
        """
        threshold = self.capacity.threshold(max(self.n + count, expected))
        in_a, in_b = (self._cursor(name, origin).below(threshold, start, end) for name in SAMPLES)
        if not in_a.size or not in_b.size:
            return in_a if in_a.size else in_b
        return np.union1d(in_a, in_b)

    def update_count(self, count: int) -> None:
        """Count records of which none is a candidate."""
        self.n += count

    def update(
        self,
        origin: Origin,
        count: int,
        offsets: NDArray[np.int64],
        columns: Sequence[str],
        fingerprints: NDArray[np.uint64],
        rejected: Sequence[int] = (),
    ) -> None:
        """Count ``count`` records, of which the candidates were decoded (``offsets``) or could not be read."""
        self.update_count(count)
        order = sorted(range(len(columns)), key=columns.__getitem__)
        names = tuple(columns[j] for j in order)
        bad = np.zeros((len(rejected), len(names)), np.uint64)
        everything = np.concatenate([offsets, np.asarray(rejected, np.int64)])
        rows = np.concatenate([fingerprints[:, order], bad])
        valid = np.arange(len(everything)) < len(offsets)
        origins = np.full(len(everything), origin_id(origin), np.uint64)
        for name, sample in self.samples.items():
            priority = mix64(self.secret.priority_key(name, origin), everything)
            sample.add(self.n, names, Retained(priority, origins, everything, valid, rows))

    def merge(self, other: Sampler) -> Sampler:
        """Return the sampler of both populations, which must not share a record; the inputs stay as they are.

        The union of two retained sets, filtered by τ(n₁ + n₂), is the retained set of the union, because τ
        never rises.
        """
        if (self.secret.key_id, self.capacity, self.missing, self.max_columns) != (
            other.secret.key_id,
            other.capacity,
            other.missing,
            other.max_columns,
        ):
            msg = (
                "Samples of another secret, capacity, missing rule or limit of columns cannot be merged: "
                "sample both logs alike."
            )
            raise MergeError(msg)
        merged = Sampler(self.secret, self.capacity, self.missing, self.max_columns)
        merged.n = self.n + other.n
        for part in (self, other):
            for name, sample in part.samples.items():
                retained = sample.retained(part.n)
                merged.samples[name].add(merged.n, sample.columns, retained)
        return merged

    def evidence(self) -> Evidence:
        """Return what a solver may see: the k(n) records with the lowest priorities of A and of B.

        Unreadable ones among them are no rows; they only keep their place, so that draws can be rejected there.
        """
        kept = {name: sample.retained(self.n) for name, sample in self.samples.items()}
        columns = tuple(sorted({c for sample in self.samples.values() for c in sample.columns}))
        tuples, readable = [], []
        for name, sample in self.samples.items():
            lowest = kept[name].spread(sample.columns, columns).take(slice(self.capacity.k(self.n)))
            rows = lowest if lowest.valid.all() else lowest.take(lowest.valid)
            identity = np.stack([rows.origin.view(np.int64), rows.offset], axis=1)
            place = np.where(lowest.valid, np.cumsum(lowest.valid) - 1, -1)
            tuples.append(Tuples(identity, rows.fingerprints, place))
            readable.append((len(rows), len(lowest)))
        rows_in_sample, records_in_sample = map(sum, zip(*readable, strict=True))
        estimate = round(self.n * rows_in_sample / records_in_sample) if records_in_sample else self.n
        found = Evidence(
            columns=columns,
            n=max(estimate, len(tuples[0]), len(tuples[1])),
            records=self.n,
            a=tuples[0],
            b=tuples[1],
            whole=self.capacity.is_whole(self.n),
            missing_differ=self.missing is MissingRule.DISTINCT,
            secret=self.secret,
        )
        return found if self._limit is None else found.select(self._limit.shown(columns))

    @property
    def columns_left_out(self) -> bool:
        """Whether more columns occur in the retained records than ``max_columns`` lets take part."""
        for sample in self.samples.values():
            sample.retained(self.n)
        names = {column for sample in self.samples.values() for column in sample.columns}
        return self.max_columns is not None and len(names) > self.max_columns

    def to_bytes(self) -> bytes:
        """Return the snapshot; equal samplers give equal bytes."""
        arrays = [array for sample in self.samples.values() for array in sample.retained(self.n).arrays()]
        header: dict[str, Any] = {
            "kind": KIND,
            "key_id": self.secret.key_id,
            "floor": self.capacity.floor,
            "root": self.capacity.root,
            "ceiling": self.capacity.ceiling,
            "missing": str(self.missing),
            "n": self.n,
            "columns": {name: list(sample.columns) for name, sample in self.samples.items()},
        }
        if self.max_columns is not None:
            header["max_columns"] = self.max_columns
        return pack(header, arrays)

    @classmethod
    def from_bytes(cls, data: bytes, secret: Secret) -> Sampler:
        """Restore a snapshot that was made under the same secret."""
        header, arrays = unpack(data)
        if header.get("kind") != KIND or len(arrays) != len(SAMPLES) * len(fields(Retained)):
            msg = "The snapshot does not hold a sampler: check the path, or restore an older snapshot."
            raise SnapshotCorruptError(msg)
        if header["key_id"] != secret.key_id:
            msg = (
                f"The snapshot was made with the secret {header['key_id']}, not {secret.key_id}: "
                "give the secret that it was made with."
            )
            raise MergeError(msg)
        sampler = cls(
            secret,
            Capacity(header["floor"], header["root"], header["ceiling"]),
            MissingRule(header["missing"]),
            header.get("max_columns"),
        )
        sampler.n = header["n"]
        for name, kept in zip(SAMPLES, (arrays[:5], arrays[5:]), strict=True):
            sampler.samples[name].add(sampler.n, tuple(header["columns"][name]), Retained(*kept))
        return sampler

    def _cursor(self, name: str, origin: Origin) -> Cursor:
        if (name, origin) not in self._cursors:
            self._cursors[name, origin] = Cursor(self.secret.priority_key(name, origin))
        return self._cursors[name, origin]
