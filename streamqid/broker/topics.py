"""Which topics there are, with which partitions, as the brokers last said."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kafka.errors import NoError, TopicAuthorizationFailedError, UnknownTopicOrPartitionError, for_code

from streamqid.engine.events import Trouble, TroubleKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamqid.broker.client import Client

_AGAIN_SECONDS = 1.0
_IDLE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic as the brokers describe it; ``trouble`` says why it cannot be read, where it cannot."""

    name: str
    id: str = ""
    partitions: tuple[int, ...] = ()
    trouble: Trouble | None = None


class Topics:
    """Asks for the wanted topics now and then, and never waits for the answer.

    ``pattern`` is matched against whole names; topics of the brokers' own never match.
    """

    def __init__(self, names: Sequence[str] | None, pattern: str | None, age_seconds: float) -> None:
        self._names = tuple(dict.fromkeys(names or ()))
        self._pattern = None if pattern is None else re.compile(pattern)
        self._age = age_seconds
        self._asked: Any = None
        self._due = float("-inf")
        self._answered = time.monotonic()
        self.reachable = True
        self.heard = False
        """Whether the brokers have answered at all."""

    @property
    def awaiting(self) -> bool:
        """Whether an answer is awaited."""
        return self._asked is not None

    def ask_anew(self) -> None:
        """Ask at the next turn; an answer that is awaited may be older than the question, and is not waited for."""
        self._asked = None
        self._due = float("-inf")

    def turn(self, client: Client, *, idle: bool) -> Mapping[str, Topic] | None:
        """Return a new answer, or None if there is none; sets ``reachable``."""
        now = time.monotonic()
        if self._asked is None:
            if now >= self._due or (idle and now - self._answered > _IDLE_SECONDS):
                self._asked = client.ask_topics(None if self._pattern else self._names)
            return None
        if not self._asked.is_done:
            return None
        asked, self._asked = self._asked, None
        self.reachable = asked.succeeded()
        if not self.reachable:
            self._due = now + _AGAIN_SECONDS
            return None
        self._answered, self.heard = now, True
        topics = self._read(asked.value)
        troubled = any(topic.trouble for topic in topics.values())
        self._due = now + (min(self._age, _AGAIN_SECONDS) if troubled else self._age)
        return topics or self._none()

    def forget(self) -> None:
        """Await no answer of a client that is gone."""
        self.ask_anew()
        self.reachable = True

    def _read(self, answer: Any) -> dict[str, Topic]:
        found = {topic.name: _topic(topic) for topic in answer.topics if self._wanted(topic)}
        missing = {name: Topic(name, trouble=_missing(name)) for name in self._names if name not in found}
        return found | missing

    def _none(self) -> dict[str, Topic]:
        """Say that no topic matches, under a name that no topic can have."""
        pattern = "" if self._pattern is None else self._pattern.pattern
        name = f"like {pattern}"
        return {name: Topic(name, trouble=_nothing_like(pattern))}

    def _wanted(self, topic: Any) -> bool:
        if self._pattern is None:
            return topic.name in self._names
        return not topic.is_internal and self._pattern.fullmatch(topic.name) is not None


def _topic(described: Any) -> Topic:
    error = for_code(described.error_code)
    name = described.name
    if error is NoError:
        partitions = tuple(sorted(partition.partition_index for partition in described.partitions))
        return Topic(name, "" if described.topic_id is None else str(described.topic_id), partitions)
    if error is TopicAuthorizationFailedError:
        return Topic(name, trouble=unauthorised(name))
    if error is UnknownTopicOrPartitionError:
        return Topic(name, trouble=_missing(name))
    sentence = f"The brokers cannot describe topic {name} ({error.__name__}): wait, or look at the brokers."
    return Topic(name, trouble=Trouble(TroubleKind.MISSING, sentence))


def _missing(name: str) -> Trouble:
    sentence = f"Topic {name} does not exist, or may not be seen: create it, or allow the user to describe it."
    return Trouble(TroubleKind.MISSING, sentence)


def _nothing_like(pattern: str) -> Trouble:
    sentence = (
        f"No topic that may be seen matches {pattern}: check the pattern, create such a topic, or allow the user to "
        "describe it."
    )
    return Trouble(TroubleKind.MISSING, sentence)


def unauthorised(name: str) -> Trouble:
    """Say that a topic may not be read."""
    sentence = f"Topic {name} may not be read by this user: allow the operations Describe and Read on it."
    return Trouble(TroubleKind.UNAUTHORISED, sentence)
