"""Panes: samplers of consecutive stretches of time, merged into windows."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from streamqid.sampling.sampler import Sampler

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamqid.sampling.capacity import Capacity
    from streamqid.sampling.fingerprint import MissingRule
    from streamqid.sampling.secret import Secret


class Panes:
    """One sampler for each pane (a numbered stretch of time), of which the newest ``keep`` are held.

    A record belongs to one pane, and all panes share the secret and the capacity; so a window that is the
    merge of its panes is, byte for byte, the sampler of all its records.
    """

    def __init__(
        self,
        secret: Secret,
        capacity: Capacity,
        missing: MissingRule,
        keep: int,
        max_columns: int | None = None,
    ) -> None:
        if keep < 1:
            msg = f"at least one pane must be kept, not {keep}"
            raise ValueError(msg)
        self._settings = (secret, capacity, missing, max_columns)
        self._keep = keep
        self._panes: dict[int, Sampler] = {}

    def __iter__(self) -> Iterator[int]:
        return iter(sorted(self._panes))

    def pane(self, number: int) -> Sampler | None:
        """Return the sampler of a pane, opening it if it is new; None when it has already been dropped."""
        if number not in self._panes:
            if len(self._panes) >= self._keep and number < min(self._panes):
                return None
            self._panes[number] = Sampler(*self._settings)
            for old in sorted(self._panes)[: -self._keep]:
                del self._panes[old]
        return self._panes[number]

    def held(self, number: int) -> Sampler:
        """Return the sampler of a pane that is held."""
        return self._panes[number]

    def put(self, number: int, sampler: Sampler) -> None:
        """Hold a restored sampler as this pane, unless it is too old by now."""
        if self.pane(number) is not None:
            self._panes[number] = sampler

    def window(self, last: int, size: int = 1) -> Sampler:
        """Return the merge of the panes last - size + 1 … last, as far as they are held."""
        wanted = [self._panes[i] for i in range(last - size + 1, last + 1) if i in self._panes]
        return reduce(Sampler.merge, wanted, Sampler(*self._settings))
