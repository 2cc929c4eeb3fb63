"""Alerts posted to a real server: taken, refused, repeated, and buried."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from streamqid.engine.alerts import Alert, AlertStatus
from streamqid.engine.documents import Finding, VerdictState
from streamqid.engine.panes import PaneRule
from streamqid.engine.questions import Quantity
from streamqid.engine.telling import short
from streamqid.measures.estimate import Estimate
from streamqid.publish import webhook as module
from streamqid.publish.alertmanager import as_alertmanager
from streamqid.publish.dead_alerts import DeadAlerts
from streamqid.publish.posting import Target
from streamqid.publish.webhook import Webhook
from tests.documents import recommendation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

TOKEN = "token-of-the-test"  # noqa: S105
ESTIMATE = Estimate(estimate=0.96, lower=0.95, upper=0.97, confidence=0.99)
FINDING = Finding(quantity=Quantity.SEPARATION, limit=0.9, estimate=ESTIMATE, state=VerdictState.UNSAFE)


def alert(name: str, status: AlertStatus = AlertStatus.FIRING, unit: Any = "seconds") -> Alert:
    return Alert(
        id=name,
        status=status,
        stream="people",
        set="research",
        columns=["age", "zip"],
        state=VerdictState.UNSAFE if status is AlertStatus.FIRING else VerdictState.SAFE,
        before=VerdictState.SAFE,
        findings=[FINDING],
        since=1_000_000.0,
        window=PaneRule(10, unit).span(3, 3),
        proposal=None,
        owner="office",
        link="https://example.org",
        sentence="Unsafe: so and so.",
    )


class Listener:
    """A server that answers with the statuses it is told, the last one for ever, and keeps what it got."""

    def __init__(self, *statuses: int) -> None:
        self.got: list[tuple[str, dict[str, str], Any]] = []
        left = list(statuses)

        class Handler(BaseHTTPRequestHandler):
            def do_POST(handler) -> None:  # noqa: N805
                body = handler.rfile.read(int(handler.headers["Content-Length"]))
                self.got.append((handler.path, {k.lower(): v for k, v in handler.headers.items()}, json.loads(body)))
                handler.send_response(left.pop(0) if len(left) > 1 else left[0])
                handler.end_headers()

            def log_message(handler, *_: object) -> None:  # noqa: N805
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/hook?x=1"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def listen() -> Iterator[Callable[..., Listener]]:
    with contextlib.ExitStack() as stack:

        def start(*statuses: int) -> Listener:
            return stack.enter_context(contextlib.closing(Listener(*statuses)))

        yield start


def counts(hook: Webhook) -> dict[str, float]:
    return {reading.labels[0]: reading.value for reading in hook.readings()}  # type: ignore[misc]


def until(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_an_alert_is_posted_once_and_tried_again_until_it_is_taken(listen: Callable[..., Listener]) -> None:
    listener = listen(500, 429, 200)
    hook = Webhook(Target(listener.url, token=TOKEN), DeadAlerts(None), first_pause=0.01)
    hook.publish(alert("a"))
    hook.publish(alert("a"))
    hook.publish(recommendation(5))
    hook.publish(alert("b"))
    until(lambda: counts(hook)["delivered"] == 2)
    hook.close(5.0)
    assert [body["id"] for _, _, body in listener.got] == ["a", "a", "a", "b"]
    path, headers, body = listener.got[0]
    assert path == "/hook?x=1"
    assert headers["authorization"] == f"Bearer {TOKEN}"
    assert headers["content-type"] == "application/json"
    assert Alert.model_validate(body) == alert("a")
    assert TOKEN not in repr(Target(listener.url, token=TOKEN))


@pytest.mark.parametrize(("statuses", "attempts"), [((400,), 1), ((302,), 1), ((503,), 3)])
def test_what_is_not_taken_is_buried(
    listen: Callable[..., Listener], tmp_path: Path, statuses: tuple[int, ...], attempts: int
) -> None:
    listener, path = listen(*statuses), tmp_path / "dead.jsonl"
    hook = Webhook(Target(listener.url, retries=2), DeadAlerts(path), first_pause=0.01)
    hook.publish(alert("a"))
    until(lambda: counts(hook)["dead"] == 1)
    hook.close(5.0)
    assert len(listener.got) == attempts
    assert Alert.model_validate_json(path.read_text()) == alert("a")
    assert path.stat().st_mode & 0o777 == 0o600


def test_dead_letters_keep_the_newest_in_two_files(tmp_path: Path) -> None:
    path, size = tmp_path / "dead.jsonl", len(alert("0").model_dump_json()) + 1
    dead = DeadAlerts(path, most=3 * size)
    for name in "0123456789":
        dead.add(alert(name))
    older = tmp_path / "dead.jsonl.1"
    assert sorted(tmp_path.iterdir()) == [path, older]
    ids = [[json.loads(line)["id"] for line in one.read_text().splitlines()] for one in (older, path)]
    assert ids == [["6", "7", "8"], ["9"]]
    assert {one.stat().st_mode & 0o777 for one in (older, path)} == {0o600}


def test_an_alert_that_is_larger_than_the_file_may_be_is_kept(tmp_path: Path) -> None:
    dead = DeadAlerts(tmp_path / "dead.jsonl", most=10)
    for name in "ab":
        dead.add(alert(name))
    assert [Alert.model_validate_json(one.read_text()).id for one in sorted(tmp_path.iterdir())] == ["b", "a"]


def test_nobody_listens(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    listener = Listener(200)
    listener.close()
    hook = Webhook(Target(listener.url, retries=1), DeadAlerts(tmp_path / "no" / "where"), first_pause=0.01)
    hook.publish(alert("a"))
    until(lambda: counts(hook)["dead"] == 1)
    hook.close(5.0)
    assert "dead letters of the webhook cannot be written" in caplog.text
    assert "did not take the alert a" in caplog.text


def test_https_is_verified() -> None:
    listener = Listener(200)
    hook = Webhook(Target(listener.url.replace("http", "https"), retries=0), DeadAlerts(None))
    hook.publish(alert("a"))
    until(lambda: counts(hook)["dead"] == 1)
    hook.close(5.0)
    listener.close()
    assert listener.got == []


@pytest.mark.parametrize("address", ["http://host:99999/", "http://[::1", "http://a..b/", "http://127.0.0.1/\u00e9"])
def test_an_address_that_no_request_can_hold_costs_the_alert_and_not_the_thread(address: str) -> None:
    hook = Webhook(Target(address, retries=0), DeadAlerts(None))
    for name in "ab":
        hook.publish(alert(name))
    until(lambda: counts(hook)["dead"] == 2)
    hook.close(5.0)


def test_what_is_left_when_time_is_over_is_buried(tmp_path: Path) -> None:
    """The server takes the connection and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        path = tmp_path / "dead.jsonl"
        hook = Webhook(Target(f"http://127.0.0.1:{deaf.getsockname()[1]}/", timeout=30.0), DeadAlerts(path))
        for name in "abc":
            hook.publish(alert(name))
        accepted, _ = deaf.accept()
        hook.close(0.1)
        assert [json.loads(line)["id"] for line in path.read_text().splitlines()] == ["a", "b", "c"]
        assert counts(hook)["dead"] == 3
        accepted.close()


def test_a_server_that_answers_byte_by_byte_holds_up_nothing() -> None:
    """Each byte comes within the timeout, the answer never does."""
    with socket.create_server(("127.0.0.1", 0)) as slow:

        def drip() -> None:
            for _ in "ab":
                accepted, _ = slow.accept()
                with accepted, contextlib.suppress(OSError):
                    for _ in range(400):
                        accepted.sendall(b"H")
                        time.sleep(0.05)

        server = threading.Thread(target=drip, daemon=True)
        server.start()
        target = Target(f"http://127.0.0.1:{slow.getsockname()[1]}/", timeout=0.3, retries=0)
        hook = Webhook(target, DeadAlerts(None))
        for name in "ab":
            hook.publish(alert(name))
        until(lambda: counts(hook)["dead"] == 2)
        hook.close(5.0)
        server.join()


def test_an_end_that_has_begun_is_not_given_more_time(tmp_path: Path) -> None:
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as silent:
        hook = Webhook(Target(f"http://127.0.0.1:{silent.getsockname()[1]}/", timeout=40.0), DeadAlerts(tmp_path / "d"))
        hook.publish(alert("a"))
        hook.end(0.0)
        began = time.monotonic()
        hook.close(60.0)
        assert time.monotonic() - began < 20
    assert [json.loads(line)["id"] for line in (tmp_path / "d").read_text().splitlines()] == ["a"]


def test_closing_gives_what_waits_one_more_attempt(listen: Callable[..., Listener], tmp_path: Path) -> None:
    listener, path = listen(503), tmp_path / "dead.jsonl"
    hook = Webhook(Target(listener.url, retries=50), DeadAlerts(path), first_pause=30.0)
    for name in "abc":
        hook.publish(alert(name))
    until(lambda: len(listener.got) == 1)
    hook.close(10.0)
    assert [json.loads(line)["id"] for line in path.read_text().splitlines()] == ["a", "b", "c"]
    assert len(listener.got) == 3


def test_more_than_can_wait_is_buried_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAITING", 1)
    listener = Listener(503)
    hook = Webhook(Target(listener.url, retries=50), DeadAlerts(tmp_path / "dead.jsonl"), first_pause=30.0)
    hook.publish(alert("a"))
    until(lambda: len(listener.got) == 1)
    hook.publish(alert("b"))
    hook.publish(alert("c"))
    assert counts(hook)["dead"] == 1
    hook.close(10.0)
    listener.close()


def test_alertmanager_is_told_again_while_it_fires(listen: Callable[..., Listener]) -> None:
    listener = listen(200)
    target = Target(listener.url, format="alertmanager")
    hook = Webhook(target, DeadAlerts(None), first_pause=0.01, repeat_seconds=0.05)
    hook.publish(alert("a"))
    until(lambda: len(listener.got) >= 3)
    hook.publish(alert("b", AlertStatus.RESOLVED))
    until(lambda: counts(hook)["delivered"] == 2)
    seen = len(listener.got)
    time.sleep(0.5)
    assert len(listener.got) == seen, "what is resolved is not told again"
    hook.close(5.0)
    labels = [body[0]["labels"] for _, _, body in listener.got]
    assert all(label == labels[0] for label in labels)


def test_an_alert_that_alertmanager_missed_is_told_again_while_it_fires(
    listen: Callable[..., Listener], tmp_path: Path
) -> None:
    """It was away for longer than the retries last; the dead letters keep what it missed all the same."""
    path, listener = tmp_path / "dead.jsonl", listen(503, 503, 200)
    target = Target(listener.url, format="alertmanager", retries=1)
    hook = Webhook(target, DeadAlerts(path), first_pause=0.01, repeat_seconds=0.05)
    hook.publish(alert("a"))
    until(lambda: len(listener.got) >= 4)
    hook.close(5.0)
    assert counts(hook) == {"delivered": 0, "dead": 1}
    assert Alert.model_validate_json(path.read_text()) == alert("a")


@pytest.mark.parametrize(("first", "then"), [((400,), "a"), ((200, 503), "b")])
def test_what_is_refused_or_over_is_not_told_again(
    listen: Callable[..., Listener], first: tuple[int, ...], then: str
) -> None:
    """An alert that will never be taken, and one whose end did not arrive: Alertmanager then lets it run out."""
    listener = listen(*first)
    target = Target(listener.url, format="alertmanager", retries=0)
    hook = Webhook(target, DeadAlerts(None), first_pause=0.01, repeat_seconds=0.05)
    hook.publish(alert("a"))
    if then == "b":
        until(lambda: counts(hook)["delivered"] == 1)
        hook.publish(alert("b", AlertStatus.RESOLVED))
    until(lambda: counts(hook)["dead"] == 1)
    seen = len(listener.got)
    time.sleep(0.3)
    assert len(listener.got) == seen
    assert listener.got[-1][2][0]["annotations"]["id"] == then
    hook.close(5.0)


def test_the_form_that_alertmanager_takes() -> None:
    now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    (firing,) = as_alertmanager(alert("a"), now)
    assert firing["labels"] == {
        "alertname": "StreamqidPublishedSetUnsafe",
        "stream": "people",
        "set": "research",
        "severity": "critical",
    }
    assert firing["startsAt"] == "1970-01-12T13:46:40+00:00"
    assert firing["endsAt"] == "2026-01-02T03:09:05+00:00"
    assert firing["annotations"]["findings"] == "separation 95 % to 97 %, limit 90 %"
    assert firing["annotations"]["since"] == firing["startsAt"]
    (resolved,) = as_alertmanager(alert("a", AlertStatus.RESOLVED), now)
    assert resolved["endsAt"] == "2026-01-02T03:04:05+00:00"
    (by_offset,) = as_alertmanager(alert("a", unit="records"), now)
    assert "startsAt" not in by_offset
    assert by_offset["annotations"]["since"] == "offset 1000000"
    (never,) = as_alertmanager(alert("a").model_copy(update={"since": None}), now)
    assert never["annotations"]["since"] == ""
    for beyond in (1e12, -1e18, 1e300):
        (strange,) = as_alertmanager(alert("a").model_copy(update={"since": beyond}), now)
        assert "startsAt" not in strange
        assert strange["annotations"]["since"] == ""
    assert all(isinstance(text, str) for text in firing["annotations"].values())


def test_findings_in_a_few_words() -> None:
    nothing = FINDING.model_copy(update={"estimate": None})
    assert short(nothing) == "separation unknown, limit 90 %"
    size = Finding(quantity=Quantity.SMALLEST_GROUP, limit=5, estimate=Estimate.exact(3), state=VerdictState.UNSAFE)
    assert short(size) == "smallest group 3, limit 5"
    assert short(size.model_copy(update={"estimate": None})) == "smallest group unknown, limit 5"
    one_sided = ESTIMATE.model_copy(update={"lower": None})
    few = FINDING.model_copy(update={"quantity": Quantity.SMALL_GROUPS, "k": 5, "estimate": one_sided})
    assert short(few) == "small groups below 5 0 % to 97 %, limit 90 %"
