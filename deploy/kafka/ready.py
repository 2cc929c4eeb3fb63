"""Asking a broker which brokers it knows, with one request of Kafka's protocol and no client library."""

from __future__ import annotations

import socket
import struct
from typing import BinaryIO

METADATA, VERSION, NO_CLIENT_ID, NO_TOPICS = 3, 1, -1, 0
REQUEST = struct.pack(">hhihi", METADATA, VERSION, 0, NO_CLIENT_ID, NO_TOPICS)


def registered_ports(host: str, port: int) -> set[int]:
    """Return the ports of the live brokers, as the broker at this address knows them; none if it does not answer."""
    try:
        with socket.create_connection((host, port), timeout=5) as connection, connection.makefile("rb") as answer:
            connection.sendall(struct.pack(">i", len(REQUEST)) + REQUEST)
            _size, _correlation, brokers = _numbers(answer, ">iii")
            return {_broker_port(answer) for _ in range(brokers)}
    except (OSError, struct.error):
        return set()


def _broker_port(answer: BinaryIO) -> int:
    _node, host_length = _numbers(answer, ">ih")
    answer.read(host_length)
    port, rack_length = _numbers(answer, ">ih")
    answer.read(max(rack_length, 0))
    return port


def _numbers(answer: BinaryIO, layout: str) -> tuple[int, ...]:
    return struct.unpack(layout, answer.read(struct.calcsize(layout)))
