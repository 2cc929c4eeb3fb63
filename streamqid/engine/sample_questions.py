"""The further problems of a stream, each asked of the samples of all its records, by names of columns.

Each has the ``name`` of its field in a recommendation, a time limit of its own (``seconds``), and a solver that gets by
with samples of two rows at least.  Where the promise holds for all sets of columns at once, they must be ``named``
beforehand.  A question that only every row can answer cannot be asked (``config.problems`` refuses it with the reason).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from streamqid.engine.questions import numbers_of, weights_of
from streamqid.problems.answer import Measure, Rule
from streamqid.problems.articulation_on_samples import articulation_on_samples
from streamqid.problems.declared import dependency
from streamqid.problems.dependencies_on_samples import DependencyQuestion, dependencies_on_samples
from streamqid.problems.key_question import KeyQuestion
from streamqid.problems.mask_question import MaskQuestion
from streamqid.problems.minimal_on_samples import minimal_on_samples
from streamqid.problems.minimal_question import MinimalQuestion
from streamqid.problems.optimal_key import optimal_key_of_tuples
from streamqid.problems.optimal_mask_on_samples import optimal_mask_on_samples
from streamqid.problems.qid_on_samples import minimal_qid, minimum_qid

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamqid.problems.articulation_on_samples import ArticulationAnswer
    from streamqid.problems.dependencies_answer import DependenciesAnswer
    from streamqid.problems.minimal_answer import MinimalAnswer
    from streamqid.problems.optimum_answer import OptimalKeyAnswer, OptimalMaskAnswer
    from streamqid.problems.qid_answer import QidAnswer
    from streamqid.sampling.pairs import Evidence

SECONDS = 20.0
PROGRAM = 0.75
"""Share of its time after which a program is to return the best set that it has; the rest is for measuring the set."""


@dataclass(frozen=True, slots=True)
class AskMinimal:
    """Ask for all minimal sets that identify rows (see ``problems.minimal_on_samples``)."""

    name: ClassVar[str] = "minimal"
    named: ClassVar[bool] = True
    measure: Measure = Measure.SEPARATION
    epsilon: float = 0.001
    beta: float | None = None
    delta: float = 0.01
    weights: Mapping[str, float] = field(default_factory=dict)
    max_size: int | None = None
    max_sets: int = 1000
    seconds: float = SECONDS

    def solve(self, evidence: Evidence) -> MinimalAnswer:
        """Search on the samples."""
        weights = weights_of(evidence.columns, self.weights)
        question = MinimalQuestion(
            self.measure, self.epsilon, self.delta, weights, self.beta, self.max_size, self.max_sets
        )
        return minimal_on_samples(evidence, question)


@dataclass(frozen=True, slots=True)
class AskQid:
    """Ask for a quasi-identifier against k-anonymity (see ``problems.qid_on_samples``)."""

    name: ClassVar[str] = "qid"
    named: ClassVar[bool] = True
    minimum: bool = True
    """The lightest one; otherwise one of which no column can be left out."""
    k: int = 2
    delta: float = 0.01
    weights: Mapping[str, float] = field(default_factory=dict)
    drop: tuple[str, ...] = ()
    """Columns that are tried for dropping first, if not the lightest one is asked for."""
    seconds: float = SECONDS

    def solve(self, evidence: Evidence) -> QidAnswer:
        """Solve the program within three quarters of the time, or descend."""
        columns = evidence.columns
        if self.minimum:
            weights = weights_of(columns, self.weights)
            return minimum_qid(evidence, self.k, self.delta, weights, seconds=PROGRAM * self.seconds)
        first = numbers_of(columns, self.drop)
        order = [*first, *(j for j in reversed(range(len(columns))) if j not in first)]
        return minimal_qid(evidence, self.k, self.delta, order)


@dataclass(frozen=True, slots=True)
class AskOptimalKey:
    """Ask for the lightest key of the sampled tuples (see ``problems.optimal_key``)."""

    name: ClassVar[str] = "optimal_key"
    named: ClassVar[bool] = True
    epsilon: float = 0.001
    delta: float = 0.01
    weights: Mapping[str, float] = field(default_factory=dict)
    seconds: float = SECONDS

    def solve(self, evidence: Evidence) -> OptimalKeyAnswer:
        """Solve the program within three quarters of the time."""
        weights = weights_of(evidence.columns, self.weights)
        question = KeyQuestion(Measure.SEPARATION, self.epsilon, self.delta, Rule.TUPLES, weights)
        return optimal_key_of_tuples(evidence, question, seconds=PROGRAM * self.seconds)


@dataclass(frozen=True, slots=True)
class AskOptimalMask:
    """Ask for the heaviest set to publish that the sample proves (see ``problems.optimal_mask_on_samples``)."""

    name: ClassVar[str] = "optimal_mask"
    named: ClassVar[bool] = True
    measure: Measure = Measure.SEPARATION
    beta: float = 0.8
    delta: float = 0.01
    weights: Mapping[str, float] = field(default_factory=dict)
    must_publish: tuple[str, ...] = ()
    must_hide: tuple[str, ...] = ()
    seconds: float = SECONDS

    def solve(self, evidence: Evidence) -> OptimalMaskAnswer:
        """Solve the program within three quarters of the time."""
        columns = evidence.columns
        question = MaskQuestion(
            self.measure,
            self.beta,
            self.delta,
            Rule.PAPER,
            weights_of(columns, self.weights),
            numbers_of(columns, self.must_publish),
            numbers_of(columns, self.must_hide),
        )
        return optimal_mask_on_samples(evidence, question, seconds=PROGRAM * self.seconds)


@dataclass(frozen=True, slots=True)
class AskDependencies:
    """Ask for approximate dependencies (see ``problems.dependencies_on_samples``)."""

    name: ClassVar[str] = "dependencies"
    named: ClassVar[bool] = True
    threshold: float = 0.01
    delta: float = 0.01
    most: int = 1
    max_found: int = 100
    declared: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    identifiers: tuple[str, ...] = ()
    seconds: float = SECONDS

    def solve(self, evidence: Evidence) -> DependenciesAnswer:
        """Learn on A, judge on B."""
        question = DependencyQuestion(
            threshold=self.threshold,
            delta=self.delta,
            most=self.most,
            max_found=self.max_found,
            declared=tuple(dependency(left, right) for left, right in self.declared),
            identifiers=self.identifiers,
        )
        return dependencies_on_samples(evidence, question)


@dataclass(frozen=True, slots=True)
class AskArticulation:
    """Ask for articulation points between identifiers and sensitive columns (see ``problems.articulation``)."""

    name: ClassVar[str] = "articulation"
    named: ClassVar[bool] = False
    identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    edges: tuple[tuple[str, str], ...] = ()
    threshold: float = 0.5
    seconds: float = SECONDS

    def solve(self, evidence: Evidence) -> ArticulationAnswer:
        """Look at the graph."""
        return articulation_on_samples(evidence, self.identifiers, self.sensitive, self.edges, self.threshold)


Ask = AskMinimal | AskQid | AskOptimalKey | AskOptimalMask | AskDependencies | AskArticulation
