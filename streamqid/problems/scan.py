"""The overview of a table: every column's risk, a minimum key, and what could be published."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from streamqid.measures.estimate import Estimate
from streamqid.measures.partition import table_of
from streamqid.measures.ratios import distinct, distinct_estimate, separation, separation_estimate
from streamqid.problems.answer import ColumnRisk, ScanAnswer
from streamqid.problems.greedy import Refinement, key_chain
from streamqid.problems.masking import masking
from streamqid.problems.minimum_key import minimum_key
from streamqid.problems.sentences import names, percent

if TYPE_CHECKING:
    from streamqid.measures.partition import Table
    from streamqid.problems.answer import KeyAnswer, MaskAnswer
    from streamqid.problems.key_question import KeyQuestion
    from streamqid.problems.mask_question import MaskQuestion
    from streamqid.sampling.pairs import Evidence

NEARLY_KEY = 0.9


def scan(evidence: Evidence, key_question: KeyQuestion, mask_question: MaskQuestion) -> ScanAnswer:
    """Answer the two main questions and rank the columns; each answer inside carries its own promise."""
    key, mask = minimum_key(evidence, key_question), masking(evidence, mask_question)
    risks = column_risks(evidence, key_question.delta)
    return ScanAnswer(
        columns=risks,
        key=key,
        mask=mask,
        advice=_advice(risks, key, mask),
        rows=evidence.n,
        rows_estimated=evidence.population is None,
        sample=len(evidence.a),
        sample_unit="rows",
        exact=evidence.whole,
        guarantee=f"{key.guarantee} {mask.guarantee}",
    )


def column_risks(evidence: Evidence, delta: float) -> list[ColumnRisk]:
    """Measure every column alone and its share of the risk of all columns, by falling share."""
    table = table_of(evidence.columns, evidence.a.fingerprints, missing_differ=evidence.missing_differ)
    pairs = None if evidence.whole else evidence.pairs(len(evidence.a))
    shares = _shares(table)
    risks = []
    for j, name in enumerate(evidence.columns):
        alone = table.partition([j])
        risks.append(
            ColumnRisk(
                column=name,
                separation=Estimate.exact(separation(alone)) if pairs is None else separation_estimate(pairs[j], delta),
                distinct=Estimate.exact(distinct(alone))
                if evidence.whole
                else distinct_estimate(alone, evidence.records, delta),
                risk=Estimate.exact(shares[j])
                if evidence.whole
                else Estimate(estimate=shares[j], lower=None, upper=None, confidence=0.0),
            )
        )
    return sorted(risks, key=lambda risk: (-risk.risk.estimate, -risk.separation.estimate))


def _shares(table: Table) -> list[float]:
    """Split the bits by which all columns tell pairs apart over the columns, in greedy order."""
    shares = [0.0] * len(table.columns)
    total = max(table.n * (table.n - 1) // 2, 1)
    here, before = table.partition([]), 0.0
    for j in key_chain(Refinement(table), [1.0] * len(table.columns)):
        here = here.refine(table.codes[j], table.sizes[j])
        # Half a pair stands for none, so that the bits stay finite when every pair is separated.
        bits = -math.log2(max(here.unseparated, 0.5) / total)
        shares[j], before = bits - before, bits
    return [share / before if before else 0.0 for share in shares]


def _advice(risks: list[ColumnRisk], key: KeyAnswer, mask: MaskAnswer) -> list[str]:
    identifiers = [risk.column for risk in risks if (risk.distinct.lower or 0.0) > NEARLY_KEY and key.rows > 1]
    advice = [
        f"{column} is nearly unique by itself: treat it as an identifier, do not publish it, "
        "and look again without it (`--ignore`)."
        for column in identifiers
    ]
    ratio = key.separation or key.distinct
    risky = ratio is not None and (ratio.lower or 0.0) > mask.beta
    if key.columns and risky and not set(key.columns) <= set(identifiers):
        advice.append(f"Do not publish {names(key.columns)}{' together' if len(key.columns) > 1 else ''}.")
    if mask.publish and mask.met:
        bound = mask.separation or mask.distinct
        upper = 1.0 if bound is None or bound.upper is None else bound.upper
        advice.append(
            f"{len(mask.publish)} of {len(mask.publish) + len(mask.hide)} columns can be published within "
            f"{percent(upper, up=True, exact=mask.exact)} {mask.measure}: see `streamqid mask`."
        )
    return advice
