"""How the service logs: one line an event, as text or as JSON, without tracebacks and without values."""

from __future__ import annotations

import datetime
import json
import logging
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Literal, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable

Format = Literal["text", "json"]
CLIENT = "kafka"
"""Root of the loggers of the Kafka client; below INFO they print payloads and credentials."""
REPEAT_SECONDS = 10.0
REMEMBERED = 256


def configure(level: str = "info", format: Format = "text", *, stream: TextIO | None = None) -> logging.Handler:  # noqa: A002
    """Send all logs of the process to ``stream`` (standard error by default); return the handler.

    The level is that of streamqid; everybody else may warn.  A second call takes the place of the first.
    """
    handler = _Lines(sys.stderr if stream is None else stream)
    handler.setFormatter(JsonLines() if format == "json" else TextLines())
    handler.addFilter(ClientFilter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("streamqid").setLevel(level.upper())
    logging.getLogger(CLIENT).setLevel(logging.WARNING)
    return handler


class _Lines(logging.StreamHandler[TextIO]):
    """Writes lines; one that cannot be written is lost in silence."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Print nothing: the base class would print a traceback and the arguments of the message."""


class ClientFilter(logging.Filter):
    """Lets the Kafka client warn, but the same message (before its arguments) once in ten seconds.

    A message that passes after others were held back carries their number as ``suppressed``.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._lock = threading.Lock()
        self._seen: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Decide on one record."""
        if record.name != CLIENT and not record.name.startswith(f"{CLIENT}."):
            return True
        if record.levelno < logging.WARNING:
            return False
        key, now = (record.name, str(record.msg)), self._clock()
        with self._lock:
            passed, held = self._seen.get(key, (-REPEAT_SECONDS, 0))
            if now - passed < REPEAT_SECONDS and key in self._seen:
                self._seen[key] = (passed, held + 1)
                return False
            if len(self._seen) >= REMEMBERED:
                del self._seen[min(self._seen, key=lambda seen: self._seen[seen][0])]
            self._seen[key] = (now, 0)
        record.suppressed = held
        return True


class TextLines(logging.Formatter):
    """Time, level, logger and message on one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        return f"{_time(record)} {record.levelname} {record.name}: {_one_line(_message(record))}"


class JsonLines(logging.Formatter):
    """One JSON object a line; ``fields`` of a record stand beside its message."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, Any] = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
            **getattr(record, "fields", {}),
        }
        return json.dumps(line, ensure_ascii=False)


def _time(record: logging.LogRecord) -> str:
    moment = datetime.datetime.fromtimestamp(record.created, datetime.UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _message(record: logging.LogRecord) -> str:
    """Return the message; of an exception only its type, since its text and its traceback could quote a value."""
    message = record.getMessage()
    if record.exc_info and record.exc_info[0] is not None:
        message += f" ({record.exc_info[0].__name__})"
    held = getattr(record, "suppressed", 0)
    return f"{message} ({held} more like this were held back)" if held else message


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)
