from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.engine.events import Outcome, Solved
from streamqid.engine.observers import Observers, Silent
from streamqid.errors import StateError

if TYPE_CHECKING:
    import pytest

    from streamqid.engine.ports import Observer


class Broken(Silent):
    def saved(self, nbytes: int, seconds: float) -> None:
        raise ValueError("Jane Doe")

    def not_saved(self, error: StateError) -> None:
        raise error


class Noting(Silent):
    def __init__(self) -> None:
        self.notes: list[object] = []

    def saved(self, nbytes: int, seconds: float) -> None:
        self.notes.append((nbytes, seconds))

    def solved(self, solved: Solved) -> None:
        self.notes.append(solved)


def test_one_that_fails_stops_neither_the_loop_nor_the_others(caplog: pytest.LogCaptureFixture) -> None:
    noting = Noting()
    observers = Observers([Broken(), noting, Silent()])
    told: Observer = observers
    crashed = Solved(Outcome.CRASHED, 1.0)
    told.saved(10, 0.5)
    told.saved(20, 0.5)
    told.not_saved(StateError("full"))
    told.solved(crashed)
    assert noting.notes == [(10, 0.5), (20, 0.5), crashed]
    assert observers.failures == 3
    assert [record.getMessage() for record in caplog.records] == [
        "Broken failed with ValueError; the stream goes on without what it would have told."
    ]
