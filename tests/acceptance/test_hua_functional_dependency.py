"""Hua et al., "A Method for Solving Quasi-Identifiers of Single Structured Relational Data": its examples and tables.

What cannot be reproduced is listed in docs/papers.md with the reason.
"""

from __future__ import annotations

import csv
import gzip
from typing import TYPE_CHECKING

import pytest

from streamqid.detecting import detect
from streamqid.measures.disclosure import average_group_records
from streamqid.problems.declared import closure, declared_quasi_identifiers, dependency, minimal_cover
from streamqid.problems.instance import instance_quasi_identifiers
from streamqid.whole import read_whole

if TYPE_CHECKING:
    from pathlib import Path

    from streamqid.measures.partition import Table

SCHEMA = [dependency("BD", "C"), dependency("AC", "K"), dependency("A", "E"), dependency("ABD", "CE")]
FAMILY = "family_history_with_overweight"
OBESITY = ["Gender", "Age", "Height", "Weight", FAMILY, "CAEC", "SMOKE", "CALC", "MTRANS", "NObeyesdad"]
BANK = ["age", "job", "marital", "education", "default", "housing", "loan"]
ADULT = ["age", "workclass", "fnlwgt", "education", "marital-status", "occupation", "race", "sex", "income"]
"""The columns of Table 2; fnlwgt stands for zip, which the public table does not have."""

OBESITY_METHOD = ["Age", "Height", "Weight", "CAEC", "SMOKE", "CALC", "MTRANS", "NObeyesdad"]
BANK_METHOD = ["age", "job", "marital", "housing", "loan", "default"]
ADULT_METHOD = ["age", "workclass", "fnlwgt", "education", "marital-status", "occupation", "race", "income"]
"""The row "our method" of Table 3."""


def table(directory: Path, name: str, columns: list[str]) -> Table:
    return read_whole(directory / f"{name}.csv.gz", {"only": columns, "seed": 1}).table


def members(found: Table, most: int) -> set[str]:
    return {found.columns[j] for s in instance_quasi_identifiers(found, most=most) for j in s.columns}


def test_section_4a_minimal_cover() -> None:
    assert minimal_cover(SCHEMA) == [dependency("BD", "C"), dependency("AC", "K"), dependency("A", "E")]
    assert closure("ABD", SCHEMA) == set("ABCDEK")


def test_section_4a_algorithm_1() -> None:
    assert set(declared_quasi_identifiers(SCHEMA, "K")) == {frozenset("AC"), frozenset("ABD")}


def test_table_1_employees() -> None:
    """Name determines the employee code in part: five of six employees share no name, Taylor is two of them."""
    codes = ["J02", "J15", "J03", "J17", "J24", "J28"]
    names = ["Antony", "Taylor", "Rosa", "Taylor", "Eric", "Mark"]
    people = [{"code": code, "name": name} for code, name in zip(codes, names, strict=True)]
    (found,) = instance_quasi_identifiers(read_whole(people, {"seed": 1}).table, identifiers=[0])
    assert (found.columns, found.values, found.rows) == ((1,), 4, 4)


@pytest.mark.parametrize(("name", "columns", "expected"), [("bank", BANK, BANK_METHOD), ("adult", ADULT, ADULT_METHOD)])
def test_table_3_algorithm_2_with_at_most_two_columns(
    shared_data: Path, name: str, columns: list[str], expected: list[str]
) -> None:
    assert members(table(shared_data, name, columns), 2) == set(expected)


@pytest.mark.parametrize(("name", "columns"), [("obesity", OBESITY), ("bank", BANK), ("adult", ADULT)])
def test_table_3_algorithm_2_without_a_limit_names_every_column(
    shared_data: Path, name: str, columns: list[str]
) -> None:
    assert members(table(shared_data, name, columns), 3) == set(columns)


def test_equation_2_average_group_records_of_obesity_and_bank(shared_data: Path) -> None:
    for name, columns, groups, records in (
        ("obesity", OBESITY_METHOD, 2084, 1.013),
        ("bank", BANK_METHOD, 1768, 2.557),
    ):
        found = table(shared_data, name, columns)
        classes = found.partition(range(len(columns)))
        assert classes.groups == groups
        assert average_group_records(classes) == pytest.approx(records, abs=0.0005)


def test_equation_2_average_group_records_of_adult_without_missing_values(adult_path: Path) -> None:
    with gzip.open(adult_path, "rt", newline="") as file:
        rows = [row for row in csv.DictReader(file) if "?" not in (row["workclass"], row["occupation"])]
    found = read_whole(rows, {"only": ADULT_METHOD, "seed": 1}).table
    classes = found.partition(range(len(ADULT_METHOD)))
    assert classes.groups == 30638
    assert average_group_records(classes) == pytest.approx(1.003, abs=0.0005)


def test_table_4_two_cells_are_below_what_equation_2_allows(shared_data: Path) -> None:
    """An anonymised table has no more classes than the raw one, so the raw AGR is the least that can be."""
    for name, columns, printed in (
        ("bank", ["job", "housing", "loan"], 6.122),
        ("adult", ["workclass", "education", "occupation"], 3.710),
    ):
        found = table(shared_data, name, columns)
        assert average_group_records(found.partition(range(3))) > 10 * printed


DPI = {
    "obesity": (OBESITY, {"Age", "Gender", "Height", "Weight", FAMILY, "CAEC", "CALC", "MTRANS"}),
    "bank": (BANK, set(BANK)),
    "adult": (ADULT, {"age", "workclass", "fnlwgt", "education", "marital-status", "occupation", "income"}),
}


@pytest.mark.parametrize("name", DPI)
def test_table_3_dpi(shared_data: Path, name: str) -> None:
    columns, expected = DPI[name]
    answer = detect(shared_data / f"{name}.csv.gz", methods=["dpi"], only=columns, seed=1)
    assert {column for found in answer.findings[0].sets for column in found.columns} == expected


KNOWN = {
    "obesity": (
        OBESITY,
        [FAMILY, "NObeyesdad"],
        [["Age", "Gender", "Height", "Weight"], ["CAEC", "SMOKE", "CALC", FAMILY, "NObeyesdad"]],
    ),
    "adult": (
        ADULT,
        ["marital-status", "income"],
        [["sex", "age"], ["workclass", "education", "occupation", "marital-status", "income"]],
    ),
}
QIA = {
    "obesity": {"Age", "Gender", "Height", "Weight", "CAEC", "SMOKE", "CALC"},
    "adult": {"sex", "age", "workclass", "education", "occupation"},
}
FPCV = {"obesity": {"Age", "Gender", "Height", "Weight"}, "adult": {"workclass", "education", "occupation"}}


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize(("method", "expected"), [("qia", QIA), ("fpcv", FPCV)])
def test_table_3_qia_and_fpcv(shared_data: Path, name: str, method: str, expected: dict[str, set[str]]) -> None:
    columns, sensitive, views = KNOWN[name]
    path = shared_data / f"{name}.csv.gz"
    answer = detect(path, methods=[method], sensitive=sensitive, views=views, only=columns, seed=1)
    assert {column for found in answer.findings[0].sets for column in found.columns} == expected[name]


@pytest.mark.parametrize(
    ("name", "candidates"),
    [("obesity", ["Gender", "Height", "Weight", FAMILY, "MTRANS"]), ("bank", ["age", "job", "marital", "education"])],
)
def test_table_3_sqia_keeps_every_nominated_column(shared_data: Path, name: str, candidates: list[str]) -> None:
    answer = detect(shared_data / f"{name}.csv.gz", methods=["sqia"], only=candidates, seed=1)
    assert [set(found.columns) for found in answer.findings[0].sets] == [set(candidates)]
