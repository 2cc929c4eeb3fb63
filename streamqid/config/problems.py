"""Further problems of a stream, on its samples; what only every row can answer is refused with the reason."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from streamqid.config.quantities import Duration
from streamqid.config.section import Count, Names, Ratio, Section, Share, Weights, mistake
from streamqid.problems.answer import Measure

_LIMIT = "After so long this problem is left unanswered; the other answers are not touched."
_DELTA = "Probability that the promise is broken."
_WEIGHTS = "Costs of columns, such as {zip: 2}; 1 for all others."
Seconds = Annotated[Duration, Field(gt=0)]


class MinimalProblemConfig(Section):
    """All minimal column sets that identify nearly every row, and which of them are certain to."""

    measure: Measure = Field(Measure.SEPARATION, description="Count pairs of rows that differ, or different rows.")
    epsilon: float = Field(0.001, ge=0, lt=1, description="Share of pairs or rows that a set may leave together.")
    beta: Ratio | None = Field(None, description="Ask for a ratio of β instead of 1 − ε.")
    delta: Share = Field(0.01, description=_DELTA)
    weights: Weights = Field({}, description=_WEIGHTS)
    max_size: Count | None = Field(None, description="Look for sets of at most so many columns; null: of any size.")
    max_sets: Annotated[int, Field(ge=1, le=100_000)] = Field(1000, description="Stop at so many sets.")
    method: Literal["search", "levelwise"] = Field(
        "search", description="Search on the samples; levelwise is the paper's for whole tables, and refused here."
    )
    time_limit: Seconds = Field(20.0, description=_LIMIT)

    @model_validator(mode="after")
    def _fits_samples(self) -> Self:
        if not self.epsilon and self.beta is None:
            what = "is 0, which asks for exact minimal keys: only every row can show that no two rows agree"
            raise mistake("epsilon", f"{what}, so give a share, or ask streamqid keys --all of the table")
        if self.method == "levelwise":
            what = "is levelwise, which counts the sets that it keeps on every row, and a stream keeps samples only"
            raise mistake("method", f"{what}: write search")
        return self


class QidProblemConfig(Section):
    """A quasi-identifier against k-anonymity that the sample proves."""

    find: Literal["minimum", "minimal"] = Field(
        "minimum", description="The lightest one that is proven (minimum), or one that needs all its columns (minimal)."
    )
    k: int = Field(2, ge=2, le=1_000_000, description="A row in a group of fewer rows is exposed.")
    exposes: Literal["some", "every"] = Field(
        "some", description="Whom it exposes: some row; every row that all columns expose needs the whole table."
    )
    anonymous: bool = Field(
        False, description="Whether to prove that there is none, which needs the whole table and is refused."
    )
    delta: Share = Field(0.01, description=_DELTA)
    weights: Weights = Field({}, description=_WEIGHTS)
    drop: Names = Field((), description="For minimal: columns that are tried for dropping first.")
    time_limit: Seconds = Field(20.0, description=_LIMIT)

    @model_validator(mode="after")
    def _fits_samples(self) -> Self:
        if self.exposes == "every":
            what = "is every, but whether a row outside the sample is exposed shows on the whole table only"
            raise mistake("exposes", f"{what}: write some, or ask streamqid keys --measure k-anonymity of the table")
        if self.anonymous:
            what = "is true, but one row outside the sample would break k-anonymity, so only every row can show it"
            raise mistake("anonymous", f"{what}: write false, or limit small_groups of a published set")
        if self.drop and self.find == "minimum":
            raise mistake("drop", "is for find: minimal only")
        return self


class OptimalKeyProblemConfig(Section):
    """The lightest column set that separates all sampled rows, by a mixed-integer program (rule tuples)."""

    measure: Measure = Field(Measure.SEPARATION, description="Separation; distinct needs the whole table.")
    epsilon: Share = Field(0.001, description="Share of pairs that the key may leave together.")
    delta: Share = Field(0.01, description=_DELTA)
    weights: Weights = Field({}, description=_WEIGHTS)
    time_limit: Seconds = Field(20.0, description=f"{_LIMIT}  The solver gets three quarters of it.")

    @model_validator(mode="after")
    def _fits_samples(self) -> Self:
        if self.measure is Measure.DISTINCT:
            what = "is distinct, whose optimum only every row can show: a sample does not tell groups from rows"
            raise mistake("measure", f"{what}, so write separation, or ask streamqid keys --solver exact of the table")
        return self


class OptimalMaskProblemConfig(Section):
    """The heaviest column set to publish that the sample proves, by a mixed-integer program (rule paper)."""

    measure: Measure = Field(Measure.SEPARATION, description="Count pairs of rows that differ, or different rows.")
    beta: Ratio = Field(0.8, description="Highest ratio that the published columns may have.")
    delta: Share = Field(0.01, description=_DELTA)
    weights: Weights = Field({}, description="Utilities of columns, such as {diagnosis: 5}; 1 for all others.")
    must_publish: Names = Field((), description="Columns that are published in any case.")
    must_hide: Names = Field((), description="Columns that are not published in any case.")
    time_limit: Seconds = Field(20.0, description=f"{_LIMIT}  The solver gets three quarters of it.")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        both = set(self.must_publish) & set(self.must_hide)
        if both:
            raise mistake("must_hide", f"names the column {min(both)!r}, which must_publish names too: name it once")
        return self


class DependenciesProblemConfig(Section):
    """Approximate functional dependencies between columns, each with the bounds that the samples support."""

    kind: Literal["approximate", "singling"] = Field(
        "approximate", description="By share of rows; by single values (singling, Algorithm 2) needs the whole table."
    )
    threshold: Annotated[float, Field(ge=0, lt=1)] = Field(0.01, description="Share of rows that may break one (g3).")
    delta: Share = Field(0.01, description=_DELTA)
    most: int = Field(1, ge=1, le=3, description="Most columns on a left side.")
    max_found: Annotated[int, Field(ge=1, le=10_000)] = Field(100, description="Dependencies that are listed.")
    declared: Names = Field(
        (), description="Dependencies to be measured in any case, each written as zip+street->city."
    )
    identifiers: Names = Field((), description="Columns that name a person, for what the declared ones determine.")
    time_limit: Seconds = Field(20.0, description=_LIMIT)

    @property
    def sides(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """The declared dependencies."""
        return tuple((_side(text.partition("->")[0]), _side(text.partition("->")[2])) for text in self.declared)

    @model_validator(mode="after")
    def _fits_samples(self) -> Self:
        if self.kind == "singling":
            what = "is singling, but a value that one sampled row has may belong to rows outside the sample"
            raise mistake("kind", f"{what}: write approximate, or ask streamqid detect of the table")
        if not all(left and right for left, right in self.sides):
            raise mistake("declared", "holds a text that is no dependency: write each as zip+street->city")
        return self


class ArticulationProblemConfig(Section):
    """Columns between identifiers and sensitive columns; relations derived from a sample are of the sample only."""

    identifiers: Annotated[Names, Field(min_length=1)] = Field(description="Columns that name a person.")
    sensitive: Annotated[Names, Field(min_length=1)] = Field(description="Columns that must not be learned.")
    edges: Names = Field((), description="Related columns, each written as zip+city; empty: derived from the sample.")
    threshold: Ratio = Field(0.5, description="Gain from which a derived graph has an edge.")
    time_limit: Seconds = Field(20.0, description=_LIMIT)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The declared relations."""
        return tuple((side[0], side[1]) for side in map(_side, self.edges))

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if any(len(set(_side(text))) != 2 or len(_side(text)) != 2 for text in self.edges):
            raise mistake("edges", "holds a text that is no relation of two columns: write each as zip+city")
        both = set(self.identifiers) & set(self.sensitive)
        if both:
            raise mistake("sensitive", f"names the column {min(both)!r}, which identifiers names too: name it once")
        return self


_ALONE = "a value that one sampled row has may belong to rows outside the sample"
_DISTINCT = "a sample does not tell whether a set has as many different values in the table as all columns"
_VIEWS = "it follows from declared views alone, so that no record changes it"
_REFUSED = {"sqia": _DISTINCT, "dpi": _ALONE, "f2cic": _ALONE, "qia": _VIEWS, "fpcv": _VIEWS}
_ASKED_AS = {
    "separation": "key and mask, with measure: separation",
    "distinct": "key and mask, with measure: distinct",
    "k-anonymity": "qid",
    "tuples": "key with rule: tuples, or optimal_key",
}


class AskedMethods(Section):
    """Methods of detect by the names that they have there: refused with the reason, or with their name here."""

    @model_validator(mode="before")
    @classmethod
    def _methods_of_detect(cls, values: Any) -> Any:
        for name in values if isinstance(values, dict) else ():
            if name in _REFUSED:
                raise mistake(name, f"is no problem of a stream: {_REFUSED[name]}; ask streamqid detect of the table")
            if name in _ASKED_AS:
                raise mistake(name, f"is a name of detect or of a rule: a stream asks for it as {_ASKED_AS[name]}")
        return values


def named_by(problem: Section) -> Iterator[tuple[str, str]]:
    """Yield each column that a problem names, after the key that names it."""
    for key in ("weights", "drop", "must_publish", "must_hide", "identifiers", "sensitive"):
        yield from ((key, name) for name in getattr(problem, key, ()))
    sides = problem.sides if isinstance(problem, DependenciesProblemConfig) else ()
    yield from (("declared", name) for left, right in sides for name in (*left, *right))
    pairs = problem.pairs if isinstance(problem, ArticulationProblemConfig) else ()
    yield from (("edges", name) for pair in pairs for name in pair)


def _side(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split("+") if part.strip())
