"""The live view of a service on a terminal."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from streamqid.cli.live import LiveView, Screen
from streamqid.engine.events import Trouble, TroubleKind
from tests.unit.publish.watching import Service

if TYPE_CHECKING:
    from streamqid.publish.chronicle import Chronicle
    from streamqid.publish.health import Pulse


@dataclass
class Stream:
    name: str
    pulse: Pulse
    chronicle: Chronicle


@pytest.fixture(scope="module")
def service() -> Service:
    """A stream whose published set has turned unsafe."""
    service = Service()
    service.run()
    return service


def picture(service: Service, seconds: float = 0.0) -> str:
    console = Console(file=io.StringIO(), width=80, color_system=None)
    screen = Screen()
    stream = Stream("people", service.pulse, service.chronicle)
    screen.drawn([stream], 0.0)
    with console.capture() as captured:
        console.print(screen.drawn([stream], seconds))
    return captured.get()


def test_records_lag_and_sets_fit_80_columns(service: Service) -> None:
    text = picture(service)
    assert "6,000" in text
    assert "unsafe  demographics" in text
    assert "What to do:" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text


def test_troubles_are_told_below(service: Service) -> None:
    service.tap.wrong = [Trouble(TroubleKind.UNREACHABLE, "The brokers do not answer.")]
    try:
        assert "! people: The brokers do not answer." in picture(service)
    finally:
        service.tap.wrong = []


def test_the_rate_is_that_of_the_last_seconds(service: Service) -> None:
    console = Console(file=io.StringIO(), width=80)
    screen, stream = Screen(), Stream("people", service.pulse, service.chronicle)
    before, text = service.pulse.records, ""
    try:
        for second in range(8):
            service.pulse.records = 100 * second
            with console.capture() as captured:
                console.print(screen.drawn([stream], float(second)))
            text = captured.get()
    finally:
        service.pulse.records = before
    assert re.search(r"people +700 +100 +10", text)


def test_nothing_is_drawn_where_there_is_no_terminal(service: Service, capsys: pytest.CaptureFixture[str]) -> None:
    with LiveView() as view:
        view.look([Stream("people", service.pulse, service.chronicle)])
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "\x1b" not in captured.err
