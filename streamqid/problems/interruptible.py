"""Calls into a library that answers no signal."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")


def interruptible(call: Callable[[], Result]) -> Result:
    """Return what a call returns or raise what it raises; Ctrl-C ends the wait for it at once.

    HiGHS looks at no signal before its time limit.  It runs on another thread here, without the lock of the
    interpreter; when nobody waits any more, it ends by its own limit or with the process.
    """
    result: Future[Result] = Future()

    def run() -> None:
        try:
            result.set_result(call())
        except BaseException as error:
            result.set_exception(error)

    threading.Thread(target=run, name="solver", daemon=True).start()
    return result.result()
