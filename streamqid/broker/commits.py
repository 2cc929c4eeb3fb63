"""Committed offsets that follow the saved state: lag tools read them, and nothing else does."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from kafka.errors import GroupAuthorizationFailedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafka import TopicPartition

    from streamqid.broker.client import Client
    from streamqid.broker.partitions import Reading
    from streamqid.records import Origin

log = logging.getLogger(__name__)

_AGAIN_SECONDS, _LOOK_SECONDS = 1.0, 0.1


class Commits:
    """Brings the group's offsets to the saved positions, one commit at a time; what fails is tried again.

    A crash between a checkpoint and its commit, or brokers that were away, are made good by the next process or the
    next client: the restored positions are committed as well.  Owned by the thread that reads.
    """

    def __init__(self) -> None:
        self._saved: dict[Origin, int] = {}
        self._done: dict[TopicPartition, int] = {}
        self._under_way: tuple[Mapping[TopicPartition, int], Any] | None = None
        self._look_at = float("-inf")
        self.refused = False
        """Whether the group may not be used."""

    def follow(self, positions: Mapping[Origin, int]) -> None:
        """Take note of what is saved."""
        self._saved = dict(positions)
        self._look_at = float("-inf")

    def forget(self) -> None:
        """Await nothing of a client that is gone, and begin anew with the next."""
        self._under_way, self._done = None, {}

    def turn(self, client: Client, readings: Mapping[TopicPartition, Reading]) -> bool:
        """Look at the commit under way, begin one if it is due; return whether all that can be is committed."""
        if self._under_way is not None and not self._settle():
            return False
        now = time.monotonic()
        if self.refused or now < self._look_at:
            return False
        self._look_at = now + _LOOK_SECONDS
        saved = {tp: self._saved[r.origin] for tp, r in readings.items() if r.origin in self._saved}
        behind = {tp: offset for tp, offset in saved.items() if self._done.get(tp) != offset}
        if behind:
            self._begin(client, behind)
        return not behind

    def finish(self, client: Client, readings: Mapping[TopicPartition, Reading], seconds: float) -> None:
        """Commit what is saved, waiting so long at most."""
        until = time.monotonic() + seconds
        self._look_at = float("-inf")
        while not self.turn(client, readings) and not self.refused and time.monotonic() < until:
            time.sleep(0.01)

    def _begin(self, client: Client, offsets: Mapping[TopicPartition, int]) -> None:
        try:
            self._under_way = offsets, client.commit(offsets)
        except Exception as error:
            self._failed(error)

    def _failed(self, error: BaseException) -> None:
        self._look_at = time.monotonic() + _AGAIN_SECONDS
        log.info("Offsets were not committed (%s).", type(error).__name__)

    def _settle(self) -> bool:
        """Return whether the commit under way has ended, and take note of how."""
        offsets, future = self._under_way or ({}, None)
        if future is None or not future.is_done:
            return False
        self._under_way = None
        if future.succeeded():
            self._done.update(offsets)
            self._look_at = float("-inf")
        else:
            self.refused = isinstance(future.exception, GroupAuthorizationFailedError)
            self._failed(future.exception)
        return True
