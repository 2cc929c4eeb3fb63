"""What can be asked over HTTP: every route with what it answers, whoever carries the bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from prometheus_client.exposition import choose_encoder

from streamqid.engine.alerts import Alert, DriftEvent
from streamqid.engine.documents import Recommendation
from streamqid.publish.chronicle import PublishedSets
from streamqid.publish.exploring import WHAT_IF, no_stream
from streamqid.publish.health import HealthReport
from streamqid.publish.openapi import openapi
from streamqid.publish.route import Parameter, Route
from streamqid.publish.site import (
    NOT_FOUND,
    OK,
    UNAVAILABLE,
    Histories,
    Index,
    Published,
    Recommendations,
    Response,
    Streams,
    document,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import BaseModel

    from streamqid.engine.history import History
    from streamqid.publish.site import Request, Site


def find(path: str) -> tuple[Route, str] | None:
    """Return the route of a path, and the stream that it names; None when there is no such route."""
    for route in ROUTES:
        stream = route.match(path)
        if stream is not None:
            return route, stream
    return None


def _index(site: Site, _: Request) -> Response:
    return document(Index(name="streamqid", version=site.version, paths=[route.path for route in ROUTES]))


def _metrics(site: Site, request: Request) -> Response:
    try:
        encode, content_type = choose_encoder(request.accept)
    except (TypeError, ValueError):  # a version that is no number
        encode, content_type = choose_encoder("")
    return Response(encode(site.registry), content_type)


def _report(report: HealthReport, request: Request) -> Response:
    """Reasons name streams and topics, so they are for those who may see these."""
    if report.reasons and not request.trusted:
        report = HealthReport(ok=report.ok, reasons=["Ask with the token for the reasons."])
    return document(report, OK if report.ok else UNAVAILABLE)


def _live(site: Site, request: Request) -> Response:
    return _report(site.health.live(), request)


def _ready(site: Site, request: Request) -> Response:
    return _report(site.health.ready(), request)


def _newest(site: Site) -> dict[str, Recommendation | None]:
    return {name: site.board.latest(name) for name in site.health.pulses}


def _streams(site: Site, _: Request) -> Response:
    newest = _newest(site)
    pulses = site.health.pulses.items()
    return document(Streams([pulse.status(name, one.id if (one := newest[name]) else None) for name, pulse in pulses]))


def _all_newest(site: Site, _: Request) -> Response:
    return document(Recommendations([one for one in _newest(site).values() if one is not None]))


def _latest(site: Site, request: Request) -> Response:
    found = site.board.latest(request.stream)
    return no_stream(site, request) if found is None else document(found)


def _history(site: Site, request: Request) -> Response:
    if request.stream not in site.health.pulses:
        return no_stream(site, request)
    return document(Recommendations(list(site.board.history(request.stream))))


def _histories(site: Site, request: Request) -> list[History] | None:
    """Return the histories of the stream that was named, or of all; None when there is no stream of that name."""
    if request.stream and request.stream not in site.chronicles:
        return None
    wanted = [one for name, one in site.chronicles.items() if request.stream in ("", name)]
    return [one.history for one in wanted if one.history is not None]


def _published(site: Site, request: Request) -> Response:
    found = _histories(site, request)
    if found is None:
        return no_stream(site, request)
    verdicts = {one.stream: [series.verdict for series in one.sets] for one in found}
    return document(Published([PublishedSets(stream=name, verdicts=told) for name, told in verdicts.items()]))


def _drift(site: Site, request: Request) -> Response:
    found = _histories(site, request)
    return no_stream(site, request) if found is None else document(Histories(found))


def _schema_of(model: type[BaseModel]) -> Callable[[Site, Request], Response]:
    def answer(_site: Site, _: Request) -> Response:
        schema = model.model_json_schema(mode="serialization")
        schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
        return Response(json.dumps(schema).encode(), SCHEMA_JSON)

    return answer


def _openapi(site: Site, _: Request) -> Response:
    return Response(json.dumps(openapi(site.version, ROUTES)).encode())


ONE_STREAM = Parameter("stream", "Of this stream only.")
SCHEMA_JSON = "application/schema+json"
TEXTS = ("text/plain", "application/openmetrics-text")
ROUTES = (
    Route("/", "Where to ask on.", _index, Index),
    Route("/metrics", "Metrics for Prometheus.", _metrics, content_types=TEXTS),
    Route("/healthz", "Whether every loop turns.", _live, HealthReport, statuses=(UNAVAILABLE,), open=True),
    Route("/readyz", "Whether every stream is ready.", _ready, HealthReport, statuses=(UNAVAILABLE,), open=True),
    Route("/v1/streams", "Where each stream stands.", _streams, Streams),
    Route("/v1/recommendations", "The newest recommendation of each stream.", _all_newest, Recommendations),
    Route(
        "/v1/recommendations/{stream}",
        "The newest recommendation of a stream.",
        _latest,
        Recommendation,
        statuses=(NOT_FOUND,),
    ),
    Route(
        "/v1/recommendations/{stream}/history",
        "The newest recommendations of a stream, newest first.",
        _history,
        Recommendations,
        statuses=(NOT_FOUND,),
    ),
    Route(
        "/v1/published",
        "Where the published sets stand, of all streams or of one.",
        _published,
        Published,
        statuses=(NOT_FOUND,),
        query=(ONE_STREAM,),
    ),
    Route(
        "/v1/drift",
        "The history of verdicts, keys, risks and columns, of all streams or of one.",
        _drift,
        Histories,
        statuses=(NOT_FOUND,),
        query=(ONE_STREAM,),
    ),
    *WHAT_IF,
    Route(
        "/v1/schema", "The JSON Schema of a recommendation.", _schema_of(Recommendation), content_types=(SCHEMA_JSON,)
    ),
    Route("/v1/schema/alert", "The JSON Schema of an alert.", _schema_of(Alert), content_types=(SCHEMA_JSON,)),
    Route("/v1/schema/drift", "The JSON Schema of an event.", _schema_of(DriftEvent), content_types=(SCHEMA_JSON,)),
    Route("/openapi.json", "This description.", _openapi),
)
