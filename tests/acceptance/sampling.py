"""More seeds on a large table than reading its file again would allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamqid.records import Origin
from streamqid.sampling.priority import mix64
from streamqid.sampling.sampler import Sampler
from streamqid.sampling.secret import Secret

if TYPE_CHECKING:
    from streamqid.sampling.capacity import Capacity
    from streamqid.sampling.pairs import Evidence
    from tests.acceptance.conftest import RealTable


def evidence_of_seed(table: RealTable, seed: int, capacity: Capacity) -> Evidence:
    """Sample a table whose values are already numbers."""
    origin, n, sampler = Origin("real"), len(table.codes), Sampler(Secret.from_seed(seed), capacity)
    offsets = sampler.candidates(origin, 0, n, n)
    codes = table.codes[offsets].astype(np.int64)
    fingerprints = np.stack([mix64(j, codes[:, j]) | np.uint64(1) for j in range(codes.shape[1])], axis=1)
    sampler.update(origin, n, offsets, table.columns, fingerprints)
    return sampler.evidence().select(table.columns)
