"""What is asked of a stream, and when."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from streamqid.config.problems import (
    ArticulationProblemConfig,
    AskedMethods,
    DependenciesProblemConfig,
    MinimalProblemConfig,
    OptimalKeyProblemConfig,
    OptimalMaskProblemConfig,
    QidProblemConfig,
)
from streamqid.config.quantities import Duration
from streamqid.config.section import Count, Name, Names, Ratio, Section, Share, Weights, mistake
from streamqid.problems.answer import Measure, Rule

_MEASURE = "Count pairs of rows that differ (separation), or rows that are different (distinct)."
_RULE = "Judge on a second sample (certified), or on the one that chose, for all sets of named columns (paper)."
_KEY_RULE = f"{_RULE[:-1]}, by separation also on all pairs of fewer rows (tuples)."


class KeyProblemConfig(Section):
    """A small column set that identifies nearly every row."""

    measure: Measure = Field(Measure.SEPARATION, description=_MEASURE)
    epsilon: Share = Field(0.001, description="Share of pairs or rows that the key may leave together.")
    delta: Share = Field(0.01, description="Probability that the promise is broken.")
    rule: Rule = Field(Rule.CERTIFIED, description=_KEY_RULE)
    beta: Ratio | None = Field(None, description="Ask for a separation of (1 − ε)·β only, instead of 1 − ε.")
    weights: Weights = Field({}, description="Costs of columns, such as {zip: 2}; 1 for all others.")

    @model_validator(mode="after")
    def _measure_fits(self) -> Self:
        if self.beta is not None and self.measure is Measure.DISTINCT:
            raise mistake("beta", "is for the measure separation only")
        if self.rule is Rule.TUPLES and (self.beta is not None or self.measure is Measure.DISTINCT):
            raise mistake("rule", "is tuples, which is for keys by separation without beta")
        return self


class MaskProblemConfig(Section):
    """A large column set that can be published."""

    measure: Measure = Field(Measure.SEPARATION, description=_MEASURE)
    beta: Ratio = Field(0.8, description="Highest ratio that the published columns may have.")
    delta: Share = Field(0.01, description="Probability that the promise is broken.")
    rule: Rule = Field(Rule.CERTIFIED, description=_RULE)
    weights: Weights = Field({}, description="Utilities of columns, such as {diagnosis: 5}; 1 for all others.")
    must_publish: Names = Field((), description="Columns that are published in any case.")
    must_hide: Names = Field((), description="Columns that are not published in any case.")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.rule is Rule.TUPLES:
            raise mistake("rule", "is tuples, which is for keys: ask by certified or paper")
        both = set(self.must_publish) & set(self.must_hide)
        if both:
            raise mistake("must_hide", f"names the column {min(both)!r}, which must_publish names too: name it once")
        return self


class ProblemsConfig(AskedMethods):
    """What is asked of all records since the start."""

    key: KeyProblemConfig | None = Field(KeyProblemConfig(), description="Minimum key; null asks for none.")
    mask: MaskProblemConfig | None = Field(MaskProblemConfig(), description="Masking; null asks for none.")
    minimal: MinimalProblemConfig | None = Field(
        None, description="All minimal sets; needs columns.only.", examples=[MinimalProblemConfig()]
    )
    qid: QidProblemConfig | None = Field(
        None, description="Quasi-identifier against k-anonymity; needs columns.only.", examples=[QidProblemConfig()]
    )
    optimal_key: OptimalKeyProblemConfig | None = Field(
        None,
        description="The key by the exact solver, beside the greedy one; needs columns.only.",
        examples=[OptimalKeyProblemConfig()],
    )
    optimal_mask: OptimalMaskProblemConfig | None = Field(
        None,
        description="The masking by the exact solver, beside the greedy one; needs columns.only.",
        examples=[OptimalMaskProblemConfig()],
    )
    dependencies: DependenciesProblemConfig | None = Field(
        None, description="Approximate dependencies; needs columns.only.", examples=[DependenciesProblemConfig()]
    )
    articulation: ArticulationProblemConfig | None = Field(
        None,
        description="Articulation points of the graph of columns.",
        examples=[ArticulationProblemConfig(identifiers=("person_id",), sensitive=("diagnosis",))],
    )

    @property
    def others(self) -> dict[str, "OtherProblemConfig"]:
        """The problems besides key and mask that are asked, by their names."""
        found = ((name, getattr(self, name)) for name in OTHERS)
        return {name: problem for name, problem in found if problem is not None}


OtherProblemConfig = (
    MinimalProblemConfig
    | QidProblemConfig
    | OptimalKeyProblemConfig
    | OptimalMaskProblemConfig
    | DependenciesProblemConfig
    | ArticulationProblemConfig
)
OTHERS = ("minimal", "qid", "optimal_key", "optimal_mask", "dependencies", "articulation")


class ScheduleConfig(Section):
    """When to solve."""

    solve_records: Count | None = Field(1_000_000, description="Solve after so many records; null: not by records.")
    solve_interval: Annotated[Duration, Field(gt=0)] | None = Field(
        60.0, description="Solve after so long, if there were records; null: not by time."
    )
    on_close: bool = Field(True, description="Solve at once when a pane has closed.")

    @model_validator(mode="after")
    def _solves(self) -> Self:
        if self.solve_records is None and self.solve_interval is None and not self.on_close:
            raise mistake("on_close", "is false, solve_records and solve_interval are null: nothing would be solved")
        return self


class SmallGroupsConfig(Section):
    """Rows in small groups."""

    k: int = Field(5, ge=2, le=1_000_000, description="A group of fewer rows is small.")
    share: Ratio = Field(description="Highest share of rows that may be in small groups.")


class ClosenessConfig(Section):
    """t-closeness of a sensitive column, by the rows in groups that are too far from all rows."""

    sensitive: Name = Field(description="The column whose distribution is compared; groups are by the other columns.")
    t: float = Field(ge=0, lt=1, description="A group is far if its distribution is further than this from all rows.")
    share: Annotated[float, Field(ge=0, le=1)] = Field(
        0.0, description="Highest share of rows in far groups; 0 is t-closeness, which a sample can only refute."
    )
    distance: Literal["equal", "ordered", "hierarchical"] = Field(
        "equal", description="Ground distance of two values; others than equal need the values, and are refused."
    )

    @model_validator(mode="after")
    def _fits_fingerprints(self) -> Self:
        if self.distance != "equal":
            what = f"is {self.distance}, but a stream keeps keyed fingerprints, of which nothing but equality survives"
            raise mistake("distance", f"{what}: write equal, or ask streamqid audit of the table")
        return self


class LimitsConfig(Section):
    """How far a published set may go."""

    separation: Ratio | None = Field(None, description="Highest share of pairs of rows that may differ on it.")
    distinct: Ratio | None = Field(None, description="Highest number of different rows, by the number of rows.")
    unique_rows: Ratio | None = Field(None, description="Highest share of rows that may be unique.")
    small_groups: SmallGroupsConfig | None = Field(None, description="Rows in groups of fewer than k rows.")
    smallest_group: Count | None = Field(None, description="Least number of rows that a group may have.")
    closeness: tuple[ClosenessConfig, ...] = Field((), description="t-closeness of sensitive columns, on the sample.")

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if all(getattr(self, name) in (None, ()) for name in type(self).model_fields):
            raise mistake("separation", "and all other limits are missing: give at least one")
        return self


class PublishedSetConfig(Section):
    """Columns that are published together today."""

    name: Name = Field(description="What to call the set.")
    columns: Annotated[Names, Field(min_length=1)] = Field(description="Its columns.")
    limits: LimitsConfig = Field(description="How far it may go: one or several of these.")
    delta: Share = Field(0.01, description="Probability that any verdict on it is ever wrong, over all windows.")
    window_panes: Count | None = Field(None, description="Panes of its window; null: as windows.window_panes says.")
    owner: str = Field("", max_length=1000, description="Whom an alert is for.")
    link: str = Field("", max_length=1000, description="Where an alert says to read on.")
    fresh_from: float | None = Field(
        None,
        ge=0,
        description="When the set was chosen by records of this stream, in seconds since 1970 (or an offset): windows "
        "that start before are no evidence about it.",
    )
    must_publish: Names = Field((), description="Columns of it that no proposal drops.")
    min_rows: Count = Field(
        1, description="A window of fewer rows is unknown: of few rows nearly all are unique, at night for instance."
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        strange = [name for name in self.must_publish if name not in self.columns]
        if strange:
            raise mistake("must_publish", f"names the column {strange[0]!r}, which is not among its columns")
        sensitive = [one.sensitive for one in self.limits.closeness]
        if len(set(sensitive)) < len(sensitive):
            raise mistake("limits.closeness", "names a sensitive column twice: name it once")
        if any(set(self.columns) == {name} for name in sensitive):
            raise mistake("columns", "holds the sensitive column only: name one to group by")
        return self

    @property
    def count(self) -> bool:
        """Whether a limit needs groups that are counted over every record."""
        uncounted = ("separation", "closeness")
        return any(value is not None for name, value in self.limits if name not in uncounted)
