from __future__ import annotations

import io
import json
import logging
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from streamqid.clock import ManualClock
from streamqid.engine.events import Outcome, Solved, Trouble, TroubleKind
from streamqid.engine.state import State
from streamqid.errors import StateError
from streamqid.publish.logbook import LogObserver
from streamqid.publish.logs import REMEMBERED, ClientFilter, configure
from streamqid.records import Origin
from tests.unit.publish.watching import ROWS, STREAM, Service, Tap

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def restored_logging() -> Iterator[None]:
    """Leave the process's logging as it was."""
    named = [logging.getLogger(name) for name in (None, "streamqid", "kafka")]
    levels, handlers = [logger.level for logger in named], list(named[0].handlers)
    # Taken off first, because configuring closes the handlers that it finds, and these are pytest's.
    named[0].handlers = []
    yield
    named[0].handlers = handlers
    for logger, level in zip(named, levels, strict=True):
        logger.setLevel(level)


def lines(written: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written.getvalue().splitlines()]


@pytest.fixture
def written() -> io.StringIO:
    written = io.StringIO()
    configure("info", "json", stream=written)
    return written


def test_a_run_writes_one_line_for_each_solve_and_each_change_of_a_verdict(written: io.StringIO) -> None:
    service = Service()
    service.run(others=[LogObserver("people", service.clock)])
    told = lines(written)
    assert all(line["stream"] == "people" and line["time"].endswith("Z") for line in told)
    assert told[0] | {"time": ""} == {
        "time": "",
        "level": "info",
        "logger": "streamqid.stream",
        "message": "people: begins without saved state, 0 records",
        "stream": "people",
        "event": "restored",
        "records": 0,
        "saved": False,
    }
    solves = [line for line in told if line["event"] == "solved"]
    documents = service.board.history("people")[::-1]
    assert [line["id"] for line in solves] == [document.id for document in documents]
    last = documents[-1]
    assert last.key is not None
    assert last.mask is not None
    assert (solves[-1]["key_columns"], solves[-1]["mask_columns"]) == (len(last.key.columns), len(last.mask.publish))
    assert (solves[-1]["records"], solves[-1]["outcome"]) == (ROWS, "answered")
    states = ["unknown", *(document.verdicts[0].state for document in documents)]
    changes = [(before, now) for before, now in pairwise(states) if before != now]
    verdicts = [line for line in told if line["event"] == "verdict"]
    assert [(line["before"], line["after"]) for line in verdicts] == changes
    assert verdicts[-1]["level"] == "warning"
    assert verdicts[-1]["message"] == "people: published set demographics was at_risk and is unsafe"
    assert len(told) == 1 + len(solves) + len(verdicts)


def test_a_solve_without_an_answer_is_a_warning(written: io.StringIO) -> None:
    LogObserver("people", ManualClock()).solved(Solved(Outcome.TIMED_OUT, 120.0))
    [line] = lines(written)
    assert (line["level"], line["message"]) == ("warning", "people: solve timed_out in 120.000 s")


def test_troubles_are_told_when_they_come_and_when_they_go(written: io.StringIO) -> None:
    tap, clock = Tap(), ManualClock()
    observer, state = LogObserver("people", clock, tap), State(STREAM)
    tap.wrong.append(Trouble(TroubleKind.UNREACHABLE, "The brokers have not answered yet."))
    observer.turned(state)
    tap.wrong = [Trouble(TroubleKind.GAP, "5 records are gone.", Origin("t", 1))]
    clock.advance(2)
    observer.turned(state)
    for n in range(6, 9):
        clock.advance(2)
        tap.wrong = [Trouble(TroubleKind.GAP, f"{n} records are gone.", Origin("t", 1))]
        observer.turned(state)
    tap.wrong = []
    observer.turned(state)
    assert [line["event"] for line in lines(written)] == ["trouble"], "the source is asked once a second"
    clock.advance(2)
    observer.turned(state)
    assert [(line["event"], line["kind"], line["message"]) for line in lines(written)] == [
        ("trouble", "gap", "people: 5 records are gone."),
        ("trouble_over", "gap", "people: no longer: 8 records are gone."),
    ]


def test_failing_checkpoints_are_told_once_a_minute(written: io.StringIO) -> None:
    clock = ManualClock()
    observer = LogObserver("people", clock)
    observer.saved(1, 0.1)
    for _ in range(13):
        observer.not_saved(StateError("The disk is full: free some space."))
        clock.advance(10)
    observer.saved(1, 0.1)
    observer.not_saved(StateError("The disk is full: free some space."))
    assert [(line["event"], line.get("failures")) for line in lines(written)] == [
        ("checkpoint_failed", 1),
        ("checkpoint_failed", 7),
        ("checkpoint_failed", 13),
        ("checkpoint_over", None),
        ("checkpoint_failed", 1),
    ]


def test_text_is_one_line_whatever_the_message_holds() -> None:
    written = io.StringIO()
    configure("debug", "text", stream=written)
    logging.getLogger("streamqid.engine").debug("a\nb\x1b[31m %s", "ü")
    [line] = written.getvalue().splitlines()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z DEBUG streamqid\.engine: a\\nb\\x1b\[31m ü", line)


@pytest.mark.parametrize("form", ["text", "json"])
def test_of_an_exception_only_the_type_is_written(form: Any) -> None:
    written = io.StringIO()
    configure("debug", form, stream=written)
    for name in ("streamqid", "kafka.client"):
        try:
            raise ValueError("canary")
        except ValueError:
            logging.getLogger(name).exception("It failed", stack_info=True)
    assert written.getvalue().count("It failed (ValueError)") == len(written.getvalue().splitlines()) == 2
    assert "canary" not in written.getvalue()


def test_a_message_that_does_not_fit_its_arguments_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    written = io.StringIO()
    configure("info", "text", stream=written)
    logging.getLogger("kafka.conn").warning("%d records", "canary")
    assert (written.getvalue(), *capsys.readouterr()) == ("", "", "")


def test_the_client_never_logs_below_warning() -> None:
    written = io.StringIO()
    configure("debug", "text", stream=written)
    logging.getLogger("kafka.conn").setLevel(logging.DEBUG)
    try:
        for name in ("kafka", "kafka.conn"):
            logging.getLogger(name).debug("canary")
            logging.getLogger(name).info("canary")
    finally:
        logging.getLogger("kafka.conn").setLevel(logging.NOTSET)
    logging.getLogger("elsewhere").info("canary")
    logging.getLogger("kafkaesque").warning("is somebody else")
    assert "canary" not in written.getvalue()
    assert "is somebody else" in written.getvalue()


def test_a_message_of_the_client_comes_once_in_ten_seconds_with_the_number_of_others() -> None:
    written, clock = io.StringIO(), ManualClock()
    handler = configure("info", "text", stream=written)
    handler.filters = [ClientFilter(clock.monotonic)]
    client = logging.getLogger("kafka.conn")
    for n in range(25):
        client.warning("connection to %s failed", n)
        client.error("another message")
        clock.advance(1)
    told = [line.partition("kafka.conn: ")[2] for line in written.getvalue().splitlines()]
    held = "(9 more like this were held back)"
    assert told == [
        "connection to 0 failed",
        "another message",
        f"connection to 10 failed {held}",
        f"another message {held}",
        f"connection to 20 failed {held}",
        f"another message {held}",
    ]


def test_the_memory_of_messages_is_bounded() -> None:
    clock = ManualClock()
    limit = ClientFilter(clock.monotonic)

    def passes(text: str) -> bool:
        return limit.filter(logging.LogRecord("kafka", logging.WARNING, "", 0, text, None, None))

    assert passes("first")
    for n in range(REMEMBERED):
        clock.advance(0.001)
        assert passes(f"another {n}")
    assert passes("first"), "it was forgotten"
    assert not passes(f"another {REMEMBERED - 1}")
