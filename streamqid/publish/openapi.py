"""The OpenAPI description of the HTTP interface, made from its routes and models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic.json_schema import models_json_schema

from streamqid.publish.route import STREAM
from streamqid.publish.site import OK, PROBLEM_JSON, Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import BaseModel

    from streamqid.publish.route import Parameter, Route

REF = "#/components/schemas/{model}"
STATUSES = {
    200: "The answer.",
    400: "It cannot be asked so.",
    401: "A bearer token is needed.",
    404: "No such thing.",
    503: "Not well, or too busy.",
}
UNAUTHORISED = 401


def openapi(version: str, routes: Sequence[Route]) -> dict[str, Any]:
    """Return the description of these routes as OpenAPI 3.1."""
    models: list[type[BaseModel]] = [Problem, *(route.model for route in routes if route.model is not None)]
    found, definitions = models_json_schema(
        [(model, "serialization") for model in dict.fromkeys(models)], ref_template=REF
    )
    schemas: dict[Any, Any] = {model: schema for (model, _), schema in found.items()}
    return {
        "openapi": "3.1.0",
        "info": {"title": "streamqid", "version": version, "license": {"name": "Apache-2.0"}},
        "paths": {route.path: {"get": _operation(route, schemas)} for route in routes},
        "components": {
            "schemas": definitions["$defs"],
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(route: Route, schemas: dict[Any, Any]) -> dict[str, Any]:
    answer = {kind: {"schema": schemas[route.model]} if route.model else {} for kind in route.content_types}
    refusal = {PROBLEM_JSON: {"schema": schemas[Problem]}}
    statuses = (OK, *route.statuses, *(() if route.open else (UNAUTHORISED,)))
    reported = (OK, *(route.statuses if route.open else ()))
    operation: dict[str, Any] = {
        "summary": route.summary,
        "responses": {
            str(status): {"description": STATUSES[status], "content": answer if status in reported else refusal}
            for status in statuses
        },
        # A server without a token asks for none.
        "security": [{}] if route.open else [{"token": []}, {}],
    }
    named = [{"name": "stream", "in": "path", "required": True, "schema": {"type": "string"}}]
    parameters = [*(named if STREAM in route.path else ()), *map(_parameter, route.query)]
    return operation | ({"parameters": parameters} if parameters else {})


def _parameter(one: Parameter) -> dict[str, Any]:
    word: dict[str, Any] = {"type": "string", **({"enum": list(one.words)} if one.words else {})}
    return {
        "name": one.name,
        "in": "query",
        "required": False,
        "description": one.sentence,
        "schema": {"type": "array", "items": word} if one.several else word,
    }
