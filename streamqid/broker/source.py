"""Topics as a source that never ends: it waits for brokers, follows the topics and hands out their batches."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any, Literal

from streamqid.allocator import keep_freed_memory
from streamqid.broker import selfcheck
from streamqid.broker.client import Client, Fetching
from streamqid.broker.commits import Commits
from streamqid.broker.opening import Opening
from streamqid.broker.partitions import Partitions
from streamqid.broker.reader import Reader
from streamqid.broker.topics import Topics
from streamqid.engine.events import Trouble, TroubleKind
from streamqid.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamqid.broker.connect import Connection
    from streamqid.broker.formats import Format
    from streamqid.broker.times import TimeRule
    from streamqid.records import Batch, Origin

log = logging.getLogger(__name__)

_TURN_SECONDS = 0.4
_LAST_COMMIT_SECONDS = 3.0


class KafkaSource:
    """Reads the partitions of topics, each from where the state ends or from the beginning of its log.

    Implements ``engine.inputs.Input``, ``Seekable`` and ``Live``.  ``batches`` runs on one thread; ``lags`` and
    ``troubles`` may be read from any.

    Parameters
    ----------
    topics, pattern
        Names, or a regular expression that matches whole names; exactly one of them.
    group_id
        Under which name committed offsets follow, for lag tools; None commits nothing.
    on_gap
        Whether to halt a partition of which records were deleted before they were read, or to skip them.
    on_recreated
        Whether to leave alone a topic that was deleted and made anew, or to read it as a new one.
    inflate_limit
        Bytes that a batch may have when it is decompressed; a larger one halts its partition.
    raw
        Whether batches are taken as they are stored, or record by record as the client gives them; None takes the
        first if it passes a check at the start.  Record by record, ``inflate_limit`` does not hold, and the time of
        ingest is the record's own.
    metadata_seconds
        How old the knowledge of topics and partitions may become.
    """

    columns: tuple[str, ...] = ()
    total_bytes: int | None = None

    def __init__(  # noqa: PLR0913  # each is a setting of its own
        self,
        connection: Connection,
        *,
        format: Format,  # noqa: A002
        time: TimeRule,
        topics: Sequence[str] | None = None,
        pattern: str | None = None,
        group_id: str | None = None,
        on_gap: Literal["halt", "skip"] = "halt",
        on_recreated: Literal["halt", "restart"] = "halt",
        read_committed: bool = True,
        inflate_limit: int = 64 << 20,
        raw: bool | None = None,
        poll_seconds: float = 0.5,
        metadata_seconds: float = 30.0,
        fetching: Fetching | None = None,
    ) -> None:
        if bool(topics) == (pattern is not None):
            raise ConfigError("A Kafka source reads named topics or those of a pattern: give exactly one of the two.")
        self.name = "topics " + ", ".join(topics) if topics else f"topics like {pattern}"
        self._connection = connection
        self._format = format
        self._time = time
        self._limit = inflate_limit
        self._raw = raw
        self._poll_seconds = min(poll_seconds, _TURN_SECONDS)
        self._settings: dict[str, Any] = (fetching or Fetching()).settings() | {
            "group_id": group_id,
            "enable_auto_commit": False,
            "auto_offset_reset": "none",
            "isolation_level": "read_committed" if read_committed else "read_uncommitted",
            "check_crcs": True,
            "allow_auto_create_topics": False,
            "metadata_max_age_ms": int(metadata_seconds * 1000),
        }
        self._topics = Topics(topics, pattern, metadata_seconds)
        self._partitions = Partitions(on_gap=on_gap, on_recreated=on_recreated)
        self._commits = Commits()
        self._reader: Reader | None = None
        self._closed = threading.Event()
        self._refused_group: Trouble | None = None
        servers = ", ".join(connection.bootstrap_servers)
        self._unreachable: Trouble | None = Trouble(
            TroubleKind.UNREACHABLE, f"The brokers at {servers} have not answered yet: wait, or check whether they run."
        )
        self._lags: Mapping[Origin, int] = {}
        self._troubles: tuple[Trouble, ...] = (self._unreachable,)

    def seek(self, positions: Mapping[Origin, int]) -> None:
        """Begin at these offsets."""
        self._partitions.restore(positions)
        self._commits.follow(positions)

    def lags(self) -> Mapping[Origin, int]:
        """Return how many offsets of each partition wait to be read."""
        return self._lags

    def unread(self) -> frozenset[Origin]:
        """Return the partitions with offsets that were not handed out, as far as they can be read."""
        reader = self._reader
        if reader is None:
            return frozenset()
        return frozenset(
            reading.origin
            for tp, reading in self._partitions.readings.items()
            if not (reading.halted or reading.lost or reading.retry_at is not None)
            and ((end := reader.client.end(tp)) is None or end > reading.next)
        )

    def gone(self) -> frozenset[Origin]:
        """Return the partitions that were read once, of topics that are not read any more."""
        return self._partitions.gone

    def troubles(self) -> Sequence[Trouble]:
        """Return what is wrong with brokers, topics and partitions."""
        return self._troubles

    def commit(self, positions: Mapping[Origin, int]) -> None:
        """Let the committed offsets of the group follow, if there is a group."""
        self._commits.follow(positions)
        if self._reader is not None:
            self._commit(self._reader)

    def close(self) -> None:
        """Let go of the brokers; ``batches`` ends."""
        self._closed.set()
        if self._reader is not None:
            if self._settings["group_id"] is not None and self._unreachable is None:
                self._commits.finish(self._reader.client, self._partitions.readings, _LAST_COMMIT_SECONDS)
            self._reader.client.close()
            self._reader = None

    def batches(self) -> Iterator[Batch | None]:
        """Yield batches for ever, and None when nothing waits."""
        selfcheck.require_packages()
        keep_freed_memory()
        raw = selfcheck.hook_works() if self._raw is None else self._raw
        while not self._closed.is_set():
            if self._reader is None:
                yield from self._connect(raw=raw)
                continue
            try:
                yield from self._turn(self._reader)
            except Exception:
                # Whoever closes a source under way takes the client from it.
                if not self._closed.is_set():
                    raise

    def _turn(self, reader: Reader) -> Iterator[Batch | None]:
        """Yield what comes in one turn, or None."""
        anything = False
        for batch in reader.turn():
            anything = True
            yield batch
        self._look_back(reader)
        if not anything:
            yield None

    def _connect(self, *, raw: bool) -> Iterator[None]:
        """Wait until brokers answer, for as long as it takes."""
        opening = Opening(lambda: Client(self._connection, self._settings, raw=raw, limit=self._limit))
        while not (self._closed.is_set() or opening.wait(_TURN_SECONDS)):
            yield None
        if self._closed.is_set():
            opening.abandon()
        elif opening.error is not None:
            self._set_unreachable(str(opening.error))
            self._closed.wait(_TURN_SECONDS)
            yield None
        else:
            if self._unreachable is not None:
                log.info("The brokers at %s answer.", ", ".join(self._connection.bootstrap_servers))
            self._topics.forget()
            self._commits.forget()
            self._partitions.attach(opening.client)
            self._reader = Reader(
                opening.client, self._topics, self._partitions, self._format, self._time, self._poll_seconds
            )

    def _look_back(self, reader: Reader) -> None:
        """Take note of how the turn went."""
        if reader.ended:
            reader.client.close()
            self._reader = None
        else:
            self._commit(reader)
        if reader.group_refused:
            self._refuse_group()
        if not self._topics.reachable:
            servers = ", ".join(self._connection.bootstrap_servers)
            self._set_unreachable(f"The brokers at {servers} do not answer any more: check whether they run.")
            return
        if self._topics.heard:
            self._unreachable = None
        self._report()
        if self._reader is not None:
            self._lags = {
                reading.origin: max(0, end - reading.next)
                for tp, reading in self._partitions.readings.items()
                if reading.placed and (end := reader.client.end(tp)) is not None
            }

    def _commit(self, reader: Reader) -> None:
        if self._settings["group_id"] is not None:
            self._commits.turn(reader.client, self._partitions.readings)
            if self._commits.refused:
                self._refuse_group()

    def _refuse_group(self) -> None:
        sentence = (
            f"Group {self._settings['group_id']} may not be used by this user, so committed offsets do not "
            "follow: allow the operation Read on it."
        )
        self._refused_group = Trouble(TroubleKind.UNAUTHORISED, sentence, halts=False)
        self._settings["group_id"] = None

    def _set_unreachable(self, sentence: str) -> None:
        if self._unreachable is None or self._unreachable.sentence != sentence:
            log.warning("%s", sentence)
        self._unreachable = Trouble(TroubleKind.UNREACHABLE, sentence)
        self._report()

    def _report(self) -> None:
        """Swap the troubles that other threads read."""
        general = (self._unreachable, self._refused_group)
        self._troubles = (*(trouble for trouble in general if trouble), *self._partitions.troubles())
