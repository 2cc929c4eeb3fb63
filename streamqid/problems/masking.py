"""β-separation and β-distinct masking: publish as many columns as possible, but no quasi-identifier.

The conditions are those of minimum keys (``problems.minimum_key``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.measures.estimate import Estimate
from streamqid.measures.partition import partition_by_all, table_of
from streamqid.measures.ratios import unique, unique_estimate
from streamqid.problems import contributions, masks_on_samples
from streamqid.problems.answer import MaskAnswer, Measure, Rule
from streamqid.problems.greedy import state_of
from streamqid.problems.mask_question import FoundMask, MaskQuestion
from streamqid.problems.sentences import mask_sentence

if TYPE_CHECKING:
    from streamqid.sampling.pairs import Evidence


def masking(evidence: Evidence, question: MaskQuestion) -> MaskAnswer:
    """Find a large column set whose ratio is at most β.

    Paper rule (Theorems 11 and 12): the greedy algorithm on the sample, up to β' < β, which pays for all 2^m
    column sets.  Certified rule: the greedy order is chosen on A; the sets of the chain are judged on B from the
    small ones up, and the first that fails ends it.  Either way the published set has a ratio of at most β with
    probability 1 - δ; nothing is promised about its size.  Exact when the sample holds the whole table.

    Where columns must be published, a tenth of δ is for the claim that they exceed β, and the rest for all others.
    """
    found = _exact(evidence, question) if evidence.whole else _on_samples(evidence, question)
    chosen = set(found.chosen)
    publish = [name for j, name in enumerate(evidence.columns) if j in chosen]
    by_pairs = question.measure is Measure.SEPARATION
    return MaskAnswer(
        measure=question.measure,
        rule=question.rule,
        beta=question.beta,
        delta=question.delta,
        publish=publish,
        hide=[name for j, name in enumerate(evidence.columns) if j not in chosen],
        met=found.met,
        separation=found.ratio if by_pairs else None,
        distinct=None if by_pairs else found.ratio,
        unique_rows=_unique(evidence, found, question.delta),
        contributions=found.added,
        rows=evidence.n,
        rows_estimated=evidence.population is None,
        sample=found.sample,
        sample_unit="rows" if evidence.whole else "pairs" if by_pairs else "tuples",
        exact=evidence.whole,
        guarantee=mask_sentence(publish, question, found, exact=evidence.whole),
    )


def _on_samples(evidence: Evidence, question: MaskQuestion) -> FoundMask:
    by_paper = question.rule is Rule.PAPER
    if question.measure is Measure.SEPARATION:
        solve = masks_on_samples.paper_pairs if by_paper else masks_on_samples.certified_pairs
    else:
        solve = masks_on_samples.paper_tuples if by_paper else masks_on_samples.certified_tuples
    return solve(evidence, question)


def _unique(evidence: Evidence, found: FoundMask, delta: float) -> Estimate:
    """Bound the rows that are unique on the published columns.

    B also chose them, but by the paper's rule on tuples; the bound then holds for all sets that it could choose.
    """
    if not found.chosen:
        return Estimate.exact(1.0 if evidence.n == 1 else 0.0)
    here = partition_by_all(evidence.b.fingerprints[:, found.chosen], missing_differ=evidence.missing_differ)
    return Estimate.exact(unique(here)) if evidence.whole else unique_estimate(here, delta, found.log_choices)


def _exact(evidence: Evidence, question: MaskQuestion) -> FoundMask:
    table = table_of(evidence.columns, evidence.a.fingerprints, missing_differ=evidence.missing_differ)
    state = state_of(table, question.measure)
    # Every column identifies a row that is alone in its table.
    chosen = question.chain(state, question.beta) if table.n > 1 else list(question.must_publish)
    ratio = state.count / state.total if state.total else 1.0
    return FoundMask(
        chosen=chosen,
        ratio=Estimate.exact(ratio),
        met=ratio <= question.beta,
        sample=table.n,
        added=contributions.from_table(table, chosen, question.measure, exact=True),
    )
