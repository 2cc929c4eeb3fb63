"""Signals that mean: come to an end in good order."""

from __future__ import annotations

import contextlib
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STOPPING = (signal.SIGTERM, signal.SIGINT)


class Stop:
    """Whether an end was asked for, by any thread or a signal handler.

    A plain flag: an Event has a lock, which the interrupted thread may hold.
    """

    def __init__(self) -> None:
        self.asked = False

    def ask(self) -> None:
        """Ask for an end."""
        self.asked = True


@contextlib.contextmanager
def stopping(stop: Callable[[], None]) -> Iterator[None]:
    """Call ``stop`` on the first SIGTERM or SIGINT inside the block; the second one acts as it did before.

    To be entered on the main thread.  ``stop`` runs between two instructions of that thread, so it may set a
    flag and no more.
    """
    before = {number: signal.getsignal(number) for number in STOPPING}

    def put_back() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def handle(_number: int, _frame: object) -> None:
        put_back()
        stop()

    for number in STOPPING:
        signal.signal(number, handle)
    try:
        yield
    finally:
        put_back()
