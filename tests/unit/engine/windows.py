"""Windows with known groups, for tests of what is judged in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamqid.engine.judge import Window
from streamqid.engine.panes import PaneRule
from streamqid.engine.questions import Limit, PublishedSet, Quantity
from streamqid.records import Origin
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.groups import GroupSampler, group_hashes
from streamqid.sampling.priority import mix64
from streamqid.sampling.sampler import Sampler
from streamqid.sampling.secret import Secret

if TYPE_CHECKING:
    from numpy.typing import NDArray

RULE = PaneRule(10.0, "seconds")
SECRET = Secret.from_seed(3)


def separation(limit: float, *columns: str, delta: float = 0.01) -> PublishedSet:
    """A set that may have so much separation at most."""
    return PublishedSet("p", columns, (Limit(Quantity.SEPARATION, limit),), delta)


def window(
    codes: dict[str, NDArray[np.int64]],
    *,
    pane: int = 0,
    capacity: int = 2000,
    counted: tuple[str, ...] = (),
    groups: int = 1000,
    secret: Secret = SECRET,
) -> Window:
    """A window of rows with these values, which perhaps counts the groups of some columns over all rows."""
    columns = sorted(codes)
    rows = len(codes[columns[0]])
    keys = range(1, len(columns) + 1)
    values = np.stack([mix64(key, codes[column]) | np.uint64(1) for key, column in zip(keys, columns, strict=True)], 1)
    sampler, offsets = Sampler(secret, Capacity(capacity)), np.arange(rows)
    sampler.update(Origin("x"), rows, offsets, columns, values)
    held = {}
    if counted:
        held[counted] = GroupSampler(groups)
        hashes = group_hashes(values[:, [columns.index(c) for c in counted]], secret.draw_key("groups"))
        held[counted].update(hashes)
    return Window(RULE.span(pane, pane), rows, sampler.evidence(), held)


def even(rows: int, groups: int, pane: int = 0, capacity: int = 2000) -> Window:
    """A window of rows in so many equally large groups on column a; column b is constant."""
    offsets = np.arange(rows)
    return window({"a": offsets % groups, "b": offsets * 0}, pane=pane, capacity=capacity)
