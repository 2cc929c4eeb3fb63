"""The dashboards for Grafana."""

from __future__ import annotations

import re
from typing import Any

import pytest
from grafana_foundation_sdk.models.dashboard import Dashboard

from deploy.grafana.make import FOLDER, rendered
from streamqid.publish.definitions import DEFINITIONS

BOARDS = rendered()


def board(name: str) -> dict[str, Any]:
    import json

    loaded: dict[str, Any] = json.loads((FOLDER / name).read_text())
    return loaded


def test_the_files_are_what_is_made() -> None:
    assert {path.name: path.read_text() for path in FOLDER.glob("*.json")} == BOARDS


@pytest.mark.parametrize("name", BOARDS)
def test_grafana_knows_every_field(name: str) -> None:
    """Grafana's own types, made from its schema, keep all fields but those of panels that plugins define."""
    found = board(name)
    kept = Dashboard.from_json(found)
    assert (kept.uid, kept.title) == (found["uid"], found["title"])
    assert kept.panels is not None
    assert [getattr(panel, "title", None) for panel in kept.panels] == [panel["title"] for panel in found["panels"]]
    assert kept.templating is not None
    assert kept.templating.list_val is not None
    assert len(kept.templating.list_val) == len(found["templating"]["list"])


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


def test_uids_stay_as_they_are() -> None:
    assert [board(name)["uid"] for name in BOARDS] == ["streamqid-overview", "streamqid-drift", "streamqid-pipeline"]
