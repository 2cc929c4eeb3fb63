# ruff: noqa: SLF001  # one request for all partitions, and the ids of topics
"""How far a copy has come and who wrote it: the committed offsets of its group, with a note beside each.

The note is ``<process> <id of the topic>``, followed by the columns of recommendations that were published so far.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kafka import KafkaConsumer, OffsetAndMetadata, TopicPartition
from kafka.errors import NoError, for_code

from streamqid.broker.failures import open_client
from streamqid.copying import shown as marks
from streamqid.records import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from streamqid.broker.connect import Connection
    from streamqid.copying.shown import Marks

ANSWER_SECONDS: Final = 30.0
_NOTE = re.compile(r"([0-9a-f]{32}) (\S*)(?: ((?:[\w-]{8})+))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Committed:
    """How far each partition was copied, which process says so, where one does, and what the copy has published."""

    positions: Mapping[Origin, int]
    owners: Mapping[TopicPartition, str]
    shown: Marks


def note(offset: int, process: str, origin: Origin, shown: Marks = frozenset()) -> OffsetAndMetadata:
    """Return an offset with its note."""
    words = [process, origin.id, *([marks.written(shown)] if shown else [])]
    return OffsetAndMetadata(offset, " ".join(words), -1)


def partition_of(origin: Origin) -> TopicPartition:
    """Return the partition by the client's name."""
    return TopicPartition(origin.name, origin.partition)


def refuse_errors(answer: Any) -> None:
    """Raise the first error of a partition in an answer to OffsetFetch.

    The client leaves out a partition that the coordinator does not know, as if nothing had been committed of it.
    """
    topics = answer.groups[0].topics if answer.API_VERSION >= 8 else answer.topics
    for topic in topics:
        for one in topic.partitions:
            error = for_code(one.error_code)
            if error is not NoError:
                raise error


class Lookout:
    """Asks the brokers about the topics of a stream and about the group of a copy.  Blocks, and raises their errors."""

    def __init__(self, connection: Connection, group: str, topics: Iterable[str], pattern: str | None) -> None:
        self._topics, self._pattern = tuple(topics), pattern
        self._consumer: Any = open_client(
            KafkaConsumer,
            connection,
            group_id=group,
            enable_auto_commit=False,
            # What a transaction has not committed yet is waited for.
            isolation_level="read_committed",
            allow_auto_create_topics=False,
        )
        coordinator = self._consumer._coordinator
        read = coordinator._handle_offset_fetch_response

        def strictly(answer: Any) -> Any:
            found = read(answer)
            refuse_errors(answer)
            return found

        coordinator._handle_offset_fetch_response = strictly

    def __enter__(self) -> Lookout:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):
            self._consumer.close(autocommit=False, timeout_ms=2000)

    def committed(self) -> Committed:
        """Return what was committed of each partition that there is."""
        origins = self._origins()
        wanted = {partition_of(origin): origin for origin in origins}
        asked = self._consumer._coordinator.fetch_committed_offsets
        found = asked(list(wanted), timeout_ms=ANSWER_SECONDS * 1000) if wanted else {}
        positions, owners = {}, {}
        shown: Marks = frozenset()
        for tp, committed in found.items():
            read = _NOTE.fullmatch(committed.metadata or "")
            # Offsets that an operator has set carry no note: they are meant for the topic that is there.
            origin = wanted[tp] if read is None else Origin(tp.topic, tp.partition, read[2])
            positions[origin] = committed.offset
            if read is not None:
                owners[tp] = read[1]
                shown |= marks.read(read[3] or "")
        return Committed(positions, owners, shown)

    def beginnings(self, known: Iterable[Origin]) -> dict[Origin, int]:
        """Return where each partition begins that is not known yet."""
        places = {(origin.name, origin.partition) for origin in known}
        new = {partition_of(one): one for one in self._origins() if (one.name, one.partition) not in places}
        first = self._consumer.beginning_offsets(list(new), timeout_ms=ANSWER_SECONDS * 1000) if new else {}
        return {new[tp]: offset for tp, offset in first.items()}

    def has_records(self, topic: str) -> bool:
        """Return whether a topic holds anything."""
        parts = [TopicPartition(topic, number) for number in self._consumer.partitions_for_topic(topic) or ()]
        first = self._consumer.beginning_offsets(parts, timeout_ms=ANSWER_SECONDS * 1000)
        last = self._consumer.end_offsets(parts, timeout_ms=ANSWER_SECONDS * 1000)
        return any(last[tp] > first[tp] for tp in parts)

    def lags(self, positions: Mapping[Origin, int]) -> dict[Origin, int]:
        """Return how many offsets lie between each position and the end of what is committed there."""
        parts = {partition_of(origin): origin for origin in positions}
        ends = self._consumer.end_offsets(list(parts), timeout_ms=ANSWER_SECONDS * 1000) if parts else {}
        return {parts[tp]: max(0, end - positions[parts[tp]]) for tp, end in ends.items()}

    def _origins(self) -> list[Origin]:
        names = self._topics
        if self._pattern is not None:
            names = tuple(name for name in self._consumer.topics() if re.fullmatch(self._pattern, name))
        return [
            Origin(name, number, str(self._consumer._client.cluster.topic_id(name) or ""))
            for name in names
            for number in sorted(self._consumer.partitions_for_topic(name) or ())
        ]
