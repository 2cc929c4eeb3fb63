"""What else can be asked of a stream, on its view."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamqid.engine.documents import Unanswered
from streamqid.engine.projection import Projection
from streamqid.engine.sample_questions import (
    AskArticulation,
    AskDependencies,
    AskMinimal,
    AskOptimalKey,
    AskOptimalMask,
    AskQid,
)
from streamqid.publish.access import Access
from streamqid.publish.http import serve
from tests.unit.publish.watching import STREAM, Service
from tests.web.browser import PHONE

if TYPE_CHECKING:
    from tests.web.browser import Browser

COLUMNS = ("age", "sex", "region", "zip", "occupation")
PROBLEMS = (
    AskMinimal(epsilon=0.05, max_size=2),
    AskQid(k=5),
    AskOptimalKey(epsilon=0.05),
    AskOptimalMask(beta=0.9, must_hide=("zip",)),
    AskDependencies(threshold=0.05, declared=((("zip",), ("region",)),)),
    AskArticulation(("zip",), ("occupation",), threshold=0.1),
)


def test_every_answer_has_a_card_with_its_sentence(browser: Browser) -> None:
    service = Service(replace(STREAM, problems=PROBLEMS, projection=Projection(only=COLUMNS)))
    service.run(2_000)
    newest = service.board.latest("people")
    assert newest is not None
    missing = newest.model_copy(
        update={"qid": None, "unanswered": [Unanswered(problem="qid", reason="out of time")], "columns_left_out": True}
    )
    server = serve(service.site, Access(port=0))
    try:
        browser.open(server.port, "stream/people")
        for name in (ask.name for ask in PROBLEMS):
            browser.sees(getattr(newest, name).guarantee, "main")
        for summary in browser.all("main .view .view details summary"):
            summary.click()
        assert newest.minimal is not None
        browser.sees(", ".join(newest.minimal.sets[0].columns), "main table")
        browser.sees("zip → region (declared)", "main table")
        assert browser.barriers() == []
        browser.run("window.untouched = true")
        service.board.publish(missing)
        browser.sees("No answer this time: out of time.", "main")
        browser.sees("More columns occur than may take part", "main")
        browser.open(server.port, "stream/people", size=PHONE)
        browser.charts(1)
        assert browser.run("return document.documentElement.scrollWidth") <= PHONE[0]
        assert browser.console() == []
    finally:
        server.close()
        service.answering.close()
