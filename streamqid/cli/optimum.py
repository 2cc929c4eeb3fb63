"""What ``keys`` and ``mask`` do when an optimum or a quasi-identifier against k-anonymity is asked for."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamqid.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.options import Options
    from streamqid.problems.optimum_answer import OptimalKeyAnswer, OptimalMaskAnswer
    from streamqid.problems.qid_answer import QidAnswer

SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Wish:
    """Which solver is asked for, how long it may take, and the rule beside it."""

    solver: str
    time_limit: float | None
    rule: str

    def __post_init__(self) -> None:
        if self.exact and self.rule == "certified":
            msg = "The exact solver counts every row, or samples by --rule tuples: leave out --rule certified."
            raise UsageError(msg)
        if self.time_limit is not None and not self.exact:
            msg = "--time-limit is for the exact solver: add --solver exact, or leave it out."
            raise UsageError(msg)

    @property
    def exact(self) -> bool:
        """Whether the optimum is asked for."""
        return self.solver == "exact"

    @property
    def seconds(self) -> float:
        """Time limit."""
        return SECONDS if self.time_limit is None else self.time_limit


def keys(
    table: str, options: "Options", wish: Wish, *, measure: str, epsilon: float, delta: float, beta: float | None
) -> "OptimalKeyAnswer":
    """Find the lightest key."""
    from streamqid import optimum
    from streamqid.cli import show_optimum  # noqa: F401 registers how the answer is shown

    return optimum.optimal_keys(
        table,
        measure=measure,
        epsilon=epsilon,
        beta=beta,
        rule=None if wish.rule == "paper" else wish.rule,
        delta=delta,
        time_limit=wish.seconds,
        **options,
    )


def mask(
    table: str,
    options: "Options",
    wish: Wish,
    *,
    measure: str,
    beta: float,
    must_publish: "Sequence[str]",
    must_hide: "Sequence[str]",
) -> "OptimalMaskAnswer":
    """Find the heaviest set to publish."""
    from streamqid import optimum
    from streamqid.cli import show_optimum  # noqa: F401 registers how the answer is shown

    return optimum.optimal_mask(
        table,
        measure=measure,
        beta=beta,
        must_publish=must_publish,
        must_hide=must_hide,
        time_limit=wish.seconds,
        **options,
    )


def qids(
    table: str,
    options: "Options",
    wish: Wish,
    *,
    k: int | None,
    exposes: str,
    sample: int | None,
    delta: float,
    beta: float | None,
) -> "QidAnswer":
    """Find a quasi-identifier against k-anonymity: the minimum one if exact, else a minimal one."""
    from streamqid import optimum
    from streamqid.cli import show_optimum  # noqa: F401 registers how the answer is shown

    if k is None:
        msg = "Say how many rows a group must have to be safe: add --k, such as --k 5."
        raise UsageError(msg)
    if beta is not None or wish.rule != "paper":
        msg = "--beta and --rule are for the measures separation and distinct: leave them out."
        raise UsageError(msg)
    if wish.exact:
        return optimum.minimum_qid(
            table, k=k, exposes=exposes, sample=sample, delta=delta, time_limit=wish.seconds, **options
        )
    return optimum.minimal_qid(table, k=k, exposes=exposes, sample=sample, delta=delta, **options)


def refuse_qid_options(k: int | None, exposes: str, sample: int | None) -> None:
    """Refuse what only quasi-identifiers against k-anonymity take."""
    if k is not None or exposes != "some" or sample is not None:
        msg = "--k, --exposes and --sample are for --measure k-anonymity: add it, or leave them out."
        raise UsageError(msg)
