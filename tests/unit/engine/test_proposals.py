"""What brings a set back under its limits: chosen on A, judged on B, and true."""

from __future__ import annotations

import numpy as np
import pytest

from streamqid.engine.documents import Proposal, VerdictState
from streamqid.engine.judge import Window, judge
from streamqid.engine.proposals import propose
from streamqid.engine.questions import Limit, PublishedSet, Quantity
from streamqid.sampling.secret import Secret
from tests.unit.engine.windows import window

DRAWS = np.random.default_rng(8)
ROWS = 40_000
CODES = {
    "age": DRAWS.integers(0, 20, ROWS),
    "region": DRAWS.integers(0, 500, ROWS),
    "sex": DRAWS.integers(0, 2, ROWS),
    "ward": DRAWS.integers(0, 3, ROWS),
}
COLUMNS = tuple(CODES)
SEPARATION = Limit(Quantity.SEPARATION, 0.998)


def published(*limits: Limit, must: tuple[str, ...] = ()) -> PublishedSet:
    return PublishedSet("p", COLUMNS, limits, must_publish=must)


def here(rows: int = ROWS, capacity: int = 12_000, seed: int = 3) -> Window:
    codes = {column: values[:rows] for column, values in CODES.items()}
    return window(codes, capacity=capacity, secret=Secret.from_seed(seed))


def truly(codes: dict[str, np.ndarray], columns: list[str]) -> tuple[float, float, float]:
    """Separation, distinct ratio and share of unique rows, counted."""
    _, counts = np.unique(np.stack([codes[c] for c in columns]), axis=1, return_counts=True)
    n = int(counts.sum())
    return 1 - float((counts * (counts - 1)).sum()) / (n * (n - 1)), len(counts) / n, float((counts == 1).sum()) / n


@pytest.mark.parametrize("rows", [ROWS, 2000])
def test_the_column_to_drop_and_the_part_to_keep_are_within_the_limits(rows: int) -> None:
    asked, where = published(SEPARATION), here(rows)
    assert judge(asked, where, 1).state is VerdictState.UNSAFE
    found = propose(asked, where, 1)
    assert found.drop == "region"
    assert found.without is not None
    assert found.keep is not None
    assert set(found.without.columns) == {"age", "sex", "ward"}
    codes = {column: values[:rows] for column, values in CODES.items()}
    for part in (found.without, found.keep):
        (bound,) = part.bounds
        assert bound.estimate is not None
        assert bound.estimate.upper is not None
        assert truly(codes, part.columns)[0] <= bound.estimate.upper <= 0.998
    assert found.sentence.startswith("Drop region")


@pytest.mark.parametrize("seed", range(5))
def test_what_is_proposed_is_judged_safe_in_the_next_window(seed: int) -> None:
    """On rows that the proposal was not chosen from, as ``fresh_from`` asks."""
    found = propose(published(SEPARATION), here(seed=seed), 1)
    assert found.keep is not None
    later = {column: np.random.default_rng(seed).permutation(values) for column, values in CODES.items()}
    fresh = window(later, pane=1, capacity=12_000, secret=Secret.from_seed(100 + seed))
    applied = PublishedSet("p", tuple(found.keep.columns), (SEPARATION,), fresh_from=10.0)
    assert judge(applied, fresh, 1).state is VerdictState.SAFE


@pytest.mark.parametrize("kind", ["first values apart", "last values apart", "even"])
def test_any_coarsening_to_so_many_values_keeps_the_limit(kind: str) -> None:
    found = propose(published(SEPARATION), here(), 1)
    assert found.drop == "region"
    assert found.coarsen_to is not None
    m = found.coarsen_to
    assert m >= 2
    region = CODES["region"]
    coarse = {
        "first values apart": np.minimum(region, m - 1),
        "last values apart": np.maximum(region, 500 - m),
        "even": region % m,
    }[kind]
    assert len(np.unique(coarse)) == m
    assert truly(CODES | {"region": coarse}, list(COLUMNS))[0] <= 0.998
    # And it is not far from what can be had: four times as many even values would break it.
    assert truly(CODES | {"region": region % (4 * m)}, list(COLUMNS))[0] > 0.998


@pytest.mark.parametrize(
    "limit",
    [Limit(Quantity.DISTINCT, 0.2), Limit(Quantity.UNIQUE_ROWS, 0.1), Limit(Quantity.SMALL_GROUPS, 0.3, 3)],
)
def test_limits_that_a_sample_bounds_from_above(limit: Limit) -> None:
    asked = published(limit)
    found = propose(asked, here(rows=8_000, capacity=3_000), 1)
    assert found.keep is not None
    assert found.uncertified == []
    codes = {column: values[:8_000] for column, values in CODES.items()}
    true = truly(codes, found.keep.columns)[1 if limit.quantity is Quantity.DISTINCT else 2]
    assert true <= limit.value
    exact = propose(asked, here(rows=2_000), 1)
    assert exact.keep is not None
    assert exact.confidence == 1.0
    if exact.coarsen_to is not None:
        codes = {column: values[:2_000] for column, values in CODES.items()}
        coarse = codes | {exact.drop or "": codes[exact.drop or ""] % exact.coarsen_to}
        assert truly(coarse, list(COLUMNS))[1 if limit.quantity is Quantity.DISTINCT else 2] <= limit.value


def test_a_column_that_must_be_published_is_never_dropped() -> None:
    found = propose(published(SEPARATION, must=("region",)), here(), 1)
    assert found.drop != "region"
    assert found.keep is None or "region" in found.keep.columns
    alone = propose(published(SEPARATION, must=COLUMNS), here(), 1)
    assert (alone.drop, alone.keep, alone.coarsen_to) == (None, None, None)
    assert "No part of the set" in alone.sentence


def test_a_single_column_has_no_part_to_keep() -> None:
    asked = PublishedSet("p", ("region",), (Limit(Quantity.SEPARATION, 0.9),))
    found = propose(asked, here(), 1)
    assert (found.drop, found.without, found.keep) == (None, None, None)


def test_the_smallest_group_is_promised_only_where_all_rows_are_there() -> None:
    asked = published(Limit(Quantity.SMALLEST_GROUP, 5))
    sampled = propose(asked, here(), 1)
    assert sampled.uncertified == [Quantity.SMALLEST_GROUP]
    assert (sampled.drop, sampled.keep) == (None, None)
    whole = propose(asked, here(rows=2000), 1)
    assert whole.uncertified == []
    assert whole.keep is not None
    kept = np.stack([CODES[c][:2000] for c in whole.keep.columns])
    assert np.unique(kept, axis=1, return_counts=True)[1].min() >= 5
    assert whole.coarsen_to is None
    both = propose(published(SEPARATION, Limit(Quantity.SMALLEST_GROUP, 5)), here(), 1)
    assert "no sample can promise the smallest group" in both.sentence


def test_no_part_is_proposed_for_a_limit_that_no_sample_can_promise() -> None:
    """The separation is within its limit: a part that is chosen by it would be no answer to the smallest group."""
    asked = PublishedSet("p", ("age", "sex", "ward"), (SEPARATION, Limit(Quantity.SMALLEST_GROUP, 5)))
    found = propose(asked, here(), 1)
    assert (found.drop, found.without, found.keep, found.coarsen_to) == (None, None, None, None)
    assert "since no sample can promise the smallest group" in found.sentence


def test_a_proposal_is_a_document() -> None:
    found = propose(published(SEPARATION), here(), 3)
    assert Proposal.model_validate_json(found.model_dump_json()) == found
