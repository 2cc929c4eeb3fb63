from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest
from prometheus_client.parser import text_string_to_metric_families as parse

from streamqid.engine.documents import Recommendation
from streamqid.engine.events import Trouble, TroubleKind
from streamqid.engine.history import History
from streamqid.errors import ConfigError
from streamqid.publish.access import Access
from streamqid.publish.head import HEAD_BYTES, LINE_BYTES
from streamqid.publish.http import CONNECTIONS, serve
from streamqid.publish.openapi import openapi
from streamqid.publish.routes import ROUTES
from tests.unit.publish.watching import Service, ask, openmetrics_names, send, status_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamqid.records import Origin

TOKEN = "a-token-of-the-test"  # noqa: S105
PATHS = [route.path.replace("{stream}", "people") for route in ROUTES]


@contextlib.contextmanager
def serving(service: Service, access: Access | None = None, **bounds: float) -> Iterator[int]:
    server = serve(service.site, access or Access(port=0), **bounds)  # type: ignore[arg-type]
    try:
        yield server.port
    finally:
        server.close()


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    service = Service()
    service.run()
    yield service
    service.answering.close()


@pytest.fixture(scope="module")
def port(service: Service) -> Iterator[int]:
    with serving(service) as port:
        yield port


@pytest.mark.parametrize("path", PATHS)
def test_every_route_answers_with_the_headers_of_a_careful_server(port: int, path: str) -> None:
    answer = ask(port, path)
    assert answer.status == 200
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert "server" not in answer.headers
    head = ask(port, path, "HEAD")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["content-type"] == answer.headers["content-type"]
    if path != "/metrics":
        json.loads(answer.body)
        assert int(head.headers["content-length"]) == len(answer.body)


def test_the_documents_are_those_on_the_board(service: Service, port: int) -> None:
    newest = service.board.latest("people")
    assert newest is not None
    assert Recommendation.model_validate_json(ask(port, "/v1/recommendations/people").body) == newest
    assert Recommendation.model_validate_json(ask(port, "/v1/recommendations/%70eople?x=1").body) == newest
    assert [one["id"] for one in json.loads(ask(port, "/v1/recommendations").body)] == [newest.id]
    history = json.loads(ask(port, "/v1/recommendations/people/history").body)
    assert [one["id"] for one in history] == [one.id for one in service.board.history("people")]
    [status] = json.loads(ask(port, "/v1/streams").body)
    assert status == {
        "name": "people",
        "restored": True,
        "records": newest.records,
        "lag_offsets": 10,
        "troubles": [],
        "recommendation": newest.id,
    }
    schema = json.loads(ask(port, "/v1/schema").body)
    assert set(schema["required"]) <= set(newest.model_dump()) <= set(schema["properties"])


def test_metrics_come_in_the_format_that_is_asked_for(port: int) -> None:
    plain = ask(port, "/metrics")
    assert plain.headers["content-type"].startswith("text/plain")
    opened = ask(port, "/metrics", Accept="application/openmetrics-text; version=1.0.0")
    assert opened.headers["content-type"].startswith("application/openmetrics-text")
    names = {family.name for family in parse(plain.body.decode())}
    assert names == openmetrics_names(opened.body.decode())
    for odd in ("application/openmetrics-text; version=bad", "text/plain; version=..", "text/html", ";,;"):
        assert ask(port, "/metrics", Accept=odd).headers["content-type"] == plain.headers["content-type"]


def test_health_and_readiness_are_told_by_status_and_sentences() -> None:
    service = Service()
    with serving(service) as port:
        assert ask(port, "/healthz").status == 200
        unready = ask(port, "/readyz")
        assert unready.status == 503
        assert json.loads(unready.body) == {
            "ok": False,
            "reasons": ["Stream people has not restored its state yet."],
        }
        service.clock.advance(100)
        assert ask(port, "/healthz").status == 503
        assert ask(port, "/v1/recommendations/people").status == 404
        assert json.loads(ask(port, "/v1/recommendations").body) == []


@pytest.mark.parametrize("path", ["/v1", "/v1/", "//", "/metrics/", "/v1/recommendations/nobody", "/%2e%2e/etc"])
def test_what_does_not_exist_is_a_problem_document(port: int, path: str) -> None:
    answer = ask(port, path)
    assert answer.status == 404
    assert answer.headers["content-type"] == "application/problem+json"
    problem = json.loads(answer.body)
    assert (problem["status"], problem["title"], problem["type"]) == (404, "Not Found", "about:blank")
    assert ask(port, "/v1/recommendations/nobody/history").status == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "BREW"])
def test_only_get_and_head_are_allowed(port: int, method: str) -> None:
    answer = ask(port, "/healthz", method)
    assert answer.status == 405
    assert answer.headers["allow"] == "GET, HEAD"
    assert json.loads(answer.body)["status"] == 405


def test_a_body_is_refused_with_an_answer_that_arrives(port: int) -> None:
    body = b"x" * 200_000
    request = b"POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body)
    assert status_of(send(port, request + body)) == 405


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET /" + b"a" * LINE_BYTES + b" HTTP/1.1\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\nX: " + b"a" * HEAD_BYTES + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\n" + b"X: a\r\n" * HEAD_BYTES, 431),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
        (b"\x00" * 100_000, 400),
        (b"GET / HTTP/2.0\r\n\r\n", 505),
        (b"GET /\r\n\r\n", 400),
        (b"GET  / HTTP/1.1\r\n\r\n", 400),
        (b"GET canary HTTP/1.1\r\n\r\n", 400),
        (b"GET /<canary>\x01 HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n folded: canary\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nname : canary\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nX: a\rb\r\n\r\n", 400),
        (b"GET /<script>canary</script> HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    ],
)
def test_a_bad_request_is_refused_without_repeating_it(port: int, request_bytes: bytes, status: int) -> None:
    answer = send(port, request_bytes)
    assert status_of(answer) == status
    assert b"canary" not in answer
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["status"] == status


def test_a_client_that_leaves_early_disturbs_nobody(port: int) -> None:
    for sent in (b"", b"GET", b"GET / HTTP/1.1\r\n"):
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(sent)
    assert ask(port, "/healthz").status == 200


def test_a_slow_client_blocks_nobody_and_is_sent_away(service: Service) -> None:
    with serving(service, seconds=2.0) as port, socket.create_connection(("127.0.0.1", port), timeout=20) as slow:
        stop = threading.Event()

        def drip() -> None:
            with contextlib.suppress(OSError):
                while not stop.wait(0.1):
                    slow.sendall(b"G")

        dripping = threading.Thread(target=drip)
        dripping.start()
        assert ask(port, "/healthz").status == 200
        assert status_of(slow.recv(65536)) == 408
        stop.set()
        dripping.join()


def test_who_says_nothing_loses_the_place_to_who_comes_and_the_oldest_first(service: Service) -> None:
    with serving(service, connections=2, seconds=60.0) as port, contextlib.ExitStack() as held:
        idle = [held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20)) for _ in range(2)]
        assert status_of(send(port, b"GET /healthz HTTP/1.1\r\n\r\n")) == 200
        assert idle[0].recv(65536) == b""
        idle[1].sendall(b"GET /healthz HTTP/1.1\r\n\r\n")
        assert status_of(idle[1].recv(65536)) == 200


def test_idle_connections_in_any_number_do_not_keep_health_from_being_told(service: Service) -> None:
    with serving(service, seconds=60.0) as port, contextlib.ExitStack() as held:
        for _ in range(CONNECTIONS + 8):
            held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
        for _ in range(3):
            assert ask(port, "/healthz").status == 200


def test_who_is_being_answered_keeps_the_place() -> None:
    service, answering = Service(), threading.Semaphore(0)
    going_on = threading.Event()

    def lags() -> dict[Origin, int]:
        answering.release()
        going_on.wait(60)
        return {}

    service.tap.lags = lags  # type: ignore[method-assign]
    with serving(service, connections=2) as port, contextlib.ExitStack() as held:
        asking = [held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60)) for _ in range(2)]
        for connection in asking:
            connection.sendall(b"GET /v1/streams HTTP/1.1\r\n\r\n")
            assert answering.acquire(timeout=60)
        assert send(port, b"GET /healthz HTTP/1.1\r\n\r\n") == b""
        going_on.set()
        assert [status_of(connection.recv(65536)) for connection in asking] == [200, 200]
        held.close()
        end = time.monotonic() + 20
        while not send(port, b"GET /healthz HTTP/1.1\r\n\r\n"):
            assert time.monotonic() < end, "the places never became free"


def test_who_does_not_take_an_answer_loses_the_place_to_who_comes(service: Service) -> None:
    with serving(service, connections=2, seconds=60.0) as port, contextlib.ExitStack() as held:
        for _ in range(4):
            slow = held.enter_context(socket.socket())
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.connect(("127.0.0.1", port))
            slow.sendall(b"GET /page/plotly.min.js HTTP/1.1\r\n\r\n")
            assert slow.recv(100).startswith(b"HTTP/1.1 200"), "its answer is under way"
        assert status_of(send(port, b"GET /healthz HTTP/1.1\r\n\r\n")) == 200


def test_pages_of_other_hosts_may_not_ask_and_links_from_there_may(port: int) -> None:
    asked = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"}
    for path in ("/v1/published", "/page/app.js", "/v1/streams/people/safe"):
        assert ask(port, path, **asked).status == 403
    assert ask(port, "/", **{**asked, "Sec_Fetch_Mode": "navigate"}, Accept="text/html").status == 200
    assert ask(port, "/v1/published", Sec_Fetch_Site="same-origin", Sec_Fetch_Mode="cors").status == 200


def test_a_token_guards_all_but_health() -> None:
    service = Service()
    service.pulse.is_restored = True
    service.tap.wrong.append(Trouble(TroubleKind.MISSING, "The topic people does not exist: create it."))
    with serving(service, Access(port=0, token=TOKEN)) as port:
        for path in [*PATHS, "/nowhere"]:
            if path in ("/healthz", "/readyz"):
                continue
            for wrong in ({}, {"Authorization": f"Bearer {TOKEN}x"}, {"Authorization": f"Basic {TOKEN}"}):
                answer = ask(port, path, **wrong)
                assert answer.status == 401
                assert answer.headers["www-authenticate"] == "Bearer"
                assert TOKEN.encode() not in answer.body
        assert ask(port, "/metrics", Authorization=f"bearer {TOKEN}").status == 200
        assert ask(port, "/metrics", Authorization="Bearer \xfcber").status == 401
        assert ask(port, "/nowhere", Authorization=f"Bearer {TOKEN}").status == 404
        assert ask(port, "/healthz").status == 200
        assert b"topic" not in ask(port, "/readyz").body, "who has no token learns no names"
        assert b"The topic people" in ask(port, "/readyz", Authorization=f"Bearer {TOKEN}").body


def test_an_address_that_others_reach_needs_a_token_or_the_word() -> None:
    for address in ("0.0.0.0", "::", "192.0.2.1", "example.org"):  # noqa: S104
        with pytest.raises(ConfigError, match=r"give it a token.*insecure"):
            Access(address)
        assert Access(address, insecure=True).trusts(None)
        assert not Access(address, token=TOKEN).trusts(None)
    for address in ("127.0.0.1", "127.0.0.2", "::1", "localhost"):
        assert Access(address).trusts(None)
    for token in ("", " ", "tökén"):
        with pytest.raises(ConfigError, match="token"):
            Access(token=token)
    with pytest.raises(ConfigError, match="port"):
        Access(port=65536)
    assert TOKEN not in repr(Access(token=TOKEN))


def test_a_foreign_name_for_this_machine_is_refused_where_no_token_guards(service: Service, port: int) -> None:
    for host in ("evil.example", "evil.example:8477", f"127.0.0.1.evil.example:{port}"):
        assert ask(port, "/metrics", Host=host).status == 421
    for host in ("localhost", f"localhost:{port}", "127.0.0.1", "[::1]", f"[::1]:{port}"):
        assert ask(port, "/metrics", Host=host).status == 200
    with serving(service, Access(port=0, token=TOKEN)) as guarded:
        assert ask(guarded, "/metrics", Host="metrics.example", Authorization=f"Bearer {TOKEN}").status == 200


def test_a_port_that_is_taken_is_told_in_a_sentence(service: Service, port: int) -> None:
    with pytest.raises(ConfigError, match=r"cannot listen on 127\.0\.0\.1:\d+ \(Address already in use\)"):
        serve(service.site, Access(port=port))


def test_a_closed_server_lets_go_of_its_port(service: Service) -> None:
    server = serve(service.site, Access(port=0))
    server.close()
    with pytest.raises(ConnectionRefusedError):
        ask(server.port, "/healthz")


def test_an_answer_that_fails_says_nothing_about_why(caplog: pytest.LogCaptureFixture) -> None:
    service = Service()

    def fail() -> int:
        raise RuntimeError("canary")

    service.tap.lags = fail  # type: ignore[assignment, method-assign]
    with serving(service) as port:
        answer = ask(port, "/v1/streams")
    assert answer.status == 500
    assert b"canary" not in answer.body
    assert "RuntimeError" in caplog.text
    assert "canary" not in caplog.text


def test_the_description_covers_each_route_and_nothing_else(port: int) -> None:
    described = json.loads(ask(port, "/openapi.json").body)
    assert described == openapi("1.2.3", ROUTES)
    assert described["openapi"].startswith("3.1")
    assert set(described["paths"]) == {route.path for route in ROUTES} == set(json.loads(ask(port, "/").body)["paths"])
    for template, methods in described["paths"].items():
        assert set(methods) == {"get"}
        answer = ask(port, template.replace("{stream}", "people"))
        content = methods["get"]["responses"][str(answer.status)]["content"]
        assert answer.headers["content-type"].partition(";")[0] in content
        parameters = [(one["in"], one["name"]) for one in methods["get"].get("parameters", [])]
        assert ("{stream}" in template) == (("path", "stream") in parameters)
        assert (template in ("/v1/published", "/v1/drift")) == (("query", "stream") in parameters)
        assert (template.endswith(("/whatif", "/safe"))) == (("query", "column") in parameters)


def test_every_reference_of_the_description_leads_somewhere() -> None:
    described = openapi("1", ROUTES)
    text = json.dumps(described)
    named = {part.partition('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert named == set(described["components"]["schemas"])


def test_published_sets_and_drift_are_told_for_all_streams_or_one(port: int, service: Service) -> None:
    published = json.loads(ask(port, "/v1/published").body)
    assert [(one["stream"], [v["settled"] for v in one["verdicts"]]) for one in published] == [("people", ["unsafe"])]
    assert json.loads(ask(port, "/v1/published?stream=people").body) == published
    (verdict,) = published[0]["verdicts"]
    assert verdict["proposal"]["sentence"]
    assert verdict["findings"][0]["limit"] == 0.9925
    (drift,) = json.loads(ask(port, "/v1/drift?stream=people").body)
    assert History.model_validate(drift) == service.chronicle.history
    assert drift["windows"][-1]["key"]
    assert [event["change"] for event in drift["events"] if event["about"] == "measure"] == ["rose"]
    for path in ("/v1/drift?stream=nobody", "/v1/published?stream=nobody"):
        assert ask(port, path).status == 404


def test_before_the_first_window_a_set_is_unknown() -> None:
    service = Service()
    with serving(service) as port:
        assert json.loads(ask(port, "/v1/published").body) == []
        service.run(500)
        (published,) = json.loads(ask(port, "/v1/published").body)
    assert [verdict["state"] for verdict in published["verdicts"]] == ["unknown"]
