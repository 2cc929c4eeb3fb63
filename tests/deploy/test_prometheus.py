"""The rules for Prometheus: each alert fires and is silent as it should, and leads to its runbook."""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from streamqid.publish.definitions import DEFINITIONS
from tests.conftest import ROOT
from tests.programs import program

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = ROOT / "deploy" / "prometheus"
RULES = FOLDER / "rules" / "streamqid.yaml"


def rules() -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def alerts() -> list[dict[str, Any]]:
    return [rule for rule in rules() if "alert" in rule]


@pytest.fixture(scope="session")
def promtool() -> str:
    """Prometheus's own checker; without it a test is skipped, in CI it fails."""
    return program("promtool", package="prometheus")


def run(*command: str, cwd: Path = FOLDER) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_the_rules_and_their_fixtures_pass(promtool: str) -> None:
    for command in (("check", "rules", str(RULES)), ("test", "rules", "tests/streamqid.yaml")):
        done = run(promtool, *command)
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_fixture_that_expects_something_else_fails(promtool: str, tmp_path: Path) -> None:
    fixtures = yaml.safe_load((FOLDER / "tests" / "streamqid.yaml").read_text())
    case = json.dumps(fixtures | {"rule_files": [str(RULES)], "tests": fixtures["tests"][:1]})
    for text, passes in ((case, True), (case.replace("drop zip", "drop age"), False)):
        (tmp_path / "case.yaml").write_text(text)
        assert (run(promtool, "test", "rules", str(tmp_path / "case.yaml")).returncode == 0) is passes


def test_every_alert_has_a_case_in_which_it_fires_and_one_in_which_it_does_not() -> None:
    seen: dict[str, set[bool]] = {}
    for case in yaml.safe_load((FOLDER / "tests" / "streamqid.yaml").read_text())["tests"]:
        for test in case["alert_rule_test"]:
            seen.setdefault(test["alertname"], set()).add(bool(test["exp_alerts"]))
    assert seen == {alert["alert"]: {True, False} for alert in alerts()}


def test_every_alert_says_how_bad_what_and_what_to_do() -> None:
    sections = re.findall(r"^## (\w+)$", (ROOT / "docs" / "runbooks.md").read_text(), re.MULTILINE)
    assert sections == [alert["alert"] for alert in alerts()]
    for alert in alerts():
        assert alert["labels"]["severity"] in {"critical", "warning", "info"}
        assert re.fullmatch(r"\d+[smh]", alert["for"])
        assert {"summary", "description"} <= set(alert["annotations"])
        assert alert["annotations"]["runbook_url"] == f"docs/runbooks.md#{alert['alert'].lower()}"


def test_the_rules_speak_of_metrics_that_exist() -> None:
    known = {definition.name for definition in DEFINITIONS}
    recorded = {rule["record"] for rule in rules() if "record" in rule}
    for rule in rules():
        text = rule["expr"] + rule.get("annotations", {}).get("description", "")
        used = set(re.findall(r"(?<![:\w])streamqid_\w+", text))
        assert used <= known
        assert set(re.findall(r"stream:\w+:\w+", rule["expr"])) <= recorded
