"""The columns that an audit speaks of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamqid.audits.asked import LIMITS
from streamqid.audits.cells import Sensitive
from streamqid.errors import TableError, UsageError
from streamqid.hierarchies import read_hierarchy
from streamqid.options import name_list

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from streamqid.audits.asked import Limits
    from streamqid.hierarchies import Given, Hierarchy
    from streamqid.whole import Found, Whole


class Columns:
    """Quasi-identifiers and sensitive columns, checked against each other."""

    def __init__(
        self,
        quasi: Sequence[str],
        sensitive: Sequence[str],
        ordered: Sequence[str],
        hierarchy: Mapping[str, Given],
        limits: Limits,
    ) -> None:
        self.quasi, self.sensitive = name_list("quasi", quasi), name_list("sensitive", sensitive)
        self.ordered = name_list("ordered", ordered)
        if not self.quasi:
            raise UsageError("Name at least one quasi-identifier: a column by which a person may be found.")
        self._apart(self.quasi, self.sensitive, "a quasi-identifier and sensitive")
        self._apart(self.ordered, list(hierarchy), "ordered and has a hierarchy")
        for name in (*self.ordered, *hierarchy):
            if name not in self.sensitive:
                msg = f"Column {name!r} has an order or a hierarchy but is not sensitive: name it as sensitive too."
                raise UsageError(msg)
        if not self.sensitive:
            for limit in LIMITS[1:]:
                if getattr(limits, limit) is not None:
                    raise UsageError(f"The limit {limit} is about sensitive columns: name at least one.")
        self.hierarchies: dict[str, Hierarchy] = {name: read_hierarchy(given) for name, given in hierarchy.items()}

    @staticmethod
    def _apart(some: Sequence[str], others: Sequence[str], both: str) -> None:
        for name in some:
            if name in others:
                raise UsageError(f"Column {name!r} is {both} at once: name it in one place only.")

    def column(self, name: str, whole: Whole, found: Mapping[tuple[str, str], Found]) -> Sensitive:
        """Return a sensitive column with its distance; its missing values are one value."""
        if name in self.ordered:
            return Sensitive(name, np.unique(whole.numbers[name], return_inverse=True)[1], "ordered")
        if name in self.hierarchies:
            leaf = found["leaf", name]
            if len(leaf.rows) < whole.table.n:
                first = int(np.setdiff1d(np.arange(whole.table.n), leaf.rows)[0]) + 1
                msg = f"Row {first} has a value in column {name!r} that its hierarchy does not have: add it there."
                raise TableError(msg)
            return Sensitive(name, leaf.places, "hierarchical", self.hierarchies[name].levels)
        codes: NDArray[np.int32] = whole.table.codes[whole.table.columns.index(name)]
        missing = found["missing", name].rows
        if len(missing):
            codes = codes.copy()
            codes[missing] = codes[missing[0]]
        return Sensitive(name, codes)
