"""The real tables, read once by code that shares nothing with the package, and their true ratios."""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class RealTable:
    """A table as small integers, one for each different value of a column."""

    path: Path
    columns: list[str]
    codes: NDArray[np.int16]
    _known: dict[frozenset[str], NDArray[np.int64]] = field(default_factory=dict)

    def sizes(self, columns: Iterable[str]) -> NDArray[np.int64]:
        """Count the groups of rows that are equal on the columns; many seeds find the same columns."""
        names = frozenset(columns)
        if names not in self._known:
            wanted = np.ascontiguousarray(self.codes[:, [self.columns.index(name) for name in sorted(names)]])
            rows = wanted.view(np.dtype((np.void, wanted.itemsize * wanted.shape[1]))).ravel()
            self._known[names] = np.unique(rows, return_counts=True)[1]
        return self._known[names]

    def separation(self, columns: Iterable[str]) -> float:
        """Return the true separation."""
        n, sizes = len(self.codes), self.sizes(columns)
        return 1.0 - float((sizes * (sizes - 1)).sum()) / (n * (n - 1))

    def distinct(self, columns: Iterable[str]) -> float:
        """Return the true distinct ratio."""
        return len(self.sizes(columns)) / len(self.codes)


@pytest.fixture(scope="session")
def adult(adult_path: Path) -> RealTable:
    """The paper's adult: 32,561 rows, 14 columns (without fnlwgt)."""
    with gzip.open(adult_path, "rt", newline="") as file:
        header, *rows = csv.reader(file)
    keep = [j for j, name in enumerate(header) if name != "fnlwgt"]
    codes = np.stack([np.unique([row[j] for row in rows], return_inverse=True)[1] for j in keep], axis=1)
    return RealTable(adult_path, [header[j] for j in keep], codes.astype(np.int16))


@pytest.fixture(scope="session")
def covtype(shared_data: Path) -> RealTable:
    """The paper's covtype: 581,012 rows, 54 columns, all of them small integers."""
    path = shared_data / "covtype_54attrs.csv.gz"
    with gzip.open(path, "rt") as file:
        columns = next(file).strip().split(",")
        codes = np.loadtxt(file, dtype=np.int16, delimiter=",")
    return RealTable(path, columns, codes)
