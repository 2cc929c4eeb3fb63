"""Where each partition is read, and why one is not.

A partition is *held* while something about it must be found out first, and *halted* for good once reading on would
count wrong records or skip some that were asked for.  The others go on.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from kafka import TopicPartition

from streamqid.broker.topics import unauthorised
from streamqid.engine.events import Trouble, TroubleKind
from streamqid.records import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamqid.broker.client import Client
    from streamqid.broker.topics import Topic

log = logging.getLogger(__name__)

_AGAIN_SECONDS = 1.0


@dataclass(slots=True)
class Reading:
    """One partition; ``next`` is the first offset that was not handed out, once it is ``placed``."""

    origin: Origin
    next: int = 0
    placed: bool = False
    """Whether it is known where to begin."""
    told: bool = False
    """Whether the state knows of it, so that it notices when records are deleted before the first one was read."""
    trouble: Trouble | None = None
    halted: bool = False
    lost: bool = False
    """Whether there is no record at ``next`` any more, or not yet again."""
    retry_at: float | None = None
    """When to ask again for what was refused."""
    sure_at: float | None = None
    """When it is no longer refused, if nothing is heard until then."""
    corrupt_at: int | None = None

    @property
    def held(self) -> bool:
        """Whether the client must not read it now."""
        return self.halted or self.lost or not self.placed or self.retry_at is not None

    @property
    def place(self) -> str:
        """Name the partition in a sentence."""
        return f"partition {self.origin.partition} of topic {self.origin.name}"


class Partitions:
    """All partitions of the wanted topics.  Owned by the thread that reads."""

    def __init__(self, *, on_gap: Literal["halt", "skip"], on_recreated: Literal["halt", "restart"]) -> None:
        self._on_gap = on_gap
        self._on_recreated = on_recreated
        self._positions: dict[Origin, int] = {}
        self._asked: tuple[list[TopicPartition], Any, Any] | None = None
        self._ask_at = float("-inf")
        self._topic_troubles: dict[str, Trouble] = {}
        self.readings: dict[TopicPartition, Reading] = {}
        self.gone: frozenset[Origin] = frozenset()
        """Partitions that were read once, of topics that no pattern finds and no name asks for any more, or that
        were made anew and are read as new ones.  What is awaited in spite of a trouble is none of them."""

    @property
    def awaiting(self) -> bool:
        """Whether an answer is awaited."""
        return self._asked is not None

    def restore(self, positions: Mapping[Origin, int]) -> None:
        """Begin at these offsets where the topic is still the one that they count in."""
        self._positions.update(positions)

    def troubles(self) -> Iterator[Trouble]:
        """Yield what is wrong with topics, then with partitions."""
        yield from self._topic_troubles.values()
        yield from (reading.trouble for reading in self.readings.values() if reading.trouble is not None)

    def follow(self, client: Client, topics: Mapping[str, Topic]) -> None:
        """Read what the brokers say that there is: begin with new partitions, leave those of absent topics."""
        self._positions |= {r.origin: r.next for r in self.readings.values() if r.placed}
        troubles = {name: topic.trouble or self._recreated(topic) for name, topic in topics.items()}
        self._topic_troubles = {name: trouble for name, trouble in troubles.items() if trouble is not None}
        self.gone = frozenset(o for o in self._positions if self._is_gone(o, topics.get(o.name)))
        before, self.readings = self.readings, {}
        for topic in topics.values():
            for number in topic.partitions if troubles[topic.name] is None else ():
                tp, origin = TopicPartition(topic.name, number), Origin(topic.name, number, topic.id)
                old = before.get(tp)
                same = old is not None and old.origin == origin
                self.readings[tp] = old if old and same else self._begin(origin)
        if self.readings != before:
            self._assign(client, {tp for tp, r in self.readings.items() if before.get(tp) is not r})

    def attach(self, client: Client) -> None:
        """Read on with a new client."""
        self._asked = None
        self._assign(client, set(self.readings))

    def settle(self, client: Client) -> None:
        """Find out where new partitions begin and what became of lost places, without waiting; retry refused ones."""
        self._retry(client)
        if self._asked is None:
            unsettled = [tp for tp, r in self.readings.items() if not r.halted and (r.lost or not r.placed)]
            if unsettled and time.monotonic() >= self._ask_at:
                self._asked = unsettled, client.ask_offsets(unsettled), client.ask_offsets(unsettled, latest=True)
            return
        asked, first, last = self._asked
        if not (first.is_done and last.is_done):
            return
        self._asked = None
        if not (first.succeeded() and last.succeeded()):
            self._ask_at = time.monotonic() + _AGAIN_SECONDS
            return
        for tp in asked:
            if tp in self.readings and tp in first.value and tp in last.value:
                self._place(client, tp, first.value[tp].offset, last.value[tp].offset)

    def lose(self, client: Client, tp: TopicPartition) -> None:
        """Take note that there is no record at the place where a partition is read."""
        if (reading := self.readings.get(tp)) is not None:
            reading.lost = True
            client.hold(tp)

    def rewrite(self, client: Client, tp: TopicPartition, end: int) -> None:
        """Take note that the log was cut off at ``end``: others will come in the place of records that were read.

        The client may say so late, of a topic that was made anew since; a place before the end is looked at again.
        """
        reading = self.readings.get(tp)
        if reading is not None and reading.next <= end:
            self.lose(client, tp)
        elif reading is not None:
            sentence = (
                f"The log of {reading.place} was cut off before offset {reading.next} that was read: the brokers lost "
                "records, and what follows would be counted in their place; start with an empty state directory."
            )
            self.halt(client, tp, TroubleKind.RECREATED, sentence)

    def refuse(self, client: Client, topic: str) -> None:
        """Take note that a topic may not be read at the moment."""
        for tp, reading in self.readings.items():
            if tp.topic == topic and not reading.halted:
                reading.trouble = unauthorised(topic)
                reading.retry_at, reading.sure_at = time.monotonic() + _AGAIN_SECONDS, None
                client.hold(tp)

    def corrupt(self, client: Client, tp: TopicPartition, offset: int) -> None:
        """Take note of a batch that does not match its checksum: try it once more, then halt."""
        reading = self.readings.get(tp)
        if reading is None or reading.corrupt_at != offset:
            if reading is not None:
                reading.corrupt_at = offset
            return
        sentence = (
            f"The batch at offset {offset} of {reading.place} does not match its checksum, twice: restore the "
            "partition from another replica; it is not read on until then."
        )
        self.halt(client, tp, TroubleKind.CORRUPT, sentence)

    def halt(self, client: Client, tp: TopicPartition, kind: TroubleKind, sentence: str) -> None:
        """Stop reading a partition for as long as this process lives."""
        reading = self.readings[tp]
        reading.trouble = Trouble(kind, sentence, reading.origin)
        reading.halted = True
        client.seek(tp, reading.next)
        client.hold(tp)
        log.error("%s", sentence)

    def _recreated(self, topic: Topic) -> Trouble | None:
        known = {origin.id for origin in self._positions if origin.name == topic.name}
        if not known or topic.id in known:
            return None
        if self._on_recreated == "restart":
            if not any(tp.topic == topic.name and r.origin.id == topic.id for tp, r in self.readings.items()):
                log.warning("Topic %s was deleted and made anew: it is read from its beginning.", topic.name)
            return None
        sentence = (
            f"Topic {topic.name} was deleted and made anew, so its records are not those that the state covers: "
            "start with an empty state directory, or let recreated topics restart (on_recreated)."
        )
        return Trouble(TroubleKind.RECREATED, sentence)

    def _is_gone(self, origin: Origin, topic: Topic | None) -> bool:
        if topic is None:
            return True
        return topic.trouble is None and topic.id != origin.id and self._on_recreated == "restart"

    def _begin(self, origin: Origin) -> Reading:
        position = self._positions.get(origin)
        return Reading(origin) if position is None else Reading(origin, position, placed=True, told=True)

    def _assign(self, client: Client, new: set[TopicPartition]) -> None:
        client.assign(list(self.readings))
        for tp in new:
            reading = self.readings[tp]
            client.seek(tp, reading.next)
            (client.hold if reading.held else client.release)(tp)

    def _place(self, client: Client, tp: TopicPartition, first: int, last: int) -> None:
        """Go to the beginning of a log that was never read, or judge why the next record is not there."""
        reading = self.readings[tp]
        lost, reading.lost = reading.lost, False
        if not reading.placed:
            reading.next, reading.placed = first, True
        elif lost and reading.next < first:
            self._gap(client, tp, first)
        elif lost and reading.next > last:
            self.rewrite(client, tp, last)
        if not reading.halted:
            client.seek(tp, max(reading.next, first))
            client.release(tp)

    def _gap(self, client: Client, tp: TopicPartition, first: int) -> None:
        reading = self.readings[tp]
        gone = f"Offsets {reading.next} to {first - 1} of {reading.place} were deleted before they were read"
        if self._on_gap == "halt":
            remedy = "let gaps be skipped (on_gap), or start with an empty state directory; keep records longer."
            self.halt(client, tp, TroubleKind.GAP, f"{gone}: {remedy}")
            return
        sentence = f"{gone} and are left out of all answers: keep records longer, or read faster."
        reading.trouble = Trouble(TroubleKind.GAP, sentence, reading.origin, halts=False)
        log.warning("%s", sentence)

    def _retry(self, client: Client) -> None:
        now = time.monotonic()
        for tp, reading in self.readings.items():
            if reading.retry_at is not None and now >= reading.retry_at and not reading.halted:
                reading.retry_at, reading.sure_at = None, now + _AGAIN_SECONDS
                client.release(tp)
            elif reading.sure_at is not None and now >= reading.sure_at and not reading.halted:
                reading.sure_at = reading.trouble = None
