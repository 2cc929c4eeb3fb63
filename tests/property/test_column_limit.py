"""A limit of columns: what is shown is complete, is chosen by the names alone, and stays small."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import event, given, settings

from streamqid.errors import MergeError
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.fingerprint import MissingRule
from streamqid.sampling.sampler import Sampler
from streamqid.sampling.secret import Secret
from tests.property.logs import Chunk, Log, logs
from tests.unit.sampling.plain import ORIGIN


@settings(max_examples=200)
@given(logs())
def test_the_lowest_names_are_shown_with_all_their_values(drawn: tuple[Log, list[Chunk]]) -> None:
    """The oracle keeps every column and selects afterwards."""
    log, chunks = drawn
    limited, free = log.sampler(), Log(log.capacity, log.records).sampler()
    for chunk in chunks:
        chunk.feed(limited)
        chunk.feed(free)
    everything = free.evidence()
    names = sorted(everything.columns, key=limited.secret.column_rank)[: log.max_columns]
    expected, found = everything.select(sorted(names)), limited.evidence()
    event(f"names were left out: {limited.columns_left_out}")
    assert limited.columns_left_out == (len(names) < len(everything.columns))
    assert found.columns == expected.columns
    for mine, theirs in ((found.a, expected.a), (found.b, expected.b)):
        assert np.array_equal(mine.fingerprints, theirs.fingerprints)
        assert np.array_equal(mine.identity, theirs.identity)


def test_made_up_names_without_end_take_bounded_memory() -> None:
    """20,000 names and room for 20: the expected number stored is 21 (1 + ln(2000/21)), about 117 of 2,000 retained.

    The number is a sum of independent indicators under a random secret, so six standard deviations (false alarm
    below 1e-6) are 6 sqrt(117); the seed is fixed besides.
    """
    sampler = Sampler(Secret.from_seed(4), Capacity(2000), max_columns=20)
    widest = 0
    for start in range(0, 20_000, 500):
        wanted = sampler.candidates(ORIGIN, start, start + 500, 500)
        table = np.diag(np.ones(len(wanted), np.uint64))
        sampler.update(ORIGIN, 500, wanted, [f"n{offset:05}" for offset in wanted], table)
        widest = max(widest, *(len(sample.columns) for sample in sampler.samples.values()))
    sampler.to_bytes()
    retained = len(sampler.samples["A"].retained(sampler.n))
    expected = 21 * (1 + math.log(retained / 21))
    for sample in sampler.samples.values():
        assert 20 < len(sample.columns) < expected + 6 * math.sqrt(expected)
    assert widest < 3 * expected
    assert len(sampler.evidence().columns) == 20


def test_samplers_of_other_limits_are_not_merged() -> None:
    one, other = (Sampler(Secret.from_seed(1), Capacity(5), MissingRule.EQUAL, most) for most in (3, None))
    assert Sampler.from_bytes(one.to_bytes(), one.secret).max_columns == 3
    with pytest.raises(MergeError, match="limit of columns"):
        one.merge(other)


def test_a_limit_of_no_column_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one column"):
        Sampler(Secret.from_seed(1), Capacity(5), max_columns=0)
