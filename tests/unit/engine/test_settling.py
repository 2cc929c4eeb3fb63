from __future__ import annotations

import pytest

from streamqid.engine.documents import VerdictState
from streamqid.engine.settling import settled

STATES = {"s": VerdictState.SAFE, "r": VerdictState.AT_RISK, "u": VerdictState.UNSAFE, "?": VerdictState.UNKNOWN}


def course(windows: str, row: int = 2) -> str:
    now, letters = VerdictState.UNKNOWN, {state: letter for letter, state in STATES.items()}
    states = [STATES[letter] for letter in windows]
    told = ""
    for j in range(1, len(states) + 1):
        now = settled(now, states[:j], row)
        told += letters[now]
    return told


@pytest.mark.parametrize(
    ("windows", "expected"),
    [
        ("sss", "sss"),
        ("srsrss", "srrrrs"),  # at risk at once, safe after two in a row
        ("susus", "suuuu"),  # unsafe at once, and it does not flap
        ("usrss", "uurrs"),  # of two windows that are not unsafe the worse one counts
        ("us?s?ss", "uuuuuus"),  # a window without evidence does not clear it
        ("u????", "uuuuu"),
        ("s?s??", "ssss?"),
        ("r??s", "rr?s"),
        ("?s", "?s"),
        ("u", "u"),
    ],
)
def test_noise_does_not_flap(windows: str, expected: str) -> None:
    assert course(windows) == expected


def test_one_window_settles_at_once() -> None:
    assert course("usru?s", 1) == "usruus"
    assert course("s?u", 1) == "s?u"


def test_more_windows_take_longer() -> None:
    assert course("usss", 3) == "uuus"
