"""Documents as CloudEvents 1.0 in the binary mode of their Kafka binding: attributes in headers, the document as value.

ce_specversion   1.0
ce_id            id of the document: the same for the same configuration and positions
ce_source        streamqid/<stream>
ce_type          io.streamqid.recommendation.v1 (or alert, or drift)
ce_time          when it was handed over for sending
ce_dataschema    urn:streamqid:recommendation:1
content-type     application/json
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import quote

if TYPE_CHECKING:
    from datetime import datetime

SCHEMA_VERSION: Final = 1
"""Changes when a reader of the version before could no longer read a document."""


class Event(Protocol):
    """A document that can be sent."""

    @property
    def kind(self) -> str:
        """What it is."""
        ...

    @property
    def id(self) -> str:
        """The same for the same document."""
        ...

    @property
    def stream(self) -> str:
        """What it is about."""
        ...


def headers(document: Event, now: datetime) -> tuple[tuple[str, bytes], ...]:
    """Return the headers of a document that is sent now."""
    attributes = {
        "ce_specversion": "1.0",
        "ce_id": document.id,
        "ce_source": f"streamqid/{quote(document.stream, safe='')}",
        "ce_type": f"io.streamqid.{document.kind}.v{SCHEMA_VERSION}",
        "ce_time": now.isoformat(timespec="milliseconds"),
        "ce_dataschema": f"urn:streamqid:{document.kind}:{SCHEMA_VERSION}",
        "content-type": "application/json",
    }
    return tuple((name, value.encode()) for name, value in attributes.items())
