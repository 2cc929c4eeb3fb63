"""More is taken from a socket at a time than the client does, and nothing else changes."""

from __future__ import annotations

import asyncio
import socket
from types import SimpleNamespace
from typing import Any

import pytest
from kafka.net.transport import KafkaTCPTransport

from streamqid.broker import raw


@pytest.fixture
def pair() -> Any:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    with ours, theirs:
        yield ours, theirs


def client_way() -> tuple[bytes, Any]:
    return b"", "what the client makes of it"


def test_all_that_waits_is_taken(pair: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pair
    monkeypatch.setattr(raw, "_RECEIVE_BYTES", 10)
    theirs.sendall(b"0123456789" * 3 + b"abc")
    assert raw._receive(ours, client_way) == (b"0123456789" * 3 + b"abc", None)  # noqa: SLF001
    assert raw._receive(ours, client_way) == (b"", None)  # noqa: SLF001
    theirs.sendall(b"0123456789" * 20)
    assert len(raw._receive(ours, client_way)[0]) == 160  # noqa: SLF001


def test_the_end_of_a_connection_comes_after_what_was_sent_before_it(
    pair: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = pair
    monkeypatch.setattr(raw, "_RECEIVE_BYTES", 4)
    theirs.sendall(b"last")
    theirs.close()
    assert raw._receive(ours, client_way) == (b"last", None)  # noqa: SLF001
    assert raw._receive(ours, client_way) == client_way()  # noqa: SLF001


def test_an_error_is_left_to_the_client(pair: Any) -> None:
    ours, _ = pair
    ours.close()
    assert raw._receive(ours, client_way) == client_way()  # noqa: SLF001


def test_only_connections_without_tls_are_changed(pair: Any) -> None:
    transport = KafkaTCPTransport.__new__(KafkaTCPTransport)
    transport._sock = pair[0]  # noqa: SLF001
    built: list[Any] = [transport, SimpleNamespace(_sock=pair[0])]

    async def build(*_: object) -> Any:
        return built.pop(0)

    manager = SimpleNamespace(_build_transport=build)
    raw.receive_more(SimpleNamespace(_client=SimpleNamespace(_manager=manager)))
    assert asyncio.run(manager._build_transport("node"))._sock_recv.func is raw._receive  # noqa: SLF001
    assert not hasattr(asyncio.run(manager._build_transport("node")), "_sock_recv")  # noqa: SLF001


def test_a_client_that_is_built_in_another_way_stays_as_it_is() -> None:
    consumer = SimpleNamespace(_client=SimpleNamespace())
    raw.receive_more(consumer)
    assert vars(consumer._client) == {}  # noqa: SLF001
