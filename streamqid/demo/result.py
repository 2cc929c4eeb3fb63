"""What the demo showed, and whether its story holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamqid.demo.scenario import PUBLISHED
from streamqid.engine.documents import VerdictState

if TYPE_CHECKING:
    from streamqid.demo.scenario import Scenario
    from streamqid.engine.alerts import Alert
    from streamqid.engine.documents import Recommendation, Verdict
    from streamqid.engine.loop import Tally


@dataclass(frozen=True, slots=True)
class DemoResult:
    """What the demo showed."""

    scenario: Scenario
    recommendations: list[Recommendation]
    tally: Tally
    """Of the run after the crash."""
    digest: str
    reference_digest: str
    """Of a run that was never interrupted, with other batches."""
    alerts: list[Alert]

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdict on the published set in each recommendation."""
        return [verdict for verdict in self._all_verdicts if verdict.columns == list(PUBLISHED.columns)]

    @property
    def applied(self) -> list[Verdict]:
        """The verdicts on what was published instead, in windows that it was not chosen from."""
        others = (verdict for verdict in self._all_verdicts if verdict.columns != list(PUBLISHED.columns))
        return [verdict for verdict in others if verdict.number is not None]

    @property
    def _all_verdicts(self) -> list[Verdict]:
        return [verdict for recommendation in self.recommendations for verdict in recommendation.verdicts]

    @property
    def story_holds(self) -> bool:
        """Whether the set was safe before the drift and unsafe after it, and what was proposed instead is safe."""
        drift, population = self.scenario.drift, self.scenario.population
        begins = population.start + drift.at_row / population.rate
        full = population.start + (drift.at_row + drift.over) / population.rate
        half_a_row = 0.5 / population.rate
        before = [v.state for v in self.verdicts if v.window and v.window.end <= begins + half_a_row]
        after = [v.state for v in self.verdicts if v.window and v.window.start >= full - half_a_row]
        applied = {verdict.state for verdict in self.applied}
        return (set(before), set(after), applied) == ({VerdictState.SAFE}, {VerdictState.UNSAFE}, {VerdictState.SAFE})
