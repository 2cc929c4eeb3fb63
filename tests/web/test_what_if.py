"""What-if in the browser, on a table whose answers are known by hand."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from selenium.webdriver.common.keys import Keys

from streamqid.engine.loop import Loop
from streamqid.engine.observers import Observers
from streamqid.engine.panes import PaneRule
from streamqid.engine.questions import AskMask
from streamqid.publish.access import Access
from streamqid.publish.http import serve
from streamqid.sources import open_table
from tests.unit.publish.watching import STREAM, Service

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.web.browser import Browser

ODD = "<img src=x onerror=alert(1)>"
ROWS = 200
HALVES = 1 - 2 * (100 * 99 / 2) / (200 * 199 / 2)
"""Separation of a column that splits 200 rows into halves: 100/199, that is 50.25 %."""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a service that has read a small table as a whole, so that every answer is exact."""
    path: Path = tmp_path_factory.mktemp("table") / "rows.csv"
    rows = [f"{i},{i % 2},{i // 100},same" for i in range(ROWS)]
    path.write_text("\n".join([f"number,half,other,{ODD}", *rows]))
    ask = AskMask(beta=0.8)
    service = Service(replace(STREAM, panes=PaneRule(10_000, "records"), published=(), mask=ask))
    observers = Observers([service.metrics, service.pulse, service.chronicle, service.explorer])
    with contextlib.closing(open_table(path)) as source:
        Loop(service.stream, source, service.store, service.board, service.clock, observer=observers).run()
    server = serve(service.site, Access(port=0))
    yield server.port
    server.close()
    service.answering.close()


def tick(browser: Browser, column: str) -> None:
    browser.until(lambda: browser.all("main .ticks input"), "no columns")
    browser.one(f"main .ticks input[value='{column}']").click()


def test_ticked_columns_give_the_figures_that_are_known(browser: Browser, table: int) -> None:
    assert pytest.approx(100 / 199) == HALVES
    browser.open(table, "stream/people")
    browser.sees("Tick at least one column.", "#result")
    tick(browser, "half")
    browser.sees("✓ Safe These columns may be published together.", "#result")
    browser.sees("Pairs told apart exactly 50.3 % at most 80 % ✓ Safe", "#result")
    browser.sees("Different rows exactly 1 %", "#result")
    browser.sees("Unique rows exactly 0 %", "#result")
    browser.sees("Each interval holds for one set that was named beforehand", "#result")
    browser.sees("with it +49.7 %", ".ticks")
    tick(browser, "number")
    browser.sees("✕ Unsafe Do not publish these columns together.", "#result")
    browser.sees("Unique rows exactly 100 %", "#result")
    tick(browser, "number")
    browser.sees("✓ Safe", "#result")


def test_an_answer_that_did_not_arrive_is_asked_for_again(browser: Browser, table: int) -> None:
    browser.open(table, "stream/people")
    tick(browser, "half")
    browser.sees("✓ Safe", "#result")
    away = "window.fetch = (path, ...rest) => (path.includes('whatif') ? Promise.reject() : real(path, ...rest));"
    browser.run(f"const real = window.real = window.fetch; {away}")
    tick(browser, "number")
    browser.sees("The service does not answer", "#result")
    assert browser.one("#result").get_dom_attribute("class") == "result", "the colour of the last answer is gone"
    browser.run("window.fetch = window.real")
    browser.sees("✕ Unsafe", "#result")


def test_the_largest_safe_set_contains_what_was_ticked(browser: Browser, table: int) -> None:
    browser.open(table, "stream/people")
    tick(browser, "other")
    browser.sees("✓ Safe", "#result")
    browser.one("#find").click()
    browser.sees("Largest safe set found", "#safe")
    # Two halves across each other separate 1 - 4 C(50, 2) / C(200, 2) = 75.4 % of the pairs.
    browser.sees("differ on {<img src=x onerror=alert(1)>, half, other} in 75.4 %", "#safe")
    [take] = browser.all("#safe button")
    take.click()
    browser.sees("✓ Safe", "#result")
    ticked = browser.run("return [...document.querySelectorAll('.ticks input:checked')].map((box) => box.value).sort()")
    assert ticked == sorted(["half", "other", ODD])
    tick(browser, "number")
    browser.sees("✕ Unsafe", "#result")
    browser.one("#find").click()
    browser.sees("Even the columns that must be published exceed 80 %", "#safe")


def test_a_column_name_is_never_markup(browser: Browser, table: int) -> None:
    browser.open(table, "stream/people")
    browser.charts(1)
    browser.sees(ODD, ".ticks")
    assert browser.all("main img") == []
    assert browser.console() == []


def test_the_keyboard_alone_leads_to_an_answer(browser: Browser, table: int) -> None:
    browser.open(table, "overview")
    browser.sees("No published set is watched yet.", "main")
    browser.press(Keys.TAB)
    assert browser.focused() == "skip"
    seen = []
    while browser.focused() != "Stream":
        browser.press(Keys.TAB)
        seen.append(browser.focused())
        assert len(seen) < 10, seen
    browser.press(Keys.ENTER)
    browser.sees("What if other columns were published?", "main")
    browser.until(lambda: browser.all("main .ticks input"), "no columns")
    assert browser.focused() == "main"
    seen = []
    while browser.focused() != "half":
        browser.press(Keys.TAB)
        seen.append(browser.focused())
        assert len(seen) < 20, seen
    assert browser.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    browser.press(Keys.SPACE)
    browser.sees("✓ Safe", "#result")
    while browser.focused() != "find":
        browser.press(Keys.TAB)
        seen.append(browser.focused())
        assert len(seen) < 20, seen
    browser.press(Keys.ENTER)
    browser.sees("Largest safe set found", "#safe")
    assert browser.focused() == "find"
