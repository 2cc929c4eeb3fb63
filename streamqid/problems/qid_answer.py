"""The documents of quasi-identifiers against k-anonymity (Yuan and Wang)."""

from __future__ import annotations

import enum
from typing import Literal

from streamqid.measures.estimate import Estimate
from streamqid.problems.answer import Answer, Rule
from streamqid.problems.optimum_answer import Optimality


class Exposes(enum.StrEnum):
    """Whom a column set must expose, that is put into groups of fewer than k rows, to be a quasi-identifier (QID)."""

    SOME = "some"
    """Some row: the paper's Definition 3."""
    EVERY = "every"
    """Every row that all columns expose: what the paper's algorithm of section 5.1 and its examples look for."""


class QidTestAnswer(Answer):
    """Whether one column set is a quasi-identifier against k-anonymity."""

    problem: Literal["k-anonymity test"] = "k-anonymity test"
    k: int
    delta: float
    """Probability that the verdict or the interval is wrong; 0 when exact."""
    columns: list[str]
    qid: bool | None
    """Whether some row is in a group of fewer than k; None when the sample cannot tell."""
    exposed: Estimate
    """Share of the rows in groups of fewer than k on the set."""
    smallest_group: int | None
    """Rows of the smallest group; None on a sample, which says nothing reliable about it."""


class QidAnswer(Answer):
    """A quasi-identifier against k-anonymity: the lightest one, or one of which no column can be left out."""

    problem: Literal["minimum QID", "minimal QID"]
    measure: Literal["k-anonymity"] = "k-anonymity"
    rule: Rule | None = None
    """How a sample earns the promise; None when every row was counted."""
    k: int
    exposes: Exposes
    delta: float
    anonymous: bool | None
    """Whether all columns together are k-anonymous, so that there is no QID; None when the sample cannot tell."""
    columns: list[str] | None
    """The QID; None when there is none, or none that the sample can prove."""
    exposed: Estimate
    """Share of the rows in groups of fewer than k on the QID (on all columns where there is none)."""
    exposed_by_all: Estimate
    """Share of the rows in groups of fewer than k on all columns: no set exposes more."""
    optimality: Optimality | None = None
    """Of a minimum QID."""
