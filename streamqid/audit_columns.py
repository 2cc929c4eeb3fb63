"""The columns that an audit speaks of, and the table that they are read from."""

from __future__ import annotations

import contextlib
import math
from typing import TYPE_CHECKING

import numpy as np

from streamqid.audits.asked import LIMITS
from streamqid.audits.audit import Unknown
from streamqid.audits.cells import Sensitive
from streamqid.errors import TableError, UsageError
from streamqid.hierarchies import read_hierarchy
from streamqid.options import name_list
from streamqid.records import ABSENT
from streamqid.whole import Declared, read_whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from streamqid.audits.asked import Limits
    from streamqid.hierarchies import Given, Hierarchy
    from streamqid.options import Options


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


class Counted:
    """A table that was read for an audit: ``whole``, and where its cells without a value stand."""

    def __init__(self, table: object, columns: Columns, suppressed: Sequence[str], options: Options) -> None:
        self._columns, self._missing_as = columns, str(options.get("missing", "value"))
        names = [*columns.quasi, *columns.sensitive]
        missing = (None, "", math.nan, ABSENT, *options.get("markers", ()))
        marks: dict[str, Sequence[object]] = {"suppressed": suppressed, "missing": missing}
        declared = [(what, Declared(name, values)) for what, values in marks.items() if values for name in names]
        trees = columns.hierarchies.items()
        declared += [("leaf", Declared(name, [*tree.values, *map(_number, tree.values)])) for name, tree in trees]
        options["only"] = options.get("only") or names
        self.whole = read_whole(table, options, names, declared=[one for _, one in declared], ordered=columns.ordered)
        self._found = {(what, one.column): where for (what, one), where in zip(declared, self.whole.found, strict=True)}

    def quasi(self) -> list[int]:
        """Return the places of the quasi-identifiers in the table."""
        return [self.whole.table.columns.index(name) for name in self._columns.quasi]

    def refuse_missing(self) -> None:
        """Raise a TableError if a sensitive value is missing."""
        for name in self._columns.sensitive:
            rows = self._rows("missing", name)
            if len(rows):
                msg = (
                    f"The sensitive column {name!r} has missing values ({len(rows):,}, the first in row "
                    f"{int(rows[0]) + 1:,}): correct them, or let them count as one value of their own "
                    "(--missing-sensitive value)."
                )
                raise TableError(msg)

    def unknown(self, *, match_anything: bool) -> Unknown:
        """Return the cells without a value."""

        def cells(what: str, names: Sequence[str]) -> int:
            return sum(len(self._rows(what, name)) for name in names)

        quasi, sensitive = self._columns.quasi, self._columns.sensitive
        return Unknown(
            suppressed=[self._rows("suppressed", name) for name in quasi],
            match_anything=match_anything,
            suppressed_sensitive=cells("suppressed", sensitive),
            missing_quasi=cells("missing", quasi),
            missing_sensitive=cells("missing", sensitive),
            missing_as=self._missing_as,
        )

    def sensitive(self) -> list[Sensitive]:
        """Return the sensitive columns with their distances; missing values of a column are one value."""
        return [self._sensitive(name) for name in self._columns.sensitive]

    def _sensitive(self, name: str) -> Sensitive:
        whole, hierarchies = self.whole, self._columns.hierarchies
        if name in self._columns.ordered:
            return Sensitive(name, np.unique(whole.numbers[name], return_inverse=True)[1], "ordered")
        if name in hierarchies:
            leaf = self._found["leaf", name]
            if len(leaf.rows) < whole.table.n:
                first = int(np.setdiff1d(np.arange(whole.table.n), leaf.rows)[0]) + 1
                msg = f"Row {first} has a value in column {name!r} that its hierarchy does not have: add it there."
                raise TableError(msg)
            tree = hierarchies[name]
            return Sensitive(name, leaf.places % len(tree.values), "hierarchical", tree.levels)
        codes: NDArray[np.int32] = whole.table.codes[whole.table.columns.index(name)]
        missing = self._rows("missing", name)
        if len(missing):
            codes = codes.copy()
            codes[missing] = codes[missing[0]]
        return Sensitive(name, codes)

    def _rows(self, what: str, name: str) -> NDArray[np.int64]:
        found = self._found.get((what, name))
        return np.empty(0, np.int64) if found is None else found.rows


def _number(value: object) -> object:
    """Return the number that a text is the usual spelling of, else the value: the texts of a file stand for both."""
    if isinstance(value, str):
        for kind in (int, float):
            with contextlib.suppress(ValueError):
                number = kind(value)
                if str(number) == value and math.isfinite(number):
                    return number
    return value
