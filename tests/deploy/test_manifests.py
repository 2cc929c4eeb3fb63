"""Manifests, compose file and image, checked by the schemas and linters of their makers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from streamqid.cli.generate import drift_of
from streamqid.config import load
from streamqid.synthetic import Population, truth
from tests.conftest import ROOT

DEPLOY = ROOT / "deploy"
BASE = DEPLOY / "kubernetes" / "base"
OVERLAY = DEPLOY / "kubernetes" / "overlays" / "example"
OTHERS_KINDS = {"Kustomization", "PodMonitor"}
"""Kinds that Kubernetes itself does not define."""


def tool(name: str) -> str:
    return str(Path(sys.executable).parent / name)


def documents(path: Path) -> list[dict[str, Any]]:
    return [document for document in yaml.safe_load_all(path.read_text()) if document]


@pytest.mark.parametrize("path", sorted(BASE.glob("*.yaml")), ids=lambda path: path.stem)
def test_kubernetes_takes_the_manifests(path: Path) -> None:
    for document in documents(path):
        if document.get("kind", "PodMonitor") not in OTHERS_KINDS:
            kubernetes_validate.validate(document, "1.34", strict=True)


def merged(base: Any, patch: Any) -> Any:
    """Return a manifest with a strategic merge patch, in which the members of lists are known by their names."""
    if isinstance(base, dict) and isinstance(patch, dict):
        return base | {key: merged(base.get(key), value) for key, value in patch.items()}
    if isinstance(base, list) and isinstance(patch, list):
        named = {one["name"]: one for one in base}
        return list((named | {one["name"]: merged(named.get(one["name"]), one) for one in patch}).values())
    return patch


def test_kubernetes_takes_the_overlay() -> None:
    (base,), (patch,) = documents(BASE / "statefulset.yaml"), documents(OVERLAY / "statefulset.yaml")
    found = merged(base, patch)
    kubernetes_validate.validate(found, "1.34", strict=True)
    pod = found["spec"]["template"]["spec"]
    assert {mount["name"] for mount in pod["containers"][0]["volumeMounts"]} <= {
        *(volume["name"] for volume in pod["volumes"]),
        *(claim["metadata"]["name"] for claim in found["spec"]["volumeClaimTemplates"]),
    }


def test_prometheus_knows_the_pod_by_the_job_of_the_rules() -> None:
    (monitor,), (stateful,) = documents(BASE / "podmonitor.yaml"), documents(BASE / "statefulset.yaml")
    job = stateful["spec"]["template"]["metadata"]["labels"][monitor["spec"]["jobLabel"]]
    assert f'up{{job="{job}"}}' in (DEPLOY / "prometheus" / "rules" / "streamqid.yaml").read_text()
    (prometheus,) = documents(DEPLOY / "prometheus" / "prometheus.yml")
    assert [scrape["job_name"] for scrape in prometheus["scrape_configs"]] == [job]


def test_a_manifest_with_a_mistake_is_refused() -> None:
    (document,) = documents(BASE / "statefulset.yaml")
    document["spec"]["replicaz"] = 1
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(document, "1.34", strict=True)


def test_what_kustomize_names_exists() -> None:
    for folder in (BASE, OVERLAY):
        (kustomization,) = documents(folder / "kustomization.yaml")
        patches = [patch["path"] for patch in kustomization.get("patches", ())]
        files = [name for made in kustomization["configMapGenerator"] for name in made["files"]]
        for name in (*kustomization["resources"], *patches, *files):
            assert (folder / name).exists(), name


def test_the_pod_may_do_nothing_that_it_need_not() -> None:
    (document,) = documents(BASE / "statefulset.yaml")
    pod = document["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["runAsUser"] == 10001
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert {"startupProbe", "livenessProbe", "readinessProbe"} <= set(container)


@pytest.mark.parametrize(
    "path",
    [BASE / "streamqid.yaml", OVERLAY / "streamqid.yaml", DEPLOY / "compose" / "streamqid.yaml"],
    ids=lambda path: path.parent.name,
)
def test_the_configurations_can_be_used(path: Path) -> None:
    assert load(path).config.streams


def test_compose_takes_its_file(tmp_path: Path) -> None:
    command = [tool("check-jsonschema"), "--builtin-schema", "vendor.compose-spec"]
    good = DEPLOY / "compose" / "compose.yaml"
    assert subprocess.run([*command, str(good)], capture_output=True, check=False).returncode == 0
    bad = tmp_path / "compose.yaml"
    bad.write_text(good.read_text().replace("read_only: true", "read_only: [1]"))
    assert subprocess.run([*command, str(bad)], capture_output=True, check=False).returncode != 0


def test_the_drift_of_compose_carries_its_published_set_over_the_limit() -> None:
    """On 20,000 rows of the same people: far enough on both sides to be judged safe, and then unsafe."""
    (shown,) = load(DEPLOY / "compose" / "streamqid.yaml").config.streams[0].published
    (compose,) = documents(DEPLOY / "compose" / "compose.yaml")
    command = compose["services"]["generator"]["command"]
    population = Population(0, drifts=(drift_of(command[command.index("--drift") + 1], 20_000),))
    segments: Any = truth(population, 20_000, [shown.columns])["segments"]
    before, after = segments
    assert shown.limits.separation == 0.99
    assert before["sets"][0]["separation"] < 0.987
    assert after["sets"][0]["separation"] > 0.999


def test_compose_mounts_what_exists() -> None:
    (compose,) = documents(DEPLOY / "compose" / "compose.yaml")
    for service in compose["services"].values():
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert source in compose["volumes"] or (DEPLOY / "compose" / source).exists()


def findings(path: Path) -> list[str]:
    """Return the rules of hadolint that a Dockerfile breaks."""
    command = [tool("hadolint"), "--format", "json", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [one["code"] for one in json.loads(done.stdout)]


def test_the_image_file_has_no_finding(tmp_path: Path) -> None:
    assert findings(ROOT / "Dockerfile") == []
    careless = tmp_path / "Dockerfile"
    careless.write_text("FROM python:latest\nRUN pip install streamqid\n")
    assert {"DL3007", "DL3013", "DL3042"} <= set(findings(careless))
