from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from streamqid.errors import ConfigError
from streamqid.problems.answer import Measure, Rule
from streamqid.problems.key_question import KeyQuestion
from streamqid.problems.sizes import key_capacity

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamqid.config import Config

N = 10**9


def test_samples_are_as_large_as_a_certified_key_needs(configured: Callable[..., Config]) -> None:
    stream = configured("{sampling: {epsilon: 0.002, delta: 0.05}}").streams[0]
    needed = key_capacity(1, KeyQuestion(Measure.SEPARATION, 0.002, 0.05, Rule.CERTIFIED, ()))
    assert stream.sizes.capacity == needed


def test_the_papers_rule_is_paid_for_by_the_named_columns(configured: Callable[..., Config]) -> None:
    names = [f"c{j}" for j in range(60)]
    stream = configured(f"{{columns: {{only: {names}}}, problems: {{key: {{rule: paper}}}}}}").streams[0]
    needed = key_capacity(60, KeyQuestion(Measure.SEPARATION, 0.001, 0.01, Rule.PAPER, ()))
    assert stream.sizes.capacity == needed


def test_a_small_beta_needs_more_rows(configured: Callable[..., Config]) -> None:
    floors = [
        configured(f"{{sampling: {{epsilon: 0.5, beta: {beta}}}}}").streams[0].sizes.wanted for beta in (0.8, 0.08)
    ]
    assert floors[1] == pytest.approx(10 * floors[0], rel=0.001)


def test_rows_are_taken_as_given(configured: Callable[..., Config]) -> None:
    assert configured("{sampling: {rows: 77}}").streams[0].sizes.capacity.k(N) == 77


def test_a_sample_for_distinct_keys_grows_until_memory_ends(configured: Callable[..., Config]) -> None:
    sizes = configured("{sampling: {distinct: true}, columns: {only: [a, b, c]}}").streams[0].sizes
    needed = key_capacity(3, KeyQuestion(Measure.DISTINCT, 0.001, 0.01, Rule.CERTIFIED, ()))
    assert sizes.capacity.k(10**6) == needed.k(10**6)
    assert sizes.capacity.k(10**15) == sizes.capacity.ceiling


def test_memory_is_never_exceeded(configured: Callable[..., Config]) -> None:
    for memory, panes, distinct in itertools.product(("40MiB", "1GiB"), (2, 50), ("true", "false")):
        stream = configured(
            f"{{sampling: {{memory: {memory}, distinct: {distinct}}}, windows: {{panes_kept: {panes}}}}}"
        ).streams[0]
        sizes = stream.sizes
        assert sizes.nbytes <= stream.sampling.memory
        assert sizes.nbytes > 0.9 * stream.sampling.memory or sizes.capacity.floor == sizes.wanted


def test_memory_that_holds_next_to_nothing_is_refused_with_both_numbers(configured: Callable[..., Config]) -> None:
    with pytest.raises(
        ConfigError,
        match=r"^streams\[0\]\.sampling\.memory is 1048576 bytes, but 128 columns in 8 panes need at least \d+",
    ):
        configured("{sampling: {memory: 1MiB}}")


def test_memory_that_does_not_matter_leaves_saved_state_usable(configured: Callable[..., Config]) -> None:
    one, other = (configured(f"{{sampling: {{memory: {m}}}}}").streams[0].sizes for m in ("1GiB", "2GiB"))
    assert one.capacity == other.capacity


def test_counts_are_paid_for_from_the_same_memory(configured: Callable[..., Config]) -> None:
    counted, sampled = "{name: x, columns: [a], limits: {unique_rows: 0.5}}", "limits: {separation: 0.5}}"
    published = f"published: [{counted}, {{name: y, columns: [b], {sampled}]"
    small = "sampling: {memory: 40MiB, distinct: true}"
    without = configured(f"{{{small}, {published.replace('unique_rows', 'separation')}}}").streams[0].sizes
    one = configured(f"{{{small}, {published}}}").streams[0].sizes
    both = configured(f"{{{small}, {published}, path: full}}").streams[0].sizes
    assert without.capacity.k(10**15) > one.capacity.k(10**15) > both.capacity.k(10**15)
    assert max(one.nbytes, both.nbytes) <= 40 << 20


def test_counts_that_leave_no_memory_for_samples_are_a_mistake(configured: Callable[..., Config]) -> None:
    published = "published: [{name: x, columns: [a], limits: {unique_rows: 0.5}}]"
    with pytest.raises(ConfigError, match=r"sampling\.memory is 1048576 bytes.*hold fewer groups"):
        configured(f"{{sampling: {{memory: 1MiB}}, {published}}}")
