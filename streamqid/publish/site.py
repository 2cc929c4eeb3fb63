"""What the HTTP interface answers from, and the forms of its requests and answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import RootModel

from streamqid.engine.documents import Recommendation
from streamqid.engine.history import History
from streamqid.problems.answer import Document
from streamqid.publish.chronicle import PublishedSets
from streamqid.publish.health import StreamStatus

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from prometheus_client import CollectorRegistry
    from pydantic import BaseModel

    from streamqid.publish.board import Board
    from streamqid.publish.chronicle import Chronicle
    from streamqid.publish.explorer import Explorer
    from streamqid.publish.health import Health

JSON, PROBLEM_JSON = "application/json", "application/problem+json"
OK, BAD_REQUEST, NOT_FOUND, UNAVAILABLE = 200, 400, 404, 503


class Problem(Document):
    """Why a request has no answer (RFC 9457)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str


class Index(Document):
    """Where to ask on."""

    name: str
    version: str
    paths: list[str]


class Recommendations(RootModel[list[Recommendation]]):
    """Several recommendations."""


class Published(RootModel[list[PublishedSets]]):
    """The published sets of all streams."""


class Histories(RootModel[list[History]]):
    """The histories of several streams."""


class Streams(RootModel[list[StreamStatus]]):
    """All streams, in the order of the configuration."""


@dataclass(frozen=True, slots=True)
class Site:
    """What the routes answer from; every part may be read from any thread."""

    registry: CollectorRegistry
    health: Health
    board: Board
    version: str
    chronicles: Mapping[str, Chronicle] = field(default_factory=dict)
    """The history of each stream."""
    explorers: Mapping[str, Explorer] = field(default_factory=dict)
    """Who answers what-if questions about each stream."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a route may know of a request: the stream that it names, if any; ``trusted`` if it may see everything."""

    stream: str = ""
    accept: str = ""
    trusted: bool = True
    query: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """What was asked for by name, each as often as it was."""


@dataclass(frozen=True, slots=True)
class Response:
    """What is sent back."""

    body: bytes
    content_type: str = JSON
    status: int = OK
    headers: Mapping[str, str] = field(default_factory=dict)
    """Beside those that every answer has, or instead of them."""


def problem(status: int, title: str, detail: str) -> Response:
    """Return the answer to a request that has none; ``detail`` never repeats what was asked."""
    found = Problem(title=title, status=status, detail=detail)
    return Response(found.model_dump_json().encode(), PROBLEM_JSON, status)


def document(model: BaseModel, status: int = OK) -> Response:
    """Return a document as JSON."""
    return Response(model.model_dump_json().encode(), status=status)
