"""The queries of the shipped dashboards, as Grafana sends them."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.kafka.chain.monitoring import DEPLOY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.kafka.chain.monitoring import Prometheus, Series

BOARDS = sorted((DEPLOY / "grafana" / "dashboards").glob("*.json"))
ALL = ".*"
"""What every variable stands for when "All" is chosen."""


@dataclass(frozen=True)
class Query:
    """One query of a panel, with its variables in place."""

    panel: str
    expr: str
    instant: bool

    def finite(self, prometheus: Prometheus, start: float, end: float) -> list[Series]:
        """Return the series that have a number, at the end or anywhere on the way, as the panel asks for."""
        if self.instant:
            return [one for one in prometheus.query(self.expr) if math.isfinite(float(one["value"][1]))]
        found = prometheus.query_range(self.expr, start, end)
        return [one for one in found if any(math.isfinite(float(value)) for _, value in one["values"])]


def queries(chosen: Mapping[str, str]) -> Iterator[Query]:
    """Yield the queries of all panels with these choices of variables."""
    for board, path in _boards():
        for panel in board["panels"]:
            for target in panel.get("targets", ()):
                expr = filled(target["expr"], chosen)
                yield Query(f"{path} / {panel['title']} / {target['refId']}", expr, target["instant"])


def choices(prometheus: Prometheus) -> dict[str, list[str]]:
    """Return what each variable offers, by its own query; the ones before it stand at "All"."""
    found: dict[str, list[str]] = {}
    for board, _ in _boards():
        for variable in board["templating"]["list"]:
            if variable["type"] == "query":
                asked = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["query"]["query"])
                assert asked is not None, variable
                assert variable["allValue"] == ALL
                selector = filled(asked[1], dict.fromkeys(found, ALL))
                found[variable["name"]] = prometheus.label_values(asked[2], selector)
    return found


def filled(expr: str, chosen: Mapping[str, str]) -> str:
    """Return a query with its variables in place; none may be left."""
    text = re.sub(r"\$(\w+)", lambda name: chosen[name[1]], expr)
    assert "$" not in text
    return text


def _boards() -> Iterator[tuple[dict[str, Any], str]]:
    for path in BOARDS:
        yield json.loads(path.read_text()), path.stem
