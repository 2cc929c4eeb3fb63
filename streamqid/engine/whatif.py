"""What-if questions: the measures of any columns on the sample that the newest solve was given.

Nothing here is a test of a published set, so nothing is spent of its δ.  Each answer stands for itself: whoever asks
about many sets and takes the best one has chosen it by the sample, and its interval no longer holds.  The masking is
what chooses on one sample and judges on another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from streamqid.engine.closeness import closeness
from streamqid.engine.documents import Finding, Span, VerdictState
from streamqid.engine.judge import BY_WEIGHT, MIN_PAIRS, find
from streamqid.engine.questions import AskMask, Limit, Quantity
from streamqid.engine.telling import told
from streamqid.measures.estimate import Estimate
from streamqid.measures.ratios import small, small_estimate
from streamqid.problems.answer import CheckAnswer, ColumnRisk, Document, MaskAnswer, Measure
from streamqid.problems.check import Checker
from streamqid.problems.masking import masking
from streamqid.problems.scan import column_risks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.engine.questions import PublishedSet
    from streamqid.sampling.pairs import Evidence

ONE_SET = (
    "Each interval holds for one set that was named beforehand, not for the best of many that were tried: "
    "to choose a set, ask for the largest safe one."
)
CHOSEN = (
    "The set was chosen on sample A and judged on sample B: the promise holds for this one question, not for the best "
    "answer to many."
)
ONE_COLUMN = "Each interval holds for its column by itself; the shares of the risk are those of the sample."
ROWS = 2
Over = Literal["all", "newest"]


class Sampled(Document):
    """What every answer about the live sample carries."""

    stream: str
    basis: str
    """Id of the sample; the same for the same configuration and records."""
    over: Over
    """All records of the stream, or the newest closed window."""
    window: Span | None = None
    """None for all records."""
    records: int
    conditions: str
    """What the intervals do not cover."""


class WhatIf(Sampled):
    """The measures of one column set, and where they lie against limits."""

    kind: Literal["what if"] = "what if"
    rule: Literal["one set"] = "one set"
    columns: list[str]
    like: str | None
    """The published set whose limits are taken; None for the limit of the masking."""
    delta: float
    """The verdict is wrong with this probability at most; it is shared evenly by the limits."""
    state: VerdictState
    findings: list[Finding]
    """By the limits; empty when the sample cannot support any."""
    check: CheckAnswer | None
    """None when there are fewer than two rows in the sample."""
    sentence: str


class SafeSet(Sampled):
    """A largest set that contains given columns and stays within the limit of the masking."""

    kind: Literal["safe set"] = "safe set"
    containing: list[str]
    like: str | None
    answer: MaskAnswer | None
    """None when there are fewer than two rows in the sample."""
    other_limits: list[str]
    """Measures of the published set whose limits the answer does not look at: a masking keeps one limit."""


class Columns(Sampled):
    """Every column by itself, by falling share of the risk of all."""

    kind: Literal["columns"] = "columns"
    rows: int
    sample: int
    delta: float
    columns: list[ColumnRisk]


@dataclass(frozen=True)
class Basis:
    """A sample to ask about, detached from the state; holds fingerprints and the secret, as ``solver.Job`` does."""

    id: str
    stream: str
    over: Over
    records: int
    window: Span | None
    evidence: Evidence
    mask: AskMask
    published: tuple[PublishedSet, ...]

    @cached_property
    def checker(self) -> Checker:
        """What all sets share."""
        return Checker(self.evidence)

    def what_if(self, columns: Sequence[str], like: str | None = None) -> WhatIf:
        """Measure a set and judge it; with probability 1 - δ the state is not wrong, for one set named beforehand."""
        limits, delta = self._limits(like)
        share = delta / len(limits)
        check = self.checker.check(columns, share) if self._enough(ROWS) else None
        state, findings = VerdictState.UNKNOWN, []
        sentence = f"Unknown: the sample is too small, a verdict needs {MIN_PAIRS} pairs of rows."
        if check is not None and self._pairs() >= MIN_PAIRS:
            findings = [find(limit, self._measured(limit, check, share)) for limit in limits]
            state = next(one for one in BY_WEIGHT if any(finding.state is one for finding in findings))
            sentence = told(columns, findings, state, delta)
        return WhatIf(
            **self._about(ONE_SET),
            columns=list(columns),
            like=like,
            delta=delta,
            state=state,
            findings=findings,
            check=check,
            sentence=sentence,
        )

    def safe_set(self, containing: Sequence[str], like: str | None = None) -> SafeSet:
        """Find a largest set that contains these columns (see ``problems.masking``)."""
        kept, ask = self._mask(like)
        hide = tuple(column for column in ask.must_hide if column not in containing)
        ask = replace(ask, must_publish=tuple(containing), must_hide=hide)
        enough = self._enough(ROWS)
        return SafeSet(
            **self._about(CHOSEN),
            containing=list(containing),
            like=like,
            answer=masking(self.evidence, ask.on(self.evidence.columns)) if enough else None,
            other_limits=[limit.measure for limit in self._limits(like)[0] if limit != kept],
        )

    def columns(self) -> Columns:
        """Measure every column by itself."""
        evidence, delta = self.evidence, self.mask.delta
        return Columns(
            **self._about(ONE_COLUMN),
            rows=evidence.n,
            sample=len(evidence.a),
            delta=delta,
            columns=column_risks(evidence, delta) if self._enough(1) else [],
        )

    def _about(self, conditions: str) -> dict[str, Any]:
        return {
            "stream": self.stream,
            "basis": self.id,
            "over": self.over,
            "window": self.window,
            "records": self.records,
            "conditions": conditions,
        }

    def _enough(self, rows: int) -> bool:
        return min(len(self.evidence.a), len(self.evidence.b)) >= rows

    def _pairs(self) -> int:
        """Count the pairs that a verdict rests on, as the judge does."""
        evidence = self.evidence
        return evidence.n * (evidence.n - 1) // 2 if evidence.whole else min(len(evidence.a), len(evidence.b))

    def _like(self, name: str | None) -> PublishedSet | None:
        return next((one for one in self.published if one.name == name), None)

    def _limits(self, like: str | None) -> tuple[tuple[Limit, ...], float]:
        published = self._like(like)
        if published is not None:
            return published.limits, published.delta
        return (Limit(Quantity(self.mask.measure), self.mask.beta),), self.mask.delta

    def _mask(self, like: str | None) -> tuple[Limit | None, AskMask]:
        """Return the limit of a published set that a masking can keep, where it has one, and the masking by it."""
        limits, delta = self._limits(like)
        for limit in limits:
            if limit.quantity in (Quantity.SEPARATION, Quantity.DISTINCT) and limit.value < 1.0:
                return limit, replace(self.mask, measure=Measure(limit.quantity), beta=limit.value, delta=delta)
        return None, self.mask

    def _measured(self, limit: Limit, check: CheckAnswer, delta: float) -> Estimate | None:
        """Return what a limit is about; None for what no sample tells."""
        plain = {
            Quantity.SEPARATION: check.separation,
            Quantity.DISTINCT: check.distinct,
            Quantity.UNIQUE_ROWS: check.unique_rows,
        }
        if limit.quantity in plain:
            return plain[limit.quantity]
        if limit.quantity is Quantity.SMALLEST_GROUP:
            return None if check.group_sizes is None else Estimate.exact(float(check.group_sizes.smallest))
        if limit.quantity is Quantity.CLOSENESS:
            known = limit.sensitive in self.evidence.columns
            return closeness(self.evidence, check.columns, limit, delta) if known else None
        here, k = self.checker.partition(check.columns), limit.k or 2
        return Estimate.exact(small(here, k)) if check.exact else small_estimate(here, k, check.delta)
