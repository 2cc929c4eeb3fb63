"""Several publishers behind one."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from streamqid.errors import StreamqidError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import BaseModel

    from streamqid.engine.ports import Publisher

log = logging.getLogger(__name__)


class Only:
    """Gives documents of one kind to a publisher, which takes no others; a ``Publisher``."""

    def __init__(self, kind: type[BaseModel], publisher: Publisher) -> None:
        self._kind, self._publisher = kind, publisher

    def publish(self, document: BaseModel) -> None:
        """Publish a document of the kind."""
        if isinstance(document, self._kind):
            self._publisher.publish(document)


class Fanout:
    """Gives each document to every publisher; a ``Publisher`` that never raises.

    One that fails holds up neither the others nor the loop.  It gets the next document all the same; that it failed
    is counted and logged, the latter once until it works again.
    """

    def __init__(self, publishers: Sequence[Publisher]) -> None:
        self._publishers = tuple(publishers)
        self._failing: set[int] = set()
        self.failures = 0
        """How often a publisher refused a document."""

    def publish(self, document: BaseModel) -> None:
        """Publish a document everywhere."""
        for number, publisher in enumerate(self._publishers):
            try:
                publisher.publish(document)
            except Exception as error:
                self._failed(number, publisher, error)
            else:
                self._worked(number, publisher)

    def _failed(self, number: int, publisher: Publisher, error: Exception) -> None:
        self.failures += 1
        if number not in self._failing:
            self._failing.add(number)
            # Only our own errors are known to hold no value.
            reason = str(error) if isinstance(error, StreamqidError) else type(error).__name__
            log.error("%s did not take a document: %s", type(publisher).__name__, reason)

    def _worked(self, number: int, publisher: Publisher) -> None:
        if number in self._failing:
            self._failing.discard(number)
            log.info("%s takes documents again.", type(publisher).__name__)
