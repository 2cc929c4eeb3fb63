"""Records are found in many batches at once, by machine code and in Python alike."""

from __future__ import annotations

import logging
import random
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from streamqid.broker import finding
from streamqid.broker.finding import compiled_pick, find
from streamqid.broker.inflate import BrokenError
from streamqid.broker.stack import Stack
from tests.unit.broker.made import stored, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    compiled_pick.cache_clear()
    yield
    compiled_pick.cache_clear()


def without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "streamqid.broker.picking", None)


def opened(values: list[bytes | None], time: int = 1000) -> bytes:
    part: Any = unpacked(stored(values, time=time))[0]
    return bytes(part.data())


DRAW = random.Random(5)
BATCHES = [
    [DRAW.choice([None, b"", b"x", b"y" * 60, b"z" * DRAW.randrange(200, 20_000)]) for _ in range(size)]
    for size in (1, 3, 80, 300)
]


@pytest.mark.parametrize("compiled", [True, False])
def test_all_and_some_records_of_many_batches(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not compiled:
        without_numba(monkeypatch)
    assert (compiled_pick() is not None) == compiled
    parts = [opened(values) for values in BATCHES]
    deltas, spans = find(parts, [np.arange(len(values)) for values in BATCHES])
    assert spans.values() == [value for values in BATCHES for value in values]
    assert deltas.tolist() == [place for values in BATCHES for place in range(len(values))]
    some = [np.flatnonzero(np.arange(len(values)) % 7 == 2) for values in BATCHES]
    deltas, spans = find(parts, some)
    assert spans.values() == [values[i] for values, places in zip(BATCHES, some, strict=True) for i in places.tolist()]


def outcome(parts: list[bytes], places: list[Any]) -> object:
    try:
        deltas, spans = find(parts, places)
    except BrokenError:
        return BrokenError
    return deltas.tolist(), spans.values()


def test_damaged_batches_are_refused_or_read_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(9)
    cases = []
    for _ in range(400):
        data = bytearray(opened([b"a" * draw.randrange(300) for _ in range(6)]))
        for _ in range(draw.choice((1, 2, 8))):
            data[draw.randrange(len(data))] = draw.randrange(256)
        cases.append(bytes(data[: draw.choice((len(data), len(data) - 1, len(data) // 2))]))
    places = [np.array([0, 3, 5]), np.arange(6)]
    fast = [outcome([case, case], places) for case in cases]
    without_numba(monkeypatch)
    compiled_pick.cache_clear()
    assert fast == [outcome([case, case], places) for case in cases]
    monkeypatch.setattr(finding, "_MANY", 2)  # so that the numbers of many records are read together
    assert fast == [outcome([case, case], places) for case in cases]
    assert 100 < fast.count(BrokenError) < 390


@pytest.mark.parametrize("codec", [0, 3])
def test_a_few_records_of_batches_of_which_one_is_broken(codec: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def picked() -> object:
        data = b"".join(stored(BATCHES[-1], base=base, codec=codec) for base in (0, 300, 600))
        parts: list[Any] = unpacked(data)
        parts[1].body = memoryview(b"\xff" * 80)
        stack = Stack(parts)
        present, values = stack.values(np.array([3, 77, 299, 301, 450, 600, 610, 899]))
        return present.tolist(), values, stack.lost, stack.broken

    expected = [BATCHES[-1][place] for place in (3, 77, 299, 0, 10, 299)]
    assert picked() == ([3, 77, 299, 600, 610, 899], expected, [301, 450], True)
    without_numba(monkeypatch)
    compiled_pick.cache_clear()
    assert picked() == ([3, 77, 299, 600, 610, 899], expected, [301, 450], True)


def test_a_walk_that_does_not_agree_or_compile_is_not_taken(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(finding, "_same", lambda *_: False)
    assert compiled_pick() is None
    compiled_pick.cache_clear()
    monkeypatch.setattr(finding, "_same", lambda *_: 1 / 0)
    assert compiled_pick() is None
    assert "does not agree" in caplog.messages[0]
    assert "does not compile (ZeroDivisionError)" in caplog.messages[1]
