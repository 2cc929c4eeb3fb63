"""What changes while the page is open, and what it says when there is nothing to show."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest
from selenium.webdriver.common.keys import Keys

from streamqid.engine.alerts import AlertStatus
from streamqid.engine.documents import VerdictState
from streamqid.publish.access import Access
from streamqid.publish.http import serve
from tests.unit.publish.watching import Service

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.web.browser import Browser

TOKEN = "a-token-of-the-test"  # noqa: S105


@contextlib.contextmanager
def serving(service: Service, access: Access | None = None) -> Iterator[int]:
    server = serve(service.site, access or Access(port=0))
    try:
        yield server.port
    finally:
        server.close()
        service.answering.close()


def test_a_set_turns_unsafe_before_the_eyes_of_the_reader(browser: Browser) -> None:
    service = Service()
    service.run(3_000)
    with serving(service) as port:
        browser.open(port, "overview")
        browser.sees("The published set is safe.", "main")
        browser.sees("✓ Safe", "article")
        browser.run("window.untouched = true")
        service.run()
        browser.sees("The published set is unsafe.", "main")
        browser.sees("What to do: Drop region", "article")
        assert browser.run("return window.untouched"), "the page was not loaded again"
        assert browser.console() == []


def test_a_set_that_waits_for_another_safe_window_says_so(browser: Browser) -> None:
    service = Service()
    service.run()
    history = service.chronicle.history
    assert history is not None
    [unsafe] = history.sets
    newest = unsafe.verdict.model_copy(update={"state": VerdictState.SAFE, "sentence": "Safe: it is so."})
    sets = [unsafe.model_copy(update={"verdict": newest})]
    service.chronicle.history = history.model_copy(update={"sets": sets})
    with serving(service) as port:
        browser.open(port, "overview")
        browser.sees(
            "It stays unsafe until enough windows in a row say otherwise. The newest one says: Safe: it is so."
        )


def test_the_headline_counts_every_set_that_is_not_safe(browser: Browser) -> None:
    service = Service()
    service.run()
    history = service.chronicle.history
    assert history is not None
    [unsafe] = history.sets
    others = [VerdictState.AT_RISK, VerdictState.UNKNOWN, VerdictState.UNKNOWN, VerdictState.SAFE]
    sets = [
        unsafe.model_copy(update={"name": name, "verdict": unsafe.verdict.model_copy(update={"settled": state})})
        for name, state in zip("abcd", others, strict=True)
    ]
    service.chronicle.history = history.model_copy(update={"sets": [*sets, unsafe]})
    with serving(service) as port:
        browser.open(port, "overview")
        browser.sees("1 of 5 published sets is unsafe.", ".banner")
        browser.sees("What to do stands below. 1 more is at risk. 2 more are not judged yet.", ".banner")
        assert browser.text("article:first-child h2") == "demographics", "the unsafe one comes first"


def test_the_alert_about_what_was_published_before_stays_to_be_read(browser: Browser) -> None:
    service = Service()
    service.run()
    history = service.chronicle.history
    assert history is not None
    [unsafe] = history.sets
    assert unsafe.alert is not None
    past = unsafe.alert.model_copy(update={"status": AlertStatus.RESOLVED})
    sets = [unsafe.model_copy(update={"alert": None})]
    service.chronicle.history = history.model_copy(update={"sets": sets, "past": [past]})
    with serving(service) as port:
        browser.open(port, "drift/people")
        browser.sees("✕ Unsafe Alert, over: Unsafe: two random rows differ on {age, sex, region}", ".events")
        browser.one(".events summary").click()
        browser.sees("What was to be done: Drop region", ".events")
        browser.sees("The set is published otherwise since then, or no longer.", ".events")


def test_the_course_goes_on_when_as_many_windows_are_kept_as_can_be(browser: Browser) -> None:
    service = Service()
    service.run()
    history = service.chronicle.history
    assert history is not None
    [series] = history.sets
    first, second, *later = series.windows
    levels = "return document.querySelector('.chart').data[2].y"
    with serving(service) as port:
        browser.open(port, "drift/people")
        browser.charts(2)
        for kept in ([first, *later], [second, *later]):
            sets = [series.model_copy(update={"windows": kept})]
            service.chronicle.history = history.model_copy(update={"sets": sets})
            drawn = [one.findings[0].estimate.estimate for one in kept if one.findings[0].estimate]
            browser.until(lambda drawn=drawn: browser.run(levels) == drawn, "the chart stands still")  # type: ignore[misc]


def test_a_service_without_any_record_and_one_that_goes_away_are_put_in_words(browser: Browser) -> None:
    service = Service()
    server = serve(service.site, Access(port=0))
    try:
        browser.open(server.port, "overview")
        browser.sees("Nothing has been read yet.", "main")
        browser.sees("Stream people has not restored its state yet.", "main")
        for view, sentence in {
            "stream/people": "There is no sample yet",
            "drift/people": "No window has been judged yet",
            "pipeline/people": "The samples are counted when the first answer is computed",
        }.items():
            browser.run(f"location.hash = '#/{view}'")
            browser.sees(sentence, "main")
        browser.sees("No record has been looked at yet.", "main")
        browser.sees("0 failed; none saved yet", "main")
    finally:
        server.close()
        service.answering.close()
    browser.sees("The service does not answer", "#notice")
    browser.sees("What is shown is from", "#notice")
    browser.sees("Not live.", "footer")
    assert browser.run("return getComputedStyle(document.querySelector('main .view')).filter") == "grayscale(1)"
    assert not [entry for entry in browser.console() if "Failed to load resource" not in entry]


@pytest.mark.parametrize("view", ["stream", "drift", "pipeline"])
def test_a_stream_that_does_not_exist_is_told(browser: Browser, people: int, view: str) -> None:
    browser.open(people, f"{view}/nobody")
    browser.sees("There is no stream of the name nobody", "#notice")
    browser.sees("Nothing to show yet.", "main")
    assert "What is shown" not in browser.text("#notice")
    next(one for one in browser.all("nav a") if one.text == "Drift").click()
    browser.sees("Drift: people", "main")
    assert browser.console() == []


def test_an_address_that_was_cut_off_leads_to_the_first_stream(browser: Browser, people: int) -> None:
    browser.open(people, "drift/%e")
    browser.sees("Drift: people", "main")
    assert browser.console() == []


def test_the_page_asks_for_the_token_and_keeps_it_in_the_tab_only(browser: Browser) -> None:
    service = Service()
    service.run(3_000)
    with serving(service, Access(port=0, token=TOKEN)) as port:
        browser.open(port, "overview")
        browser.sees("This service answers with its token only", "dialog")
        assert browser.focused() == "token"
        assert browser.barriers() == []
        for _ in range(3):
            browser.press(Keys.ESCAPE)
        browser.until(lambda: browser.focused() == "token", "the question for the token is gone")
        browser.press("no header can carry …", Keys.ENTER)
        browser.sees("The service does not take this token.", "dialog")
        assert browser.run("return sessionStorage.length") == 0
        browser.run("document.getElementById('wrong').textContent = document.getElementById('token').value = ''")
        browser.press("wrong", Keys.ENTER)
        browser.sees("The service does not take this token.", "dialog")
        browser.press(TOKEN, Keys.ENTER)
        browser.sees("The published set is safe.", "main")
        assert browser.run("return Object.values(sessionStorage)") == [TOKEN]
        assert browser.run("return [localStorage.length, document.cookie]") == [0, ""]
        assert TOKEN not in browser.run("return location.href + document.documentElement.outerHTML")
        browser.run("sessionStorage.clear()")
