"""Panes and the windows that are merged from them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamqid.sampling.capacity import Capacity
from streamqid.sampling.fingerprint import MissingRule
from streamqid.sampling.sampler import Sampler
from streamqid.sampling.secret import Secret
from streamqid.sampling.windows import Panes
from tests.unit.sampling.plain import ORIGIN

SECRET, CAPACITY = Secret.from_seed(4), Capacity(8)


def feed(sampler: Sampler, offset: int) -> None:
    sampler.update(ORIGIN, 1, np.array([offset]), ["a"], np.array([[offset + 1]], np.uint64))


def panes(keep: int) -> Panes:
    return Panes(SECRET, CAPACITY, MissingRule.VALUE, keep)


@given(st.lists(st.integers(0, 6), max_size=60), st.integers(0, 6), st.integers(1, 7))
def test_a_window_is_the_sampler_of_its_records(pane_of_record: list[int], last: int, size: int) -> None:
    windows, expected = panes(10), Sampler(SECRET, CAPACITY)
    for offset, number in enumerate(pane_of_record):
        pane = windows.pane(number)
        assert pane is not None
        feed(pane, offset)
        if last - size < number <= last:
            feed(expected, offset)
    assert windows.window(last, size).to_bytes() == expected.to_bytes()


@given(st.lists(st.integers(-5, 15), max_size=40), st.integers(1, 4))
def test_the_newest_panes_are_held_and_a_dropped_one_is_never_opened_again(numbers: list[int], keep: int) -> None:
    windows, held = panes(keep), list[int]()
    for number in numbers:
        too_old = number not in held and len(held) == keep and number < held[0]
        pane = windows.pane(number)
        assert (pane is None) == too_old
        if pane is not None:
            held = sorted({*held, number})[-keep:]
            assert number not in held or windows.pane(number) is pane
        assert list(windows) == held


def test_a_window_without_panes_is_an_empty_sampler() -> None:
    assert panes(1).window(3, 2).to_bytes() == Sampler(SECRET, CAPACITY).to_bytes()


def test_one_pane_is_the_default_window() -> None:
    windows = panes(3)
    for number in (1, 2):
        pane = windows.pane(number)
        assert pane is not None
        feed(pane, number)
    assert windows.window(2).n == 1
    assert windows.window(2, 2).n == 2


def test_a_restored_pane_takes_its_place_unless_it_is_too_old() -> None:
    windows, restored = panes(2), Sampler(SECRET, CAPACITY)
    feed(restored, 1)
    windows.put(5, restored)
    assert windows.held(5) is restored
    windows.put(6, Sampler(SECRET, CAPACITY))
    windows.put(4, restored)
    assert list(windows) == [5, 6]
    windows.put(7, restored)
    assert list(windows) == [6, 7]
    with pytest.raises(KeyError):
        windows.held(5)


def test_at_least_one_pane_is_kept() -> None:
    with pytest.raises(ValueError, match="at least one pane must be kept, not 0"):
        panes(0)
