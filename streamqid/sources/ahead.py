"""Making the next item of an iterator while the present one is in use."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

T = TypeVar("T")

_LOOK_SECONDS = 0.1


class _Ahead(Generic[T]):
    """A thread that runs one iterator and waits while two of its items are not yet taken."""

    def __init__(self, items: Iterator[T]) -> None:
        self._items = items
        self._made: queue.Queue[tuple[T | None, BaseException | None]] = queue.Queue(maxsize=1)
        self._stopped = threading.Event()
        # A thread that nobody waits for at the end of the program: a read may block for ever.
        self._thread = threading.Thread(target=self._run, name="read-ahead", daemon=True)
        self._thread.start()

    def take(self) -> tuple[T | None, BaseException | None]:
        """Return an item, or what ended the iterator."""
        return self._made.get()

    def stop(self) -> None:
        """Make no more items, and wait until none is being made."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            for item in self._items:
                if not self._put(item, None):
                    return
            self._put(None, StopIteration())
        except BaseException as error:
            self._put(None, error)

    def _put(self, item: T | None, error: BaseException | None) -> bool:
        while not self._stopped.is_set():
            try:
                self._made.put((item, error), timeout=_LOOK_SECONDS)
            except queue.Full:
                continue
            return True
        return False


def ahead(items: Iterator[T]) -> Iterator[T]:
    """Yield what an iterator yields, in its order, made by a thread of its own; raise what it raises.

    Up to two items are made before they are asked for.  Only for iterators that do not block for long, since closing
    waits for the item under way.
    """
    making = _Ahead(items)
    try:
        while True:
            item, error = making.take()
            if isinstance(error, StopIteration):
                return
            if error is not None:
                raise error
            yield item  # type: ignore[misc]  # None is an item where T says so
    finally:
        making.stop()
