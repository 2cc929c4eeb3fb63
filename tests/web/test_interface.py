"""The HTTP interface against its own description: schemathesis asks what it allows, and what it forbids."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from streamqid.publish.access import Access
from streamqid.publish.http import serve
from tests.unit.publish.watching import Service, ask

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKEN = "a-token-of-the-test"  # noqa: S105
QUICK = ("--generation-deterministic", "--no-shrink", "--no-color", "--warnings", "off", "--max-examples", "5")


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    service = Service()
    service.run()
    server = serve(service.site, Access(port=0, token=TOKEN))
    yield server.port
    server.close()
    service.answering.close()


def schemathesis(port: int, directory: Path, description: dict[str, Any], *options: str) -> tuple[int, str]:
    """Return the exit code and the report; everything is asked with the token, and some of it without."""
    path = directory / "openapi.json"
    path.write_text(json.dumps(description))
    program = Path(sys.executable).with_name("schemathesis")
    where = ("run", str(path), "--url", f"http://127.0.0.1:{port}", "-H", f"Authorization: Bearer {TOKEN}")
    done = subprocess.run(
        [program, *where, *QUICK, *options], cwd=directory, capture_output=True, text=True, check=False, timeout=200
    )
    return done.returncode, done.stdout + done.stderr


def described(port: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ask(port, "/openapi.json", Authorization=f"Bearer {TOKEN}").body)
    return found


def test_the_server_keeps_to_its_description(port: int, tmp_path: Path) -> None:
    code, report = schemathesis(port, tmp_path, described(port), "--phases", "coverage,fuzzing,stateful")
    assert code == 0, report
    assert f"Tested: {len(described(port)['paths'])}" in report


def test_an_answer_that_is_not_as_described_is_found(port: int, tmp_path: Path) -> None:
    description = described(port)
    answer = description["paths"]["/v1/streams"]["get"]["responses"]["200"]["content"]["application/json"]
    answer["schema"] = {"type": "integer"}
    code, report = schemathesis(port, tmp_path, description, "--phases", "fuzzing", "--include-path", "/v1/streams")
    assert code == 1, report
    assert "Response violates schema" in report
