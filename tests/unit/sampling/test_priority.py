"""Priorities are the SplitMix64 sequence, and the cursor finds what looking at every offset finds."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streamqid.sampling.priority import CURSOR_OFFSETS, WHOLE, Cursor, draws, mix64, offsets_below

MASK = 2**64 - 1
PUBLISHED = [
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
]
"""The first outputs of SplitMix64 seeded with 1234567 (Rosetta Code, from Vigna's splitmix64.c)."""

STEPS = st.lists(
    st.tuples(
        st.integers(0, 40) | st.sampled_from([CURSOR_OFFSETS // 4, CURSOR_OFFSETS, 3 * CURSOR_OFFSETS]),
        st.integers(0, 60) | st.sampled_from([CURSOR_OFFSETS // 4, CURSOR_OFFSETS // 4 + 1, CURSOR_OFFSETS]),
        st.sampled_from([0.0, 1e-5, 1e-4, 0.001, 0.02, 0.3, 1.0]),
    ),
    min_size=1,
    max_size=25,
)


def oracle(key: int, counter: int) -> int:
    z = (key + counter * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def test_the_published_outputs_of_splitmix64() -> None:
    assert mix64(1234567, np.arange(1, 6)).tolist() == PUBLISHED


@given(st.integers(0, MASK), st.lists(st.integers(0, 2**63 - 1), max_size=5))
def test_mix64_equals_splitmix64_in_plain_integers(key: int, counters: list[int]) -> None:
    given_counters = np.array(counters, np.int64)
    assert mix64(key, given_counters).tolist() == [oracle(key, c) for c in counters]
    assert given_counters.tolist() == counters  # the input is not written to


@given(st.integers(0, MASK), st.integers(0, 2**62), st.integers(0, 40_000), st.integers(0, 99), st.integers(-1, 1))
def test_offsets_below_a_threshold_are_those_that_mix64_says(
    key: int, start: int, size: int, rank: int, nudge: int
) -> None:
    priorities = mix64(key, np.arange(start, start + size))
    # At a priority, one below it and one above it: there the last bits decide.
    chosen = int(np.sort(priorities)[min(rank, size - 1)]) if size else rank
    threshold = min(max(chosen + nudge, 0), MASK)
    expected = np.flatnonzero(priorities < np.uint64(threshold)) + start
    assert np.array_equal(offsets_below(key, threshold, start, start + size), expected)


@given(st.integers(0, MASK), st.integers(0, 200), st.integers(1, 2**62))
def test_draws_lie_below_the_limit_and_are_a_prefix_of_longer_draws(key: int, count: int, below: int) -> None:
    drawn = draws(key, count, below)
    assert drawn.dtype == np.int64
    assert drawn.tolist() == [oracle(key, i) % below for i in range(1, count + 1)]
    assert np.array_equal(draws(key, count + 7, below)[:count], drawn)


@given(st.integers(0, MASK), st.integers(0, 2**40), STEPS)
@example(0, 0, [(0, 10, 1.0), (0, 10, 1.0)])
@example(1, 0, [(0, 10, 1e-5), (0, 10, 1e-5), (0, 0, 1e-5), (65_000, 2_000, 1e-5)])
def test_the_cursor_finds_every_offset_below_the_threshold(
    key: int, start: int, steps: list[tuple[int, int, float]]
) -> None:
    """For any ascending ranges, gaps between them included, and any falling thresholds.

    The cursor may return more, but only offsets of the range whose priority was below an earlier threshold,
    and never one twice.
    """
    cursor, share, highest = Cursor(key), 1.0, WHOLE
    for gap, length, wanted_share in steps:
        start += gap
        share = min(share, wanted_share)
        threshold = WHOLE if share == 1.0 else int(share * 2**64)
        found = cursor.below(threshold, start, start + length)
        offsets = np.arange(start, start + length)
        priorities = mix64(key, offsets)
        needed = offsets if threshold == WHOLE else offsets[priorities < np.uint64(threshold)]
        allowed = offsets if highest == WHOLE else offsets[priorities < np.uint64(highest)]
        assert np.isin(needed, found).all()
        assert np.isin(found, allowed).all()
        assert all(a < b for a, b in pairwise(found.tolist()))
        start += length


def test_the_cursor_finds_exactly_the_offsets_below_a_constant_threshold() -> None:
    threshold, cursor, key = int(0.01 * 2**64), Cursor(5), 5
    found = np.concatenate([cursor.below(threshold, s, s + 7) for s in range(0, 210_000, 7)])
    everything = np.arange(210_000)
    assert np.array_equal(found, everything[mix64(key, everything) < np.uint64(threshold)])


def test_the_cursor_serves_a_log_that_is_read_again_from_an_earlier_offset() -> None:
    """A rebalance may seek back; the answer is the same as the first time."""
    cursor, threshold = Cursor(9), int(0.05 * 2**64)
    first = cursor.below(threshold, 1000, 2000)
    cursor.below(threshold, 300_000, 301_000)
    assert np.array_equal(cursor.below(threshold, 1000, 2000), first)
    assert np.array_equal(Cursor(9).below(threshold, 1000, 2000), first)


@pytest.mark.parametrize("threshold", [WHOLE, 1 << 60])
def test_a_rising_threshold_is_served_too(threshold: int) -> None:
    cursor = Cursor(3)
    cursor.below(1 << 50, 0, 100)
    offsets = np.arange(100)
    wanted = offsets if threshold == WHOLE else offsets[mix64(3, offsets) < np.uint64(threshold)]
    assert np.array_equal(cursor.below(threshold, 0, 100), wanted)
