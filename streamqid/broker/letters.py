"""What is said about records that cannot be read: where they stand and why, never what they say.

A pointer tells of one record; its key is ``topic/partition/offset``, so a reader can drop what a restart repeats.
What is more than the limit allows, or would be a flood, is counted, and a summary tells the counts of each origin
once a minute under the key ``topic/partition/summary``.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import msgspec

from streamqid.broker.mail import Message

if TYPE_CHECKING:
    from streamqid.clock import Clock
    from streamqid.records import Origin, Reject

SUMMARY_SECONDS: Final = 60.0


class Pointer(msgspec.Struct, frozen=True, kw_only=True, tag="pointer", tag_field="kind"):
    """One record that could not be read."""

    stream: str
    topic: str
    topic_id: str
    partition: int
    offset: int
    reason: str


class Summary(msgspec.Struct, frozen=True, kw_only=True, tag="summary", tag_field="kind"):
    """Records for which there is no pointer; after a crash some may be counted again."""

    stream: str
    topic: str
    topic_id: str
    partition: int
    first_offset: int
    last_offset: int
    reasons: dict[str, int]


class Letters:
    """Decides what is said about each bad record of a stream; the rest is counted.

    Parameters
    ----------
    per_second
        How many pointers there may be in a second, on average; as many again may come at once.
    """

    def __init__(self, stream: str, clock: Clock, *, per_second: float) -> None:
        self._stream, self._clock, self._per_second = stream, clock, per_second
        self._burst = max(1.0, per_second)
        self._allowed = self._burst
        self._allowed_at = clock.monotonic()
        self._unsaid: dict[Origin, _Unsaid] = {}

    def pointer(self, origin: Origin, reject: Reject) -> Message | None:
        """Return the pointer to a record; None if the limit is reached, and then it has to be left unsaid."""
        now = self._clock.monotonic()
        self._allowed = min(self._burst, self._allowed + (now - self._allowed_at) * self._per_second)
        self._allowed_at = now
        if self._allowed < 1.0:
            return None
        self._allowed -= 1.0
        pointer = Pointer(
            stream=self._stream,
            topic=origin.name,
            topic_id=origin.id,
            partition=origin.partition,
            offset=reject.offset,
            reason=reject.reason.value,
        )
        return Message(_key(origin, reject.offset), msgspec.json.encode(pointer))

    def leave_unsaid(self, origin: Origin, reject: Reject) -> None:
        """Count a record for the next summary of its origin."""
        if origin not in self._unsaid:
            self._unsaid[origin] = _Unsaid(self._clock.monotonic(), reject.offset, reject.offset)
        self._unsaid[origin].add(reject)

    def summaries(self, *, at_once: bool = False) -> list[Message]:
        """Return the summaries that are due: a minute after the first record of each; or all of them at once."""
        before = self._clock.monotonic() - SUMMARY_SECONDS
        due = [origin for origin, unsaid in self._unsaid.items() if at_once or unsaid.since <= before]
        return [self._summary(origin, self._unsaid.pop(origin)) for origin in due]

    def _summary(self, origin: Origin, unsaid: _Unsaid) -> Message:
        summary = Summary(
            stream=self._stream,
            topic=origin.name,
            topic_id=origin.id,
            partition=origin.partition,
            first_offset=unsaid.first,
            last_offset=unsaid.last,
            reasons=dict(sorted(unsaid.reasons.items())),
        )
        return Message(_key(origin, "summary"), msgspec.json.encode(summary))


@dataclass(slots=True)
class _Unsaid:
    since: float
    first: int
    last: int
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, reject: Reject) -> None:
        self.first, self.last = min(self.first, reject.offset), max(self.last, reject.offset)
        self.reasons[reject.reason.value] += 1


def _key(origin: Origin, what: int | str) -> bytes:
    return f"{origin.name}/{origin.partition}/{what}".encode()
