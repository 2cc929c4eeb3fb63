"""Publishes documents one after the other, as a process that can be killed: ``publishing BOOTSTRAP TOPIC FIRST``."""

from __future__ import annotations

import sys
import time

import tests.kafka.client  # noqa: F401  (before any other import of kafka)
from streamqid.broker.connect import Connection
from streamqid.broker.publisher import KafkaPublisher
from tests.documents import recommendation


def main(bootstrap: str, topic: str, first: int) -> None:
    """Publish documents with ever higher positions from the first one on; print the last that has arrived."""
    publisher = KafkaPublisher(Connection((bootstrap,)), topic)
    for number in range(first, 1_000_000):
        publisher.publish(recommendation(number))
        while publisher.published.waiting > 1:
            time.sleep(0.0005)
        print(number, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
