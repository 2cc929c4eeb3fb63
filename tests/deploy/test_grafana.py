"""The dashboards for Grafana."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

from deploy.grafana.make import FOLDER, rendered
from streamqid.publish.definitions import DEFINITIONS

BOARDS = rendered()


def board(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((FOLDER / name).read_text())
    return loaded


def test_the_files_are_what_is_made() -> None:
    assert {path.name: path.read_text() for path in FOLDER.glob("*.json")} == BOARDS


def kept(found: dict[str, Any]) -> dict[str, Any]:
    """Return what Grafana's own types, made from its schema, keep of a dashboard."""
    known: dict[str, Any] = json.loads(json.dumps(Dashboard.from_json(found), cls=JSONEncoder))
    return known


def lost(found: Any, known: Any, path: str = "") -> set[str]:
    """Return where something is in the first and not, or another, in the second."""
    if isinstance(found, dict) and isinstance(known, dict):
        return {place for key in found for place in lost(found[key], known.get(key), f"{path}/{key}")}
    if isinstance(found, list) and isinstance(known, list) and len(found) == len(known):
        return {place for one, other in zip(found, known, strict=True) for place in lost(one, other, path)}
    return set() if found == known else {path}


@pytest.mark.parametrize("name", BOARDS)
def test_grafana_knows_every_field(name: str) -> None:
    """All but the text of a variable's query, which Grafana writes beside the query and the package does not know.

    What plugins define (options of panels, targets) is kept as it is: the package has no check of it.
    """
    found = board(name)
    assert lost(found, kept(found)) == {"/templating/list/definition"}


def test_a_field_that_grafana_does_not_know_is_noticed() -> None:
    found = board("streamqid-drift.json")
    found["panels"][1]["descriptoin"] = "A slip."
    found["titel"] = "Another one."
    assert lost(found, kept(found)) == {"/templating/list/definition", "/panels/descriptoin", "/titel"}


@pytest.mark.parametrize("name", BOARDS)
def test_panels_are_described_and_do_not_overlap(name: str) -> None:
    taken: set[tuple[int, int]] = set()
    for panel in board(name)["panels"]:
        assert panel["type"] == "row" or panel["description"]
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert max(x for x, _ in cells) < 24
        assert not cells & taken
        taken |= cells


@pytest.mark.parametrize("name", BOARDS)
def test_queries_speak_of_metrics_that_exist(name: str) -> None:
    known = {definition.name for definition in DEFINITIONS}
    known |= {f"{d.name}_bucket" for d in DEFINITIONS if d.kind == "histogram"} | {"process_resident_memory_bytes"}
    queries = [target["expr"] for panel in board(name)["panels"] for target in panel.get("targets", ())]
    assert queries
    for query in queries:
        assert set(re.findall(r"\b(?:streamqid|process)_\w+", query)) <= known


@pytest.mark.parametrize("name", BOARDS)
def test_what_is_shown_can_be_chosen(name: str) -> None:
    found = board(name)
    variables = [variable["name"] for variable in found["templating"]["list"]]
    chosen = ["stream"] if name == "streamqid-pipeline.json" else ["stream", "set", "window"]
    assert variables == ["datasource", *chosen]
    panels = [panel for panel in found["panels"] if panel["type"] != "row"]
    assert {panel["datasource"]["uid"] for panel in panels} == {"${datasource}"}
    assert {target["datasource"]["uid"] for panel in panels for target in panel["targets"]} == {"${datasource}"}


def test_uids_stay_as_they_are() -> None:
    assert [board(name)["uid"] for name in BOARDS] == ["streamqid-overview", "streamqid-drift", "streamqid-pipeline"]
