"""Pieces of Grafana dashboards: panels, queries and variables, as the JSON that Grafana reads."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

DATASOURCE: Json = {"type": "prometheus", "uid": "${datasource}"}
DASHED: Json = {
    "matcher": {"id": "byRegexp", "options": "/ limit$/"},
    "properties": [{"id": "custom.lineStyle", "value": {"fill": "dash", "dash": [8, 6]}}],
}
"""Makes limits look other than what they limit."""
WIDTH = 24


def query(expr: str, legend: str = "__auto", *, instant: bool = False, table: bool = False) -> Json:
    """Return a query."""
    return {
        "datasource": DATASOURCE,
        "expr": expr,
        "legendFormat": legend,
        "instant": instant,
        "range": not instant,
        "format": "table" if table else "time_series",
        "editorMode": "code",
    }


def panel(kind: str, title: str, description: str, queries: list[Json], size: tuple[int, int], **more: Any) -> Json:
    """Return a panel of a width and height, not yet placed; ``more`` are its own settings."""
    targets = [target | {"refId": chr(ord("A") + i)} for i, target in enumerate(queries)]
    return {
        "type": kind,
        "title": title,
        "description": description,
        "datasource": DATASOURCE,
        "targets": targets,
        "gridPos": {"w": size[0], "h": size[1]},
        "fieldConfig": {"defaults": more.pop("defaults", {}), "overrides": more.pop("overrides", [])},
        "options": more.pop("options", {}),
        **more,
    }


def lines(
    title: str, description: str, queries: list[Json], *, unit: str = "short", size: tuple[int, int] = (12, 8)
) -> Json:
    """Return curves over time."""
    defaults = {"unit": unit, "custom": {"lineWidth": 2, "fillOpacity": 5, "showPoints": "never"}}
    options = {
        "legend": {"displayMode": "table", "placement": "bottom", "calcs": ["lastNotNull"]},
        "tooltip": {"mode": "multi"},
    }
    dashed = [DASHED] if any(one["legendFormat"].endswith(" limit") for one in queries) else []
    return panel("timeseries", title, description, queries, size, defaults=defaults, options=options, overrides=dashed)


def number(title: str, description: str, expr: str, *, unit: str = "short", bad_above: float | None = None) -> Json:
    """Return one number, red above a limit."""
    steps: list[Json] = [{"color": "green" if bad_above is not None else "text", "value": None}]
    if bad_above is not None:
        steps.append({"color": "red", "value": bad_above})
    defaults = {"unit": unit, "thresholds": {"mode": "absolute", "steps": steps}, "noValue": "no data"}
    options = {"reduceOptions": {"calcs": ["lastNotNull"]}, "colorMode": "value", "graphMode": "area"}
    return panel("stat", title, description, [query(expr)], (6, 5), defaults=defaults, options=options)


def states(title: str, description: str, expr: str, legend: str, mapping: dict[int, tuple[str, str]]) -> Json:
    """Return a band for each series, coloured and worded by its number."""
    options = {str(value): {"text": text, "color": colour, "index": value} for value, (text, colour) in mapping.items()}
    defaults = {"mappings": [{"type": "value", "options": options}], "custom": {"fillOpacity": 80, "lineWidth": 0}}
    shown = {"showValue": "auto", "mergeValues": True, "legend": {"showLegend": False}}
    return panel("state-timeline", title, description, [query(expr, legend)], (24, 8), defaults=defaults, options=shown)


def heat(title: str, description: str, expr: str, legend: str, unit: str) -> Json:
    """Return a heat map with a row for each series."""
    options = {
        "calculate": False,
        "cellGap": 1,
        "color": {"mode": "scheme", "scheme": "Oranges", "steps": 64},
        "rowsFrame": {"layout": "auto"},
        "yAxis": {"axisPlacement": "left", "unit": "short"},
        "cellValues": {"unit": unit},
        "tooltip": {"mode": "single"},
        "legend": {"show": True},
    }
    return panel("heatmap", title, description, [query(expr, legend)], (24, 10), options=options)


def table(title: str, description: str, expr: str) -> Json:
    """Return the labels of the present series as a table."""
    hidden = {"Time": True, "Value": True, "__name__": True, "instance": True, "job": True}
    change = [{"id": "organize", "options": {"excludeByName": hidden}}]
    return panel("table", title, description, [query(expr, instant=True, table=True)], (24, 7), transformations=change)


def row(title: str) -> Json:
    """Return a heading."""
    return {"type": "row", "title": title, "collapsed": False, "panels": [], "gridPos": {"w": WIDTH, "h": 1}}


def variable(name: str, label: str, expr: str) -> Json:
    """Return a choice of label values."""
    return {
        "name": name,
        "label": label,
        "type": "query",
        "datasource": DATASOURCE,
        "query": {"query": expr, "refId": f"variable-{name}"},
        "definition": expr,
        "includeAll": True,
        "multi": True,
        "allValue": ".*",
        "refresh": 2,
        "sort": 1,
        "current": {"selected": True, "text": ["All"], "value": ["$__all"]},
    }


def dashboard(uid: str, title: str, description: str, panels: list[Json], variables: list[Json]) -> Json:
    """Return a dashboard with its panels placed from left to right, in rows."""
    x = y = high = 0
    placed = []
    for number_, one in enumerate(panels, 1):
        place = one["gridPos"]
        if x + place["w"] > WIDTH:
            x, y, high = 0, y + high, 0
        placed.append(one | {"id": number_, "gridPos": place | {"x": x, "y": y}})
        x, high = x + place["w"], max(high, place["h"])
    source = {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"}
    return {
        "uid": uid,
        "title": title,
        "description": description,
        "tags": ["streamqid"],
        "schemaVersion": 41,
        "version": 1,
        "editable": False,
        "graphTooltip": 1,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "timezone": "browser",
        "annotations": {"list": []},
        "links": [{"type": "dashboards", "title": "streamqid", "tags": ["streamqid"], "asDropdown": True}],
        "templating": {"list": [source, *variables]},
        "panels": placed,
    }
