"""The paper's microdata table: quasi-identifiers and one sensitive attribute, as dense codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Microdata:
    """n rows: ``quasi[i, j]`` numbers the value of quasi-identifier j in row i, ``sensitive[i]`` is below ``values``.

    Where the sensitive attribute does not matter (k-anonymity), it is 0 in every row and ``values`` is 1.
    """

    quasi: NDArray[np.int32]
    sensitive: NDArray[np.int32]
    values: int

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.quasi.shape[0])

    @property
    def m(self) -> int:
        """Number of quasi-identifiers."""
        return int(self.quasi.shape[1])

    def classes(self) -> Classes:
        """Return the rows that are equal on all columns, as one class each."""
        both = np.column_stack([self.quasi, self.sensitive])
        _, first, of_row, sizes = np.unique(both, axis=0, return_index=True, return_inverse=True, return_counts=True)
        of_row = of_row.reshape(-1)
        return Classes(self.quasi[first], self.sensitive[first], sizes, of_row)


@dataclass(frozen=True, slots=True)
class Classes:
    """Different rows, how often each occurs, and the class of each row of the table."""

    quasi: NDArray[np.int32]
    sensitive: NDArray[np.int32]
    sizes: NDArray[np.int64]
    of_row: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.sizes)

    def members(self) -> list[NDArray[np.int64]]:
        """Return the rows of each class."""
        order = np.argsort(self.of_row, kind="stable")
        return np.split(order, np.cumsum(self.sizes)[:-1])
