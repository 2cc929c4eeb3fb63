# ruff: noqa: SLF001  # the futures are private
"""A consumer that is asked without waiting: what kafka-python does on its own thread, as futures to look at."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kafka import KafkaConsumer, OffsetAndMetadata, TopicPartition
from kafka.protocol.consumer import OffsetSpec
from kafka.protocol.metadata import MetadataRequest

from streamqid.broker.failures import open_client
from streamqid.broker.raw import install, loose, receive_more

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from streamqid.broker.connect import Connection
    from streamqid.broker.packed import Loose, Packed


@dataclass(frozen=True, slots=True)
class Fetching:
    """How much is fetched at once: more helps on slow networks, and takes memory for each broker.

    Answers far above 8 MiB hold up the client's thread for tenths of a second, and are not read any faster.
    """

    max_bytes: int = 8 << 20
    max_partition_bytes: int = 1 << 20
    max_records: int = 500
    """Batches, or records where they are read one by one, of one poll."""

    def settings(self) -> dict[str, Any]:
        """Return the consumer's settings."""
        return {
            "fetch_max_bytes": self.max_bytes,
            "max_partition_fetch_bytes": self.max_partition_bytes,
            "max_poll_records": self.max_records,
        }


_CLOSE_MS = 2000
_ANSWER_MS = 10_000


class Client:
    """One consumer.  Building it blocks until brokers answer, or raises a TransportError; nothing else blocks.

    Owned by one thread, except for its building.  ``doubt`` is set when a fetch went wrong in a way that a topic may
    have been deleted and made anew since: fetches name topics and not their ids, so the next one would read the new
    topic at the place of the old one.
    """

    def __init__(self, connection: Connection, settings: Mapping[str, Any], *, raw: bool, limit: int) -> None:
        self.consumer: Any = open_client(KafkaConsumer, connection, **settings)
        self.raw = raw
        self.doubt = threading.Event()
        if raw:
            install(self.consumer, limit)
            receive_more(self.consumer)
        _watch(self.consumer._fetcher, self.doubt)

    def poll(self, seconds: float) -> dict[TopicPartition, list[Packed | Loose]]:
        """Return what has arrived, waiting so long at most if nothing has; raises what kafka-python raises."""
        polled: dict[TopicPartition, list[Any]] = self.consumer.poll(timeout_ms=int(seconds * 1000))
        if self.raw:
            return polled
        return {tp: [batch] for tp, records in polled.items() if (batch := loose(records)) is not None}

    def assign(self, partitions: Collection[TopicPartition]) -> None:
        """Read these partitions and no others; a new one must be sought before the next poll."""
        self.consumer.assign(list(partitions))

    def seek(self, tp: TopicPartition, offset: int) -> None:
        """Read on from an offset."""
        self.consumer.seek(tp, offset)

    def hold(self, tp: TopicPartition) -> None:
        """Stop reading a partition for the time being."""
        self.consumer.pause(tp)

    def release(self, tp: TopicPartition) -> None:
        """Read a partition again."""
        self.consumer.resume(tp)

    def position(self, tp: TopicPartition) -> int | None:
        """Return the next offset of an assigned partition, without asking anybody."""
        position = self.consumer._subscription.assignment[tp].position
        return None if position is None else position.offset

    def end(self, tp: TopicPartition) -> int | None:
        """Return the end of the log, as the last answer to a fetch had it."""
        return self.consumer.highwater(tp)  # type: ignore[no-any-return]

    def topic_id(self, topic: str) -> str | None:
        """Return the id of an assigned topic as the client last heard of it; None while it is absent."""
        known = self.consumer._client.cluster.topic_id(topic)
        return None if known is None else str(known)

    def ask_topics(self, names: Collection[str] | None) -> Any:
        """Ask for the metadata of topics, or of all; returns a future of a MetadataResponse."""
        topics = MetadataRequest.ALL_TOPICS
        if names is not None:
            topics = [MetadataRequest.MetadataRequestTopic(name=name, topic_id=None) for name in names]
        request = MetadataRequest(
            topics=topics,
            allow_auto_topic_creation=False,
            include_cluster_authorized_operations=False,
            include_topic_authorized_operations=False,
        )
        manager = self.consumer._client._manager

        async def ask() -> Any:
            return await manager.wait_for(manager.send(request), _ANSWER_MS)

        return manager.call_soon(ask)

    def ask_offsets(self, partitions: Collection[TopicPartition], *, latest: bool = False) -> Any:
        """Ask where the logs of assigned partitions begin, or end; returns a future of offsets with timestamps."""
        spec = OffsetSpec.LATEST if latest else OffsetSpec.EARLIEST
        fetcher = self.consumer._fetcher
        asked = dict.fromkeys(partitions, spec)
        return self.consumer._client._manager.call_soon(fetcher._fetch_offsets_by_times_async, asked, _ANSWER_MS)

    def commit(self, offsets: Mapping[TopicPartition, int]) -> Any:
        """Commit offsets of the group, finding its coordinator first; returns a future."""
        wanted = {tp: OffsetAndMetadata(offset, "", -1) for tp, offset in offsets.items()}
        # The client's own asynchronous commit is done before it is sent, where the coordinator is not known yet.
        commit = self.consumer._coordinator._commit_offsets_sync_async
        return self.consumer._client._manager.call_soon(commit, wanted, _ANSWER_MS)

    def close(self) -> None:
        """Let go of the connections; never raises."""
        with contextlib.suppress(Exception):
            self.consumer.close(autocommit=False, timeout_ms=_CLOSE_MS)


def _watch(fetcher: Any, doubt: threading.Event) -> None:
    """Set ``doubt`` before anything is returned that was fetched after a failure of one partition or of all."""
    parse, fail = fetcher._parse_fetched_data, fetcher._handle_fetch_error

    def parse_watched(completed: Any) -> Any:
        if completed.partition_data.error_code:
            doubt.set()
        return parse(completed)

    def fail_watched(*failed: Any) -> Any:
        doubt.set()
        return fail(*failed)

    fetcher._parse_fetched_data = parse_watched
    fetcher._handle_fetch_error = fail_watched
