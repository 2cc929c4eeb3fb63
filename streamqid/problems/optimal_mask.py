"""β-separation and β-distinct masking of a table, exactly."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from streamqid.measures.estimate import Estimate
from streamqid.measures.ratios import distinct, separation, unique
from streamqid.problems import contributions
from streamqid.problems.answer import Measure
from streamqid.problems.cuts import Within
from streamqid.problems.greedy import state_of
from streamqid.problems.mask_question import FoundMask, MaskQuestion
from streamqid.problems.optimum_answer import Optimality, OptimalMaskAnswer
from streamqid.problems.programs import Cover, lightest
from streamqid.problems.sentences import mask_sentence, optimum_sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.measures.partition import Table


def optimal_mask(table: Table, question: MaskQuestion, *, seconds: float = 60.0) -> OptimalMaskAnswer:
    """Find the heaviest column set whose ratio is at most β, with the columns that must be published or hidden.

    Everything is exact on the table: the ratio, and that no heavier set stays within β, unless time ran out, which
    the answer says.  The program looks for the lightest set to hide, by the rows of ``problems.cuts.Within``.
    Where the columns that must be published exceed β by themselves, they alone are published and ``met`` is false.
    """
    greedy = _greedy(table, question)
    cover = _hide(table, question, greedy, seconds)
    published = [j for j in range(len(table.columns)) if j not in set(cover.chosen)]
    names = [table.columns[j] for j in published]
    here = table.partition(published)
    ratio = (separation if question.measure is Measure.SEPARATION else distinct)(here)
    found = FoundMask(
        chosen=published,
        ratio=Estimate.exact(ratio),
        met=ratio <= question.beta,
        sample=table.n,
        added=contributions.from_table(table, published, question.measure, exact=True),
    )
    sentence = mask_sentence(names, question, found, exact=True)
    optimality = optimality_of_mask(table.columns, question, cover, greedy, seconds)
    return OptimalMaskAnswer(
        measure=question.measure,
        beta=question.beta,
        publish=names,
        hide=[table.columns[j] for j in cover.chosen],
        met=found.met,
        separation=Estimate.exact(separation(here)),
        distinct=Estimate.exact(distinct(here)),
        unique_rows=Estimate.exact(unique(here)),
        contributions=found.added,
        optimality=optimality,
        rows=table.n,
        sample=table.n,
        sample_unit="rows",
        exact=True,
        guarantee=f"{sentence} {optimum_sentence(optimality, 'heavier')}" if found.met else sentence,
    )


def _greedy(table: Table, question: MaskQuestion) -> list[int]:
    # Every column identifies a row that is alone in its table.
    if table.n < 2:
        return list(question.must_publish)
    return question.chain(state_of(table, question.measure), question.beta)


def _hide(table: Table, question: MaskQuestion, greedy: Sequence[int], seconds: float) -> Cover:
    """Find the columns to hide; ``greedy`` are those that the greedy algorithm publishes."""
    m, state = len(table.columns), state_of(table, question.measure)
    hidden = [j for j in range(m) if j not in set(greedy)]
    for j in question.must_publish:
        state.add(j)
    most = _most(question.beta, state.total)
    if state.count > most or table.n < 2:
        weight = float(sum(question.weights[j] for j in hidden))
        return Cover(hidden, weight, weight, optimal=True, rows=0, seconds=0.0)
    cuts = Within(
        lambda: state_of(table, question.measure),
        m,
        most,
        question.must_publish,
        submodular=question.measure is Measure.SEPARATION,
    )
    return lightest(question.weights, cuts, hidden, seconds, question.must_hide, question.must_publish)


def _most(beta: float, total: int) -> int:
    """Return the largest count whose ratio is at most β."""
    most = math.floor(beta * total) + 1
    return most if total and most / total <= beta else most - 1


def optimality_of_mask(
    columns: Sequence[str], question: MaskQuestion, cover: Cover, greedy: Sequence[int], seconds: float
) -> Optimality:
    """Return how good a heavy set is, given the columns to hide and those that the greedy algorithm publishes."""
    everything = float(sum(question.weights))
    weight, bound = everything - cover.weight, everything - cover.bound
    chosen = set(greedy)
    return Optimality(
        optimal=cover.optimal,
        weight=weight,
        bound=bound,
        gap=0.0 if cover.optimal else 1.0 - weight / bound,
        time_limit=seconds,
        greedy=[name for j, name in enumerate(columns) if j in chosen],
        greedy_weight=float(sum(question.weights[j] for j in chosen)),
    )
