"""What-if questions over HTTP, and the process that answers them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from streamqid.engine.answering import WAITING, Answering, Question, answer
from streamqid.engine.whatif import Columns, SafeSet, WhatIf
from streamqid.publish.access import Access
from streamqid.publish.explorer import ANSWERS
from streamqid.publish.http import serve
from tests.unit.publish.watching import Service, ask

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamqid.engine.whatif import Basis


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    service = Service()
    service.run()
    yield service
    service.answering.close()


@pytest.fixture(scope="module")
def port(service: Service) -> Iterator[int]:
    server = serve(service.site, Access(port=0))
    yield server.port
    server.close()


def basis(service: Service) -> Basis:
    found = service.explorer.basis("all")
    assert found is not None
    return found


def path(what: str, *columns: str, **more: str) -> str:
    return f"/v1/streams/people/{what}?{urlencode([*(('column', one) for one in columns), *more.items()])}"


def test_the_answer_is_that_of_the_newest_sample(service: Service, port: int) -> None:
    here = basis(service)
    newest = service.board.latest("people")
    assert newest is not None
    assert (here.id, here.records) == (newest.id, newest.records)
    told = WhatIf.model_validate_json(ask(port, path("whatif", "sex", "age")).body)
    assert told == here.what_if(("age", "sex"))
    safe = SafeSet.model_validate_json(ask(port, path("safe", "age")).body)
    assert safe == here.safe_set(("age",))
    columns = Columns.model_validate_json(ask(port, path("columns")).body)
    assert columns == here.columns()
    assert sorted(one.column for one in columns.columns) == sorted(here.evidence.columns)
    assert answer(here, Question("set", ("age", "sex"))) == told.model_dump_json().encode()
    assert answer(here, Question("safe set", ("age",))) == safe.model_dump_json().encode()


def test_a_window_is_judged_by_the_limits_of_a_published_set(service: Service, port: int) -> None:
    verdict = service.chronicle.history.sets[0].verdict if service.chronicle.history else None
    assert verdict is not None
    told = json.loads(ask(port, path("whatif", *verdict.columns, over="newest", like="demographics")).body)
    assert told["window"] == json.loads(verdict.model_dump_json())["window"]
    assert [one["limit"] for one in told["findings"]] == [0.9925]
    assert told["state"] == "unsafe"
    assert "not for the best of many" in told["conditions"]


@pytest.mark.parametrize(
    ("asked", "status", "word"),
    [
        (path("whatif", "canary"), 404, "no column of this name"),
        (path("whatif", "age", like="canary"), 404, "no published set"),
        (path("whatif", "age", over="canary"), 400, "all or newest"),
        ("/v1/streams/canary/whatif?column=age", 404, "no stream"),
    ],
)
def test_what_cannot_be_asked_is_refused_without_repeating_it(port: int, asked: str, status: int, word: str) -> None:
    told = ask(port, asked)
    assert told.status == status
    assert word in json.loads(told.body)["detail"]
    assert b"canary" not in told.body


def test_before_the_first_solve_there_is_no_sample() -> None:
    service = Service()
    server = serve(service.site, Access(port=0))
    try:
        told = ask(server.port, path("whatif", "age"))
        assert told.status == 404
        assert "after the next solve" in json.loads(told.body)["detail"]
    finally:
        server.close()


def test_an_answer_is_kept_while_the_sample_is_the_same(service: Service) -> None:
    here, question = basis(service), Question("set", ("plan",))
    first = service.explorer.ask(here, question)
    assert service.explorer.ask(here, question) is first
    small = Service(replace(service.stream, name="small"))
    small.answering.close()
    small.answering.ask = answer  # type: ignore[method-assign]
    columns = here.evidence.columns
    for number in range(ANSWERS + 5):
        chosen = tuple(column for j, column in enumerate(columns) if number >> j & 1)
        assert small.explorer.ask(replace(here, stream="small"), Question("columns", chosen)) is not None
    assert len(small.explorer._answers) == ANSWERS  # noqa: SLF001


def test_a_sample_is_asked_about_for_a_while_though_there_is_a_newer_one(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = basis(service)
    monkeypatch.setattr(service.explorer, "_newest", {"all": replace(here, id="newer")})
    monkeypatch.setattr("streamqid.publish.explorer.REST_SECONDS", 1000.0)
    assert basis(service).id == here.id
    monkeypatch.setattr("streamqid.publish.explorer.REST_SECONDS", 0.0)
    assert basis(service).id == "newer"
    monkeypatch.undo()


def test_a_process_that_dies_costs_one_answer(service: Service, port: int) -> None:
    assert ask(port, path("whatif", "zip")).status == 200
    worker = service.answering._worker  # noqa: SLF001
    assert worker is not None
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGKILL)
    worker.join()
    assert ask(port, path("whatif", "zip", "age")).status == 503
    assert ask(port, path("whatif", "zip", "age")).status == 200


def test_a_question_that_takes_too_long_is_given_up_and_others_are_refused(service: Service) -> None:
    answering = Answering(seconds=1.0)
    here, question = basis(service), Question("set", ("age",))
    try:
        assert answering.ask(here, question) is not None
        worker = answering._worker  # noqa: SLF001
        assert worker is not None
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGSTOP)
        told: list[tuple[float, bytes | None]] = []

        def one() -> None:
            began = time.monotonic()
            told.append((began, answering.ask(here, question)))

        asking = [threading.Thread(target=one) for _ in range(WAITING + 3)]
        for thread in asking:
            thread.start()
        for thread in asking:
            thread.join(30)
        assert len(told) == WAITING + 3
        assert any(found is None for _, found in told)
        assert answering.ask(here, question) is not None
    finally:
        answering.close()
    assert answering.ask(here, question) is None


SCRIPT = """
from tests.unit.publish.test_explorer import basis
from tests.unit.publish.watching import Service
from streamqid.engine.answering import Question
if __name__ == "__main__":
    service = Service()
    service.run(2_000)
    print(len(service.answering.ask(basis(service), Question("columns"))))
"""


def test_a_program_that_forgets_to_close_it_ends_all_the_same(tmp_path: Path) -> None:
    script = tmp_path / "forgets.py"
    script.write_text(SCRIPT)
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, script],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert int(done.stdout) > 100
