"""The routes of what-if questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from streamqid.engine.answering import Question
from streamqid.engine.whatif import Columns, Over, SafeSet, WhatIf
from streamqid.errors import UsageError
from streamqid.publish.route import Parameter, Route
from streamqid.publish.site import BAD_REQUEST, NOT_FOUND, UNAVAILABLE, Response, problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamqid.publish.site import Request, Site

COLUMN = Parameter("column", "A column of the set; repeat it for each.", several=True)
LIKE = Parameter("like", "The published set whose limits are taken; the limit of the masking without it.")
OVER = Parameter(
    "over", "The sample of all records, or of the newest closed window; all without it.", words=get_args(Over)
)


def no_stream(site: Site, request: Request) -> Response:
    """Return why there is nothing about a stream."""
    if request.stream in site.health.pulses:
        return problem(NOT_FOUND, "Not Found", "The stream has no recommendation yet: ask again later.")
    return problem(NOT_FOUND, "Not Found", "There is no stream of this name: see /v1/streams.")


def _about(what: Literal["set", "safe set", "columns"]) -> Callable[[Site, Request], Response]:
    def answer(site: Site, request: Request) -> Response:
        explorer = site.explorers.get(request.stream)
        if explorer is None:
            return no_stream(site, request)
        over = next((one for one in get_args(Over) if one == _word(request, "over", "all")), None)
        if over is None:
            return _refused("A sample is all or newest.")
        basis = explorer.basis(over)
        if basis is None:
            return problem(NOT_FOUND, "Not Found", "There is no such sample yet: ask again after the next solve.")
        columns = tuple(sorted(set(request.query.get("column", ())))) if what != "columns" else ()
        question = Question(what, columns, _word(request, "like", None) if what != "columns" else None)
        try:
            found = explorer.ask(basis, question)
        except UsageError as mistake:
            return problem(NOT_FOUND, "Not Found", str(mistake))
        if found is None:
            return problem(UNAVAILABLE, "Service Unavailable", "Too much is asked at the moment: ask again later.")
        return Response(found)

    return answer


def _word(request: Request, name: str, default: str | None) -> str | None:
    return next(iter(request.query.get(name, ())), default)


def _refused(why: str) -> Response:
    return problem(BAD_REQUEST, "Bad Request", why)


_STATUSES = (BAD_REQUEST, NOT_FOUND, UNAVAILABLE)
WHAT_IF = (
    Route(
        "/v1/streams/{stream}/columns",
        "Every column of the live sample by itself.",
        _about("columns"),
        Columns,
        statuses=_STATUSES,
        query=(OVER,),
    ),
    Route(
        "/v1/streams/{stream}/whatif",
        "The measures of a column set on the live sample, and its verdict.",
        _about("set"),
        WhatIf,
        statuses=_STATUSES,
        query=(COLUMN, LIKE, OVER),
    ),
    Route(
        "/v1/streams/{stream}/safe",
        "A largest safe set that contains these columns.",
        _about("safe set"),
        SafeSet,
        statuses=_STATUSES,
        query=(COLUMN, LIKE, OVER),
    ),
)
