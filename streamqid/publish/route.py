"""One path of the HTTP interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from streamqid.publish.site import JSON

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import BaseModel

    from streamqid.publish.site import Request, Response, Site

STREAM = "{stream}"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a query: one word, one of some words, or several."""

    name: str
    sentence: str
    several: bool = False
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Route:
    """One path; ``{stream}`` in it stands for the name of a stream.

    ``model`` describes the answer in the OpenAPI document where a model of ours does; ``statuses`` are those that it
    may have besides 200.  Without a token an ``open`` route may be asked all the same.  ``query`` are the parameters
    that may follow the path.
    """

    path: str
    summary: str
    answer: Callable[[Site, Request], Response]
    model: type[BaseModel] | None = None
    content_types: tuple[str, ...] = (JSON,)
    statuses: tuple[int, ...] = ()
    open: bool = False
    query: tuple[Parameter, ...] = ()

    def match(self, path: str) -> str | None:
        """Return the stream that a path of this route names, or nothing if it names none; None for other paths."""
        mine, asked = self.path.split("/"), path.split("/")
        if len(mine) != len(asked) or any(part not in (STREAM, name) for part, name in zip(mine, asked, strict=True)):
            return None
        return "".join(unquote(name) for part, name in zip(mine, asked, strict=True) if part == STREAM)
