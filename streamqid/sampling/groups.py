"""Counts of the groups of one column set over a whole log: the groups with the lowest hashes, each counted exactly.

A group (all rows that are equal on the columns) has one keyed uniform 64-bit hash, so those with the lowest hashes are
a uniform sample without replacement of all groups, whatever their sizes.  The threshold τ only falls, so a group that
lies under it now has always done so and none of its rows was missed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamqid.errors import MergeError, SnapshotCorruptError
from streamqid.sampling.fingerprint import MISSING
from streamqid.sampling.priority import WHOLE, mix64
from streamqid.sampling.snapshot import pack, unpack

if TYPE_CHECKING:
    from numpy.typing import NDArray

KIND = "groups"
PENDING = 1 << 14
"""How many hashes wait at least before they are counted together."""


def group_bytes(capacity: int) -> int:
    """Return the bytes that a sampler of so many groups takes at most, while what waits is counted."""
    # Hash and count of each group, a hash of what waits, and both in the copies that sorting makes.
    return 3 * (16 * capacity + 8 * max(PENDING, capacity))


def row_hashes(fingerprints: NDArray[np.uint64], key: int = 0) -> NDArray[np.uint64]:
    """Return one 64-bit hash of each row; two different rows collide with probability 2^-64.

    Fingerprints are keyed and uniform already, so a sum with odd factors does.  Only a row without any value needs
    the ``key`` for a uniform hash.
    """
    factors = mix64(0, np.arange(fingerprints.shape[1])) | np.uint64(1)
    return mix64(key, fingerprints @ factors)


def group_hashes(
    fingerprints: NDArray[np.uint64], key: int, *, alone: NDArray[np.uint64] | None = None
) -> NDArray[np.uint64]:
    """Return the hash of the group of each row.

    Parameters
    ----------
    fingerprints
        One row per record, projected on the columns of the set, in an order that never changes.
    key
        The same for all rows of a log.
    alone
        A hash of each record's own, for a missing rule by which a missing value differs from every other one: it is
        the hash of a row that has one.
    """
    hashes = row_hashes(fingerprints, key)
    return hashes if alone is None else np.where((fingerprints == MISSING).any(axis=1), alone, hashes)


class GroupSampler:
    """The ``capacity`` groups with the lowest hashes, and the exact number of rows of each.

    A function of the multiset of hashes: batches, the order of merges and restarts leave no trace in its bytes.
    τ is the lowest hash of a group that is not held, and 2^64 while all are.
    """

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            msg = f"at least one group must be held, not {capacity}"
            raise ValueError(msg)
        self.capacity = capacity
        self.n = 0
        self._threshold = WHOLE
        self._hashes = np.empty(0, np.uint64)
        self._counts = np.empty(0, np.int64)
        self._pending: list[NDArray[np.uint64]] = []
        self._waiting = 0

    @property
    def threshold(self) -> int:
        """τ: every group with a hash below it is held, and no other."""
        self._settle()
        return self._threshold

    @property
    def whole(self) -> bool:
        """Whether every group is held, so that all counts are exact."""
        return self.threshold == WHOLE

    def held(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the hashes of the groups that are held, ascending, and how many rows each has."""
        self._settle()
        return self._hashes.copy(), self._counts.copy()

    def update(self, hashes: NDArray[np.uint64]) -> None:
        """Count rows, each given by the hash of its group."""
        self.n += len(hashes)
        below = hashes if self._threshold == WHOLE else hashes[hashes < np.uint64(self._threshold)]
        if below.size:
            self._pending.append(below)
            self._waiting += len(below)
        if self._waiting > max(PENDING, len(self._hashes)):
            self._settle()

    def merge(self, other: GroupSampler) -> GroupSampler:
        """Return the sampler of both logs, which must not share a record; the inputs stay as they are.

        Of the groups that one of them has dropped none lies under the lower threshold, so what is left is exact.
        """
        if self.capacity != other.capacity:
            msg = f"Counts of {self.capacity} and of {other.capacity} groups cannot be merged: hold as many in both."
            raise MergeError(msg)
        merged = GroupSampler(self.capacity)
        merged.n = self.n + other.n
        merged._threshold = min(self.threshold, other.threshold)
        hashes = np.concatenate([self._hashes, other._hashes])
        merged._keep(hashes, np.concatenate([self._counts, other._counts]))
        return merged

    def to_bytes(self) -> bytes:
        """Return the snapshot; equal samplers give equal bytes."""
        self._settle()
        # Two halves, since a threshold of 2^64 fits no integer of a snapshot.
        header = {"kind": KIND, "capacity": self.capacity, "n": self.n, "threshold": f"{self._threshold:x}"}
        return pack(header, [self._hashes, self._counts])

    @classmethod
    def from_bytes(cls, data: bytes) -> GroupSampler:
        """Restore a snapshot."""
        header, arrays = unpack(data)
        if header.get("kind") != KIND:
            msg = "The snapshot does not hold counts of groups: check the path, or restore an older snapshot."
            raise SnapshotCorruptError(msg)
        sampler = cls(header["capacity"])
        sampler.n = header["n"]
        sampler._threshold = int(header["threshold"], 16)
        sampler._hashes, sampler._counts = arrays
        return sampler

    def _settle(self) -> None:
        """Count what waits."""
        if not self._pending:
            return
        hashes, counts = np.unique(np.concatenate(self._pending), return_counts=True)
        self._pending, self._waiting = [], 0
        self._keep(np.concatenate([self._hashes, hashes]), np.concatenate([self._counts, counts]))

    def _keep(self, hashes: NDArray[np.uint64], counts: NDArray[np.int64]) -> None:
        """Hold these groups, given in parts that may repeat a hash, as far as they are among the lowest."""
        order = np.argsort(hashes, kind="stable")
        hashes, counts = hashes[order], counts[order]
        first = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]])) if hashes.size else order
        distinct, totals = hashes[first], np.add.reduceat(counts, first) if first.size else counts
        if self._threshold < WHOLE:
            inside = distinct < np.uint64(self._threshold)
            distinct, totals = distinct[inside], totals[inside]
        if len(distinct) > self.capacity:
            self._threshold = int(distinct[self.capacity])
            distinct, totals = distinct[: self.capacity], totals[: self.capacity]
        self._hashes, self._counts = distinct, totals
