"""The drift view of a stream whose key and columns change."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote

from streamqid.engine.loop import Loop
from streamqid.engine.observers import Observers
from streamqid.engine.panes import PaneRule
from streamqid.engine.questions import Limit, PublishedSet, Quantity
from streamqid.publish.access import Access
from streamqid.publish.http import serve
from streamqid.sources import open_table
from tests.unit.publish.watching import STREAM, Service

if TYPE_CHECKING:
    from pathlib import Path

    from tests.web.browser import Browser

PANE = 100
NAME, SET = 'people"/<script>alert(1)</script>', "<img src=x onerror=alert(2)>"
LIMITS = (Limit(Quantity.SEPARATION, 0.9), Limit(Quantity.CLOSENESS, 0.1, sensitive="room", t=0.3))


def test_who_enters_and_leaves_the_key_and_which_columns_come(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    first = [{"badge": i, "room": i % 4} for i in range(3 * PANE)]
    later = [{"badge": i % 3, "room": i, "shift": i % 2} for i in range(3 * PANE)]
    path.write_text("\n".join(json.dumps(row) for row in [*first, *later]))
    published = (PublishedSet(SET, ("badge", "room"), LIMITS),)
    stream = replace(STREAM, name=NAME, panes=PaneRule(PANE, "records"), window_panes=1, published=published)
    service = Service(stream)
    observers = Observers([service.metrics, service.pulse, service.chronicle, service.explorer])
    with contextlib.closing(open_table(path)) as source:
        Loop(
            stream, source, service.store, service.board, service.clock, observer=observers, history=service.history
        ).run()
    assert service.chronicle.history is not None
    assert ["badge"] in [one.key for one in service.chronicle.history.windows]
    server = serve(service.site, Access(port=0))
    try:
        browser.open(server.port, f"drift/{quote(NAME, safe='')}")
        browser.charts(3)
        browser.sees(f"{SET}: Pairs told apart", "main")
        browser.sees(f"{SET}: Rows in telling groups (about room)", "main")
        marks = browser.run(
            "return [...document.querySelectorAll('.chart')].at(-1).data.map("
            "(t) => [t.name, t.marker.symbol, [...new Set(t.y)]]).filter((t) => t[2].length)"
        )
        assert marks == [
            ["is in the key", "square", ["badge", "room"]],
            ["entered", "triangle-up", ["room"]],
            ["left", "x-open", ["badge"]],
        ]
        for sentence in ("key entered:", "key left:", "schema new:"):
            browser.sees(sentence, ".events")
        assert (
            browser.run("return document.querySelector('.chart').layout.xaxis.title.text")
            == "End of the window (record)"
        )
        assert browser.barriers() == []
        browser.open(server.port, f"stream/{quote(NAME, safe='')}")
        browser.sees("✕ Unsafe", "#result")
        browser.sees("Rows in telling groups (about room)", "#result")
        [untick] = [one for one in browser.all("main button") if one.text == "Untick all"]
        untick.click()
        browser.one("main .ticks input[value='badge']").click()
        browser.one("#find").click()
        browser.sees("Largest set within one of the limits", "#safe")
        browser.sees("Not looked at here: closeness of room.", "#safe")
        browser.run("location.hash = '#/overview'")
        browser.sees(f"stream {NAME}", "article")
        browser.charts(1)
        assert browser.all("main img, main script") == [], "no name is markup"
        assert browser.console() == []
    finally:
        server.close()
        service.answering.close()
