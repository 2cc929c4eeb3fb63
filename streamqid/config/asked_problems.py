"""From the configured problems to the questions that a stream is asked, besides key and mask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.engine.sample_questions import (
    AskArticulation,
    AskDependencies,
    AskMinimal,
    AskOptimalKey,
    AskOptimalMask,
    AskQid,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamqid.config.asking import ProblemsConfig
    from streamqid.engine.sample_questions import Ask


def problems_of(problems: ProblemsConfig) -> tuple[Ask, ...]:
    """Return the questions, in the order in which they are solved."""
    return tuple(_asked(problems))


def _asked(problems: ProblemsConfig) -> Iterator[Ask]:
    if (sets := problems.minimal) is not None:
        limits = (sets.max_size, sets.max_sets, sets.time_limit)
        yield AskMinimal(sets.measure, sets.epsilon, sets.beta, sets.delta, sets.weights, *limits)
    if (qid := problems.qid) is not None:
        yield AskQid(qid.find == "minimum", qid.k, qid.delta, qid.weights, qid.drop, qid.time_limit)
    if (key := problems.optimal_key) is not None:
        yield AskOptimalKey(key.epsilon, key.delta, key.weights, key.time_limit)
    if (mask := problems.optimal_mask) is not None:
        columns = (mask.must_publish, mask.must_hide)
        yield AskOptimalMask(mask.measure, mask.beta, mask.delta, mask.weights, *columns, mask.time_limit)
    if (found := problems.dependencies) is not None:
        sizes = (found.most, found.max_found)
        yield AskDependencies(found.threshold, found.delta, *sizes, found.sides, found.identifiers, found.time_limit)
    if (graph := problems.articulation) is not None:
        yield AskArticulation(graph.identifiers, graph.sensitive, graph.pairs, graph.threshold, graph.time_limit)
