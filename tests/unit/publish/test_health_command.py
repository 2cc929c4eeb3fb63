from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

import pytest
import typer
from typer.testing import CliRunner

from streamqid.cli.health import health
from streamqid.errors import UsageError
from streamqid.publish.access import Access
from streamqid.publish.http import serve
from tests.unit.publish.watching import STREAM, Service

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

from streamqid.engine.state import State

app = typer.Typer()
app.command()(health)


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    if isinstance(result.exception, UsageError):
        raise result.exception
    return result.exit_code, result.stdout


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def url(service: Service) -> Iterator[str]:
    server = serve(service.site, Access(port=0))
    yield f"http://127.0.0.1:{server.port}"
    server.close()


def test_a_service_that_is_well_gives_0_and_one_that_is_not_gives_1(service: Service, url: str) -> None:
    assert run(url) == (0, "alive\n")
    assert run(url, "--ready") == (1, "Stream people has not restored its state yet.\n")
    service.pulse.restored(State(STREAM), saved=False)
    assert run(url, "--ready") == (0, "ready\n")
    service.clock.advance(100)
    assert run(url) == (1, "The loop of stream people has not turned for 100 seconds.\n")


def test_nobody_there_gives_1_and_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    code, out = run(f"http://127.0.0.1:{port}")
    assert (code, out) == (1, f"Nothing answers as a streamqid service at 127.0.0.1:{port} (Connection refused).\n")


@pytest.mark.parametrize("answer", [b"", b"SSH-2.0-x\r\n", b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n[]"])
def test_something_else_that_answers_gives_1(answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:

        def reply() -> None:
            connection, _ = other.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(answer)

        replying = threading.Thread(target=reply)
        replying.start()
        code, out = run(f"http://127.0.0.1:{other.getsockname()[1]}")
        replying.join()
    assert code == 1
    assert out.startswith(("Nothing answers as a streamqid service", "The service at"))


def test_the_address_comes_from_the_configuration(url: str, tmp_path: Path) -> None:
    path = tmp_path / "streamqid.yaml"
    port = url.rpartition(":")[2]
    text = "kafka: {bootstrap_servers: ['127.0.0.1:9092']}\nstreams: [{name: people, topics: [people]}]\nhttp: "
    path.write_text(f"{text}{{address: 0.0.0.0, insecure: true, port: {port}}}\n")
    assert run("--config", str(path)) == (0, "alive\n")
    path.write_text(f"{text}{{port: 0}}\n")
    with pytest.raises(UsageError, match="any free port"):
        run("--config", str(path))


@pytest.mark.parametrize("arguments", [(), ("http://127.0.0.1:1", "--config", "x"), ("https://a",), ("http://[",)])
def test_what_cannot_be_asked_is_a_mistake(arguments: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        run(*arguments)
