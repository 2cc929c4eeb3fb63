"""Drift of one stream from window to window: its key, the share of risk of each column, its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from streamqid.engine.documents import Span, Verdict
from streamqid.problems.answer import Document, Measure
from streamqid.problems.check import check
from streamqid.problems.minimum_key import minimum_key
from streamqid.problems.scan import column_risks
from streamqid.sampling.fingerprint import MISSING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.engine.judge import Window
    from streamqid.engine.questions import AskKey
    from streamqid.problems.answer import KeyAnswer
    from streamqid.sampling.pairs import Evidence

ENOUGH = 20
"""Sampled rows without which a column is scarce."""
RISKS = 20
"""Columns of a window whose share of the risk is kept: those with the largest."""
ROWS = 2


class WindowAnswer(Document):
    """What a solve found in one closed window."""

    window: Span
    records: int
    columns: list[str] | None = None
    """Columns that occur in it; None when the window was not looked at as a whole."""
    scarce: dict[str, int] = Field(default_factory=dict)
    """Those of them that fewer than ``ENOUGH`` sampled rows have, with how many do."""
    key: list[str] | None = None
    """The columns of a minimum key, sorted; None when none was asked for or nothing can be told apart."""
    key_met: bool = False
    risks: dict[str, float] = Field(default_factory=dict)
    """Share of the identifying power of all columns that each adds, on the sample."""
    verdicts: list[Verdict] = Field(default_factory=list)


def drifted(window: Window, ask: AskKey, before: Sequence[str]) -> WindowAnswer:
    """Return the key and the risks of a window.

    Of several keys of one size the greedy algorithm may find now this, now that.  So the key of the window ``before``
    stays while it keeps the promise that was asked for and no smaller one is found: what is left are real changes.
    """
    evidence = window.evidence
    found = WindowAnswer(
        window=window.span, records=window.records, columns=sorted(evidence.columns), scarce=_scarce(evidence)
    )
    if min(len(evidence.a), len(evidence.b)) < ROWS or not evidence.columns:
        return found
    question = ask.on(evidence.columns)
    answer = minimum_key(evidence, question)
    stays = _still(evidence, ask, before, answer, question.target)
    risks = [(risk.column, risk.risk.estimate) for risk in column_risks(evidence, ask.delta)[:RISKS]]
    return found.model_copy(
        update={
            "key": sorted(before if stays else answer.columns),
            "key_met": stays or answer.met,
            "risks": {column: round(share, 6) for column, share in risks},
        }
    )


def _scarce(evidence: Evidence) -> dict[str, int]:
    samples = (evidence.a,) if evidence.whole else (evidence.a, evidence.b)
    rows = sum((one.fingerprints != MISSING).sum(axis=0) for one in samples)
    held = zip(evidence.columns, np.asarray(rows).tolist(), strict=True)
    return {column: count for column, count in held if count < ENOUGH}


def _still(evidence: Evidence, ask: AskKey, before: Sequence[str], now: KeyAnswer, target: float) -> bool:
    """Whether the key before still keeps the promise, and the new one is no smaller."""
    if ask.measure is not Measure.SEPARATION or not before or not set(before) <= set(evidence.columns):
        return False
    if set(before) == set(now.columns) or len(now.columns) < len(before):
        return False
    lower = check(evidence.select(before), before, ask.delta).separation.lower
    return lower is not None and lower >= target
