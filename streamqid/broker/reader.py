"""Reading with one client, turn by turn: poll, follow the topics, hand out what came."""

from __future__ import annotations

import logging
import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kafka import TopicPartition
from kafka.errors import (
    CorruptRecordError,
    GroupAuthorizationFailedError,
    KafkaError,
    LogTruncationError,
    OffsetOutOfRangeError,
    TopicAuthorizationFailedError,
    UnsupportedCodecError,
)

from streamqid.broker.batches import KafkaBatch, Passed
from streamqid.broker.inflate import InflatedError
from streamqid.broker.raw import CorruptBatchError
from streamqid.broker.stack import readable, stacked
from streamqid.engine.events import TroubleKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamqid.broker.client import Client
    from streamqid.broker.formats import Format
    from streamqid.broker.packed import Loose, Packed
    from streamqid.broker.partitions import Partitions, Reading
    from streamqid.broker.times import TimeRule
    from streamqid.broker.topics import Topics
    from streamqid.records import Batch

log = logging.getLogger(__name__)

_PAUSE_SECONDS = 0.1
_CORRUPT = re.compile(r"TopicPartition\(topic='([^']+)', partition=(\d+)\) at offset (\d+)")


@dataclass(slots=True, eq=False)
class Reader:
    """What one client reads; ``ended`` says that another one must go on."""

    client: Client
    topics: Topics
    partitions: Partitions
    format: Format
    time: TimeRule
    poll_seconds: float
    doubtful: bool = field(default=False, init=False)
    """Whether topics must be asked for before anything more is read or handed out."""
    ended: bool = field(default=False, init=False)
    group_refused: bool = field(default=False, init=False)
    _kept: Mapping[TopicPartition, list[Packed | Loose]] = field(default_factory=dict, init=False)

    def turn(self) -> Iterator[Batch]:
        """Follow the topics, poll once and yield what came."""
        polled = self._polled()
        if self.ended:
            return
        answer = self.topics.turn(self.client, idle=not polled)
        if answer is not None:
            self.partitions.follow(self.client, answer)
            self.doubtful = False
        self.partitions.settle(self.client)
        if self.doubtful:
            self._kept = polled
            return
        for tp, stored in polled.items():
            reading = self.partitions.readings.get(tp)
            if reading is None:
                continue
            if reading.held or not self._is_same(tp):
                self.client.seek(tp, reading.next)
            else:
                yield from self._hand_out(tp, reading, stored)
        yield from self._pass()

    def _polled(self) -> Mapping[TopicPartition, list[Packed | Loose]]:
        """Return what came, or what came before a doubt that is not settled yet."""
        if self.doubtful:
            time.sleep(_PAUSE_SECONDS / 10)
            return self._kept
        polled = self._poll()
        if self.client.doubt.is_set():
            self.client.doubt.clear()
            self.doubtful = True
            self.topics.ask_anew()
        return polled

    def _hand_out(self, tp: TopicPartition, reading: Reading, stored: list[Packed | Loose]) -> Iterator[Batch]:
        """Yield the batches of a partition up to one that must not be read."""
        good, wrong = readable(stored)
        for records in stacked(good):
            batch = KafkaBatch(reading.origin, reading.next, records, self.format, self.time)
            reading.next = batch.end
            yield batch
            records.forget()
            if batch.broken:
                self._halt(tp, TroubleKind.CORRUPT, "follows one that cannot be taken apart: find out who wrote that")
                return
        if isinstance(wrong, InflatedError):
            self._halt(tp, TroubleKind.INFLATED, "is larger than allowed when it is decompressed: raise the limit")
        elif wrong is not None:
            self._halt(tp, TroubleKind.CORRUPT, "cannot be decompressed: find out who wrote it")

    def _halt(self, tp: TopicPartition, kind: TroubleKind, what: str) -> None:
        reading = self.partitions.readings[tp]
        sentence = f"The batch at offset {reading.next} of {reading.place} {what}; it is not read on until then."
        self.partitions.halt(self.client, tp, kind, sentence)

    def _pass(self) -> Iterator[Batch]:
        """Yield where new partitions begin, and what the client went past: marks, aborted and removed records."""
        for tp, reading in self.partitions.readings.items():
            if reading.placed and not reading.told:
                reading.told = True
                yield Passed(reading.origin, reading.next, reading.next)
            position = None if reading.held else self.client.position(tp)
            if position is not None and position > reading.next:
                passed = Passed(reading.origin, reading.next, position)
                reading.next = position
                yield passed

    def _is_same(self, tp: TopicPartition) -> bool:
        """Tell whether the topic is still the one that the offsets count in."""
        if (self.client.topic_id(tp.topic) or "") == self.partitions.readings[tp].origin.id:
            return True
        self.topics.ask_anew()
        return False

    def _poll(self) -> Mapping[TopicPartition, list[Packed | Loose]]:
        """Return what has arrived; waits less while something is to be settled that no poll wakes up for."""
        awaited = self.topics.awaiting or self.partitions.awaiting
        seconds = min(self.poll_seconds, _PAUSE_SECONDS / 4) if awaited else self.poll_seconds
        try:
            if self.partitions.readings:
                return self.client.poll(seconds)
            time.sleep(min(seconds, _PAUSE_SECONDS))
        except CorruptBatchError as error:
            self.partitions.corrupt(self.client, error.partition, error.offset)
        except (CorruptRecordError, UnsupportedCodecError) as error:
            self._end_corrupt(error)
        except GroupAuthorizationFailedError:
            self.ended = self.group_refused = True
        except KafkaError as error:
            self._take_note(error)
        return {}

    def _take_note(self, error: KafkaError) -> None:
        """Find the partitions that an error is about."""
        if isinstance(error, OffsetOutOfRangeError):
            for tp in error.args[0]:
                self.partitions.lose(self.client, tp)
        elif isinstance(error, LogTruncationError):
            for tp, divergent in error.divergent_offsets.items():
                self.partitions.rewrite(self.client, tp, 0 if divergent is None else divergent.offset)
        elif isinstance(error, TopicAuthorizationFailedError):
            for topic in error.args[0]:
                self.partitions.refuse(self.client, topic)
        else:
            log.info("A poll failed and is repeated (%s).", type(error).__name__)
            self.topics.ask_anew()
            time.sleep(_PAUSE_SECONDS)

    def _end_corrupt(self, error: KafkaError) -> None:
        """Give up this client: after a corrupt batch the plain one would hang at its next poll."""
        found = _CORRUPT.search(str(error))
        if found is not None:
            tp = TopicPartition(found[1], int(found[2]))
            self.partitions.corrupt(self.client, tp, int(found[3]))
        self.ended = True
