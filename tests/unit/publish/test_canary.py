from __future__ import annotations

import contextlib
import json
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from streamqid.engine.loop import Loop
from streamqid.engine.observers import Observers
from streamqid.engine.panes import PaneRule
from streamqid.engine.questions import Limit, PublishedSet, Quantity
from streamqid.publish.access import Access
from streamqid.publish.http import serve
from streamqid.publish.logbook import LogObserver
from streamqid.publish.routes import ROUTES
from streamqid.sources import open_table
from tests.unit.publish.watching import STREAM, Service, ask

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

CANARY = "canary-4711"
NUMBER = 471_108_154_711


def test_no_value_is_in_metrics_answers_or_logs(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    broken = [f'{{"name": "{CANARY}"', f'["{CANARY}"]', f'"{CANARY}"']
    rows = [
        json.dumps({"name": f"{CANARY} {i}", "group": f"{CANARY}-{i % 4}", "n": 4711 * 10**9 + i}) for i in range(400)
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(row if i % 9 else broken[i % 3] for i, row in enumerate(rows)))
    published = (PublishedSet("groups", ("group",), (Limit(Quantity.SEPARATION, 0.9),)),)
    service = Service(replace(STREAM, panes=PaneRule(100, "records"), published=published))
    watching = [service.metrics, service.pulse, service.explorer]
    observers = Observers([*watching, LogObserver("people", service.clock, service.tap)])
    with contextlib.closing(open_table(path)) as source:
        Loop(service.stream, source, service.store, service.board, service.clock, observer=observers).run()
    server = serve(service.site, Access(port=0))
    try:
        answers = [ask(server.port, route.path.replace("{stream}", "people")) for route in ROUTES]
    finally:
        server.close()
        service.answering.close()
    assert all(answer.status == 200 for answer in answers)
    told = b"".join(answer.body for answer in answers).decode() + caplog.text
    assert 'reason="not a JSON object"' in told
    assert "canary" not in told
    assert str(NUMBER) not in told
