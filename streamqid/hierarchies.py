"""Hierarchies of the values of a column: which values are alike, and how much.

A hierarchy is a CSV file without a header, one line for each value: the value, what it generalises to, what that
generalises to, and so on up to one root, which ends every line.  All lines have the same number of fields.

>>> flu, cold, cancer = ["flu", "lung", "any"], ["cold", "lung", "any"], ["cancer", "tumour", "any"]
>>> [level.tolist() for level in hierarchy_of([flu, cold, cancer], "the given hierarchy").levels]
[[0, 0, 1], [0, 0, 0]]
"""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from streamqid.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Given: TypeAlias = "str | os.PathLike[str] | Mapping[str, Sequence[str]]"
"""The path of a hierarchy, or each value with what it generalises to."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """``levels[h][i]`` numbers the ancestor of ``values[i]`` that is h + 1 steps up; the last level is the root."""

    values: list[str]
    levels: tuple[NDArray[np.int64], ...]


def read_hierarchy(given: Given) -> Hierarchy:
    """Read a hierarchy, or raise a TableError that names the line that is wrong."""
    if isinstance(given, Mapping):
        return hierarchy_of([[value, *above] for value, above in given.items()], "the given hierarchy")
    name = os.fspath(given)
    try:
        with Path(name).open(encoding="utf-8-sig", newline="") as file:
            return hierarchy_of(list(csv.reader(file)), name)
    except OSError as error:
        raise TableError(f"The hierarchy {name} cannot be read: {error.strerror}.") from None
    except (UnicodeDecodeError, csv.Error):
        raise TableError(f"The hierarchy {name} is no CSV text in UTF-8: convert it.") from None


def hierarchy_of(lines: Sequence[Sequence[str]], name: str) -> Hierarchy:
    """Return the nodes of each level by number; a node with two parents and a value on two lines are refused."""
    if not lines:
        raise TableError(f"The hierarchy {name} is empty: write each value and what it generalises to on a line.")
    height = len(lines[0]) - 1
    parents: list[dict[str, str]] = [{} for _ in range(height)]
    seen = set()
    for at, line in enumerate(lines, start=1):
        if not height or len(line) != height + 1 or line[-1] != lines[0][-1]:
            msg = f"Line {at} of {name} differs from the first: each has a value, as many ancestors, and the same root."
            raise TableError(msg)
        if line[0] in seen:
            raise TableError(f"Line {at} of {name} repeats a value: write each value once.")
        seen.add(line[0])
        for level, node, parent in zip(parents, line, line[1:], strict=False):
            if level.setdefault(node, parent) != parent:
                raise TableError(f"Line {at} of {name} gives a node a second parent: give each node one.")
    levels = tuple(np.unique([line[h] for line in lines], return_inverse=True)[1] for h in range(1, height + 1))
    return Hierarchy([line[0] for line in lines], levels)
