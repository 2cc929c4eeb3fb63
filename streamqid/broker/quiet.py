"""What the client library may log: nothing below INFO, where it shows payloads and passwords, and nothing in floods."""

from __future__ import annotations

import copy
import logging
import threading
import time

NAME = "kafka"
EVERY_SECONDS = 60.0
"""How often the same line of the client's code may speak."""


class _Gate(logging.Handler):
    """Passes on to the root logger what may be seen, without tracebacks."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self._guard = threading.Lock()
        self._spoke: dict[tuple[str, int], tuple[float, int]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        root = logging.getLogger()
        held_back = self._held_back((record.name, record.lineno))
        # Where nobody keeps a log, as in a command that ends with a sentence of its own, all would go to the terminal.
        if held_back is None or not root.handlers or not root.isEnabledFor(record.levelno):
            return
        shown = copy.copy(record)
        shown.exc_info = shown.exc_text = shown.stack_info = None
        if held_back:
            shown.msg, shown.args = f"{record.getMessage()} ({held_back} more like this before)", ()
        root.handle(shown)

    def _held_back(self, line: tuple[str, int]) -> int | None:
        """Return how many records of a line of code were held back, or None to hold back this one as well."""
        with self._guard:
            at, held_back = self._spoke.get(line, (float("-inf"), 0))
            now = time.monotonic()
            if now - at < EVERY_SECONDS:
                self._spoke[line] = at, held_back + 1
                return None
            self._spoke[line] = now, 0
            return held_back


def quieten() -> None:
    """Put the client's logger behind the gate, once; a stricter level that somebody has set stays."""
    logger = logging.getLogger(NAME)
    logger.setLevel(max(logger.level, logging.INFO))
    logger.propagate = False
    # It warns whenever one of its steps took a tenth of a second, which on a busy machine says nothing.
    logging.getLogger(f"{NAME}.net.selector").setLevel(logging.ERROR)
    if not any(isinstance(handler, _Gate) for handler in logger.handlers):
        logger.addHandler(_Gate())
