"""Somebody who writes to a topic all the time: rows, bad records and tombstones, and transactions that are aborted."""

from __future__ import annotations

import threading
from contextlib import closing
from typing import TYPE_CHECKING, Self

from kafka import KafkaProducer

from tests.kafka.people import messages

if TYPE_CHECKING:
    from collections.abc import Sequence

CHUNK = 40
BAD = (b"{", b"[1]", b"\xff\xfe", b"")


def chunk(number: int) -> list[bytes | None]:
    """Return the records of one transaction: rows, a bad one and a tombstone at a place that wanders."""
    values: list[bytes | None] = list(messages(CHUNK, start=number * CHUNK))
    values[number % CHUNK] = BAD[number % len(BAD)]
    values[(number * 7 + 3) % CHUNK] = None
    return values


class Writer:
    """Writes on a thread of its own inside a ``with`` block, one transaction after the other; every third is aborted.

    ``committed`` counts the records that readers may count.
    """

    def __init__(self, bootstrap: str, topic: str, *, pause: float = 0.03, transactions: bool = True) -> None:
        self._topic, self._pause, self._transactions = topic, pause, transactions
        self._stop = threading.Event()
        self._error: Exception | None = None
        settings = {"transactional_id": f"writer-{topic}"} if transactions else {}
        self._producer = KafkaProducer(
            bootstrap_servers=bootstrap.split(","),
            acks="all",
            compression_type="lz4",
            linger_ms=5,
            delivery_timeout_ms=240_000,
            max_block_ms=240_000,
            **settings,
        )
        if transactions:
            self._producer.init_transactions()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.committed = 0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        with closing(self._producer):
            self._thread.join()
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        number = 0
        try:
            while not self._stop.wait(self._pause):
                self._write(chunk(number), abort=self._transactions and number % 3 == 2)
                number += 1
        except Exception as error:
            self._error = error

    def _write(self, values: Sequence[bytes | None], *, abort: bool) -> None:
        if self._transactions:
            self._producer.begin_transaction()
        sent = [self._producer.send(self._topic, value, key=b"key" if value is None else None) for value in values]
        self._producer.flush()
        for future in sent:
            future.get(timeout=240)
        if self._transactions:
            self._producer.abort_transaction() if abort else self._producer.commit_transaction()
        if not abort:
            self.committed += len(values)
