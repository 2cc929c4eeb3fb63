"""Table 1 of Liang and Yuan, with each digit a column, and the partitions of their Tables 2, 3 and 5."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamqid.anonymize.microdata import Microdata

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

PATIENTS = [
    ("98765", "38", "Bachelor", "Viral Infection"),
    ("98654", "39", "Doctorate", "Heart Disease"),
    ("98543", "32", "Master", "Heart Disease"),
    ("97654", "65", "Bachelor", "Cancer"),
    ("96689", "45", "Bachelor", "Viral Infection"),
    ("97427", "33", "Bachelor", "Viral Infection"),
    ("96552", "54", "Bachelor", "Heart Disease"),
    ("97017", "69", "Doctorate", "Cancer"),
    ("97023", "55", "Master", "Cancer"),
    ("97009", "62", "Bachelor", "Cancer"),
]
QUASI = [(*zipcode, *age, education) for zipcode, age, education, _ in PATIENTS]
DISEASE = [disease for *_, disease in PATIENTS]
TABLE_2 = [(1, 2, 3), (4, 5, 6, 7), (8, 9, 10)]
TABLE_3 = [(1, 2), (3, 5, 8, 9), (4, 6), (7, 10)]
TABLE_5 = [(1, 2, 4), (3, 5, 8, 9), (6, 7, 10)]


def labels_of(partition: Sequence[Sequence[int]]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The group of each patient, who are numbered from 1 as in the paper."""
    labels = np.zeros(len(PATIENTS), np.int64)
    for number, group in enumerate(partition):
        labels[np.array(group) - 1] = number
    return labels


def microdata(quasi: Sequence[Sequence[Hashable]], sensitive: Sequence[Hashable] | None = None) -> Microdata:
    """Rows as codes; the sensitive values in their order, so that ranks of numbers are their codes."""
    columns = [_codes(column, list(dict.fromkeys(column))) for column in zip(*quasi, strict=True)]
    codes = np.column_stack(columns)
    if sensitive is None:
        return Microdata(codes, np.zeros(len(codes), np.int32), 1)
    values = sorted(set(sensitive), key=lambda value: (str(type(value)), value))
    return Microdata(codes, _codes(sensitive, values), len(values))


def _codes(column: Sequence[Hashable], values: list[Hashable]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array([values.index(value) for value in column], np.int32)
