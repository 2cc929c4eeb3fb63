"""Every view in a real browser: light, dark, on a phone, without barriers, errors and foreign hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from selenium.webdriver.common.action_chains import ActionChains

from tests.web.browser import PHONE, SCREEN

if TYPE_CHECKING:
    from tests.web.browser import Browser

VIEWS = {
    "overview": ("The published set is unsafe.", "What to do: Drop region", "Unsafe since", "limit at most 99.25 %"),
    "stream/people": ("What identifies people", "What can be published", "Risk by column", "Columns to publish"),
    "drift/people": ("demographics: Pairs told apart", "Key membership", "Events", "measure rose"),
    "pipeline/people": ("Records 6,000", "Lag 10", "Bad records 0", "Snapshots", "Solves", "Sample fill"),
}
CHARTS = {"overview": 1, "stream/people": 1, "drift/people": 2, "pipeline/people": 3}


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_shows_its_facts_in_light_and_dark_and_on_a_phone(browser: Browser, people: int, view: str) -> None:
    browser.open(people, view)
    for part in VIEWS[view]:
        browser.sees(part, "main")
    browser.charts(CHARTS[view])
    assert browser.run("return document.documentElement.dataset.theme") == "light"
    assert browser.barriers() == []
    for label in (one.get_dom_attribute("aria-label") for one in browser.all("[role=img]")):
        assert label, "every chart says in words what it shows"
    assert browser.console() == []
    assert browser.hosts() == {f"127.0.0.1:{people}"}

    browser.open(people, view, size=PHONE, dark=True)
    browser.charts(CHARTS[view])
    assert browser.run("return document.documentElement.dataset.theme") == "dark"
    red, green, blue = browser.run(
        "return getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)"
    )
    assert red + green + blue < 150
    assert browser.run("return document.documentElement.scrollWidth") <= PHONE[0]
    assert browser.barriers() == []
    assert browser.console() == []


SIZES = (
    "return [...document.querySelectorAll('[role=img]')].map((place) => "
    "[place, place.querySelector('svg')].map((one) => one.getBoundingClientRect()))"
    ".map(([place, drawn]) => [place.width, drawn.width, place.height, drawn.height].map(Math.round))"
)
"""Of each chart: the width of its place, the width that is drawn, and the same of the heights."""


def filled(browser: Browser, view: str) -> bool:
    """Whether every chart is as large as its place, and no wider than the window."""
    sizes = browser.run(SIZES)
    fits = browser.run("return document.documentElement.scrollWidth <= innerWidth")
    even = all(abs(place - drawn) <= 1 and high == drawn_high > 100 for place, drawn, high, drawn_high in sizes)
    return bool(fits and even and len(sizes) >= CHARTS[view])


@pytest.mark.parametrize("view", CHARTS)
def test_charts_follow_the_width_of_the_window_and_keep_their_height(browser: Browser, people: int, view: str) -> None:
    browser.open(people, view)
    browser.charts(CHARTS[view])
    heights = [size[2] for size in browser.run(SIZES)]
    for width in (PHONE[0], 700, SCREEN[0]):
        browser.resize(width)
        browser.until(lambda: filled(browser, view), f"the charts do not fit a window of {width} pixels")
    assert [size[2] for size in browser.run(SIZES)] == heights
    assert browser.console() == []


@pytest.mark.parametrize("size", [SCREEN, PHONE])
def test_charts_fill_their_places_also_in_a_view_that_is_reached_by_a_link(
    browser: Browser, people: int, size: tuple[int, int]
) -> None:
    browser.open(people, size=size)
    browser.charts(1)
    for view in ("pipeline/people", "stream/people", "drift/people", "overview"):
        browser.run("location.hash = `/${arguments[0]}`", view)
        browser.sees(VIEWS[view][0], "main")
        browser.until(lambda view=view: filled(browser, view), f"the charts of {view} do not fit")  # type: ignore[misc]
    assert browser.console() == []


def test_a_view_reached_by_a_link_begins_with_its_heading(browser: Browser, people: int) -> None:
    browser.open(people, "stream/people", size=(900, 500))
    browser.charts(1)
    browser.run("scrollTo(0, 600)")
    for view in ("Drift", "Pipeline"):
        next(one for one in browser.all("nav a") if one.text == view).click()
        browser.sees(f"{view}: people", "h1")
        edges = "return ['h1', 'header'].map((one) => document.querySelector(one).getBoundingClientRect())"
        heading, header = browser.run(edges)
        assert heading["top"] >= header["bottom"], "the heading is not behind the bar"
        assert browser.focused() == "main"


def test_a_state_is_a_word_and_a_sign_and_not_a_colour_alone(browser: Browser, people: int) -> None:
    browser.open(people, "overview")
    browser.sees("✕ Unsafe", "article .badge")
    browser.open(people, "drift/people")
    browser.charts(2)
    marks = "return document.querySelector('.chart').data.slice(4).map((t) => [t.name, t.marker.symbol, t.x.length])"
    assert browser.run(marks) == [["safe", "circle", 1], ["at risk", "triangle-up", 2], ["unsafe", "x", 1]]
    assert browser.text("section:first-child .legend") == "interval estimate limit at most 99.25 % safe at risk unsafe"


def test_a_key_that_is_not_certain_is_marked_as_such(browser: Browser, people: int) -> None:
    browser.open(people, "drift/people")
    browser.charts(2)
    marks = (
        "return [...document.querySelectorAll('.chart')].at(-1).data.map((t) => [t.name, t.marker.symbol, t.x.length])"
    )
    found = {name: (symbol, many) for name, symbol, many in browser.run(marks)}
    assert found["found, not certain"][0] == "square-open"
    assert found["found, not certain"][1] > 0
    assert found["is in the key"][1] == found["entered"][1] == 0
    browser.sees("In the newest closed window (the sample is too small to be certain):", "main")


def test_the_chosen_theme_stays(browser: Browser, people: int) -> None:
    browser.open(people, "overview")
    browser.charts(1)
    before = browser.run("return document.querySelector('.spark').layout.font.color")
    browser.one("#theme").click()
    browser.until(
        lambda: browser.run("return document.querySelector('.spark').layout.font.color") != before, "same colours"
    )
    browser.open(people, "overview")
    assert browser.run("return document.documentElement.dataset.theme") == "dark"
    assert browser.one("#theme").get_dom_attribute("aria-pressed") == "true"
    browser.run("localStorage.clear()")


def test_axes_have_names_and_a_chart_can_be_zoomed_and_read_point_by_point(browser: Browser, people: int) -> None:
    browser.open(people, "drift/people")
    browser.charts(2)
    titles = browser.run(
        "const c = document.querySelector('.chart'); return [c.layout.xaxis.title.text, c.layout.yaxis.title.text]"
    )
    assert titles == ["End of the window (event time, UTC)", "Pairs told apart"]
    whole = browser.run("return document.querySelector('.chart').layout.xaxis.range")
    [zoom] = [one for one in browser.all("main button") if one.text == "Last 5"]
    windows = browser.run("return document.querySelector('.chart').data[2].x.length")
    assert windows < 5
    area = browser.one(".chart .nsewdrag")
    ActionChains(browser.driver).move_to_element(area).click_and_hold().move_by_offset(200, 60).release().perform()
    browser.until(lambda: browser.run("return document.querySelector('.chart').layout.xaxis.range") != whole, "no zoom")
    zoom.click()
    browser.until(lambda: browser.run("return document.querySelector('.chart').layout.xaxis.autorange"), "no way back")
    point = browser.all("section:first-child .chart .scatterlayer .trace .point")[-1]
    ActionChains(browser.driver).move_to_element(point).perform()
    browser.until(
        lambda: "limit" in browser.run("return document.querySelector('.hoverlayer').textContent"), "no hover"
    )
    browser.all("details summary")[-1].click()
    browser.sees("found in the window", ".events")
