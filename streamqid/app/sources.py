"""The source of a stream, with what a watcher of its records knows beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.broker.source import KafkaSource
from streamqid.config.building import format_of, group_of, time_rule_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamqid.broker.connect import Connection
    from streamqid.config import Config, StreamConfig
    from streamqid.engine.bad_records import BadRecords
    from streamqid.engine.events import Trouble
    from streamqid.records import Batch, Origin


def source_of(config: Config, stream: StreamConfig, connection: Connection) -> KafkaSource:
    """Return the source of a stream; nothing is connected before its batches are asked for."""
    return KafkaSource(
        connection,
        topics=stream.topics or None,
        pattern=stream.pattern,
        format=format_of(stream.format),
        time=time_rule_of(stream.windows),
        group_id=group_of(config, stream),
        on_gap=stream.on_gap,
        on_recreated=stream.on_recreated,
        inflate_limit=stream.format.max_batch_bytes,
        raw=False if stream.path == "plain" else None,
    )


def copy_source_of(stream: StreamConfig, connection: Connection) -> KafkaSource:
    """Return a source of the same topics that commits nothing, for a copy."""
    return KafkaSource(
        connection,
        topics=stream.topics or None,
        pattern=stream.pattern,
        format=format_of(stream.format),
        time=time_rule_of(stream.windows),
        on_gap=stream.on_gap,
        on_recreated=stream.on_recreated,
        inflate_limit=stream.format.max_batch_bytes,
        raw=True,
        poll_seconds=0.2,
    )


class Watched:
    """A live source together with the bad records that were found in it: both are reasons not to be ready."""

    def __init__(self, source: KafkaSource, bad: BadRecords) -> None:
        self._source, self._bad = source, bad

    def batches(self) -> Iterator[Batch | None]:
        """Yield what the source yields."""
        return self._source.batches()

    def seek(self, positions: Mapping[Origin, int]) -> None:
        """Begin at these offsets."""
        self._source.seek(positions)

    def lags(self) -> Mapping[Origin, int]:
        """Return how many offsets wait."""
        return self._source.lags()

    def unread(self) -> frozenset[Origin]:
        """Return the partitions of which there is more to read."""
        return self._source.unread()

    def gone(self) -> frozenset[Origin]:
        """Return the partitions of which nothing comes any more."""
        return self._source.gone()

    def troubles(self) -> Sequence[Trouble]:
        """Return what is wrong with the source and with its records."""
        return [*self._source.troubles(), *self._bad.troubles()]

    def commit(self, positions: Mapping[Origin, int]) -> None:
        """Tell lag tools how far the saved state reaches."""
        self._source.commit(positions)
