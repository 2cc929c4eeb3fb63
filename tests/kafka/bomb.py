"""A stored batch of some kilobytes that holds gigabytes, and a way to hand it to a broker as it is."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import zstandard
from kafka import KafkaConsumer, TopicPartition
from kafka.protocol.producer import ProduceRequest
from kafka.record.util import calc_crc32c, encode_varint

from streamqid.broker.inflate import ZSTD
from streamqid.broker.packed import HEADER

_PIECE = 64 << 20
_CRC_BEHIND, _LENGTH_BEHIND = 21, 12


def bomb(records: int = 2, pieces: int = 30) -> bytes:
    """Return a batch of records, each of which is so many times 64 MiB of zeros."""
    packer = zstandard.ZstdCompressor()
    zeros = packer.compress(bytes(_PIECE))
    body = b""
    for number in range(records):
        # Attributes, time, offset, no key, length of the value; behind the value no headers.
        head = b"\0" + _varint(0) + _varint(number) + _varint(-1) + _varint(pieces * _PIECE)
        length = _varint(len(head) + pieces * _PIECE + 1)
        body += packer.compress(length + head) + zeros * pieces + packer.compress(_varint(0))
    size = HEADER.size + len(body) - _LENGTH_BEHIND
    fields: list[Any] = [0, size, -1, 2, 0, ZSTD, records - 1, 1000, 1000, -1, -1, -1, records]
    fields[4] = calc_crc32c(HEADER.pack(*fields)[_CRC_BEHIND:] + body)
    return HEADER.pack(*fields) + body


def send(bootstrap: str, topic: str, partition: int, batch: bytes) -> None:
    """Write a batch as it is; the broker checks it."""
    data = ProduceRequest.TopicProduceData
    request = ProduceRequest(
        transactional_id=None,
        acks=-1,
        timeout_ms=60_000,
        topic_data=[data(name=topic, partition_data=[data.PartitionProduceData(index=partition, records=batch)])],
        min_version=3,
        max_version=9,
    )
    part = TopicPartition(topic, partition)
    with closing(KafkaConsumer(bootstrap_servers=bootstrap.split(","), request_timeout_ms=90_000)) as client:
        client.assign([part])
        client.end_offsets([part])
        manager = client._client._manager  # noqa: SLF001

        async def write() -> Any:
            return await manager.send(request, node_id=manager.cluster.leader_for_partition(part))

        answer = manager.run(write)
    assert answer.responses[0].partition_responses[0].error_code == 0


def _varint(value: int) -> bytes:
    written = bytearray()
    encode_varint(value, written.append)
    return bytes(written)
