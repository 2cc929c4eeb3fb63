"""Writing to a real broker, in any compression and in transactions that commit or abort."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from kafka import KafkaProducer

if TYPE_CHECKING:
    from collections.abc import Sequence


def produce(
    bootstrap: str,
    topic: str,
    values: Sequence[bytes | None],
    *,
    partition: int | None = None,
    keys: Sequence[bytes | None] | None = None,
    compression: str | None = "lz4",
    batch_bytes: int = 16384,
    timestamps_ms: Sequence[int] | None = None,
    transactional_id: str | None = None,
    abort: bool = False,
) -> None:
    """Write the values in order, and return when the broker has confirmed all of them.

    Parameters
    ----------
    bootstrap, topic
        Where to write.
    values
        One value a record; None is a tombstone, which needs a key.
    partition
        Where to write them; by default the client spreads them by key, or at random.
    keys, timestamps_ms
        As many as there are values.
    compression
        gzip, lz4, snappy, zstd or None.
    batch_bytes
        The size of a batch before it is compressed.
    transactional_id
        Write everything in one transaction.
    abort
        Abort this transaction instead of committing it.
    """
    if abort and transactional_id is None:
        msg = "Only a transaction can be aborted: name a transactional_id."
        raise ValueError(msg)
    settings: dict[str, Any] = {"transactional_id": transactional_id} if transactional_id else {}
    producer = KafkaProducer(
        bootstrap_servers=bootstrap.split(","),
        acks="all",
        compression_type=compression,
        batch_size=batch_bytes,
        linger_ms=20,
        **settings,
    )
    with closing(producer):
        if transactional_id:
            producer.init_transactions()
            producer.begin_transaction()
        absent = [None] * len(values)
        rows = zip(values, keys or absent, timestamps_ms or absent, strict=True)
        sent = [producer.send(topic, value, key, None, partition, time) for value, key, time in rows]
        producer.flush()
        for future in sent:
            future.get(timeout=60)
        if transactional_id:
            producer.abort_transaction() if abort else producer.commit_transaction()
