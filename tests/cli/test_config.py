"""The commands about the configuration of the service."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CANARY = "canary5d1c9"
SMALLEST = """\
kafka: {bootstrap_servers: "localhost:9092"}
streams: [{name: people, topics: [people]}]
"""
SECURED = """\
kafka:
  bootstrap_servers: localhost:9092
  security_protocol: SASL_SSL
  sasl: {{mechanism: PLAIN, username: someone, password_file: {0}/password}}
key: {{file: {0}/key, create: false}}
http: {{token_env: HTTP_TOKEN}}
publish: {{stdout: true}}
streams:
  - {{name: people, topics: [people], columns: {{only: [age, zip]}}}}
  - {{name: trips, pattern: "trips-.*", sampling: {{distinct: true, memory: 100MiB}}}}
"""


@pytest.fixture
def config(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "config.yaml"
        path.write_text(text)
        return path

    return write


@pytest.fixture
def secured(config: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration all of whose secrets are there."""
    for name, text in (("password", CANARY), ("key", "ca" * 32)):
        (tmp_path / name).write_text(f"{text}\n")
        (tmp_path / name).chmod(0o600)
    monkeypatch.setenv("HTTP_TOKEN", CANARY)
    return config(SECURED.format(tmp_path))


def test_check_tells_what_each_stream_will_take(run: Callable[..., Any], secured: Path) -> None:
    result = run("config", "check", secured)
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == [
        "config.yaml is valid: 2 streams, brokers localhost:9092, secrets readable.",
        "  people: 23,226 rows in each of two samples, for the whole and 8 panes; at most 21.8 MB with 2 columns",
        "  trips: 4,137 rows in each of two samples, for the whole and 8 panes; at most 105 MB with 128 columns",
        "  Hint: streams[1].sampling.memory holds 4,137 rows, not the 23,226 wanted: answers will promise less.",
    ]


def test_check_of_the_smallest_file_creates_nothing(
    run: Callable[..., Any], config: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = config(SMALLEST)
    monkeypatch.chdir(tmp_path)
    result = run("config", "check", path)
    assert result.code == 0
    assert result.out.startswith("config.yaml is valid: 1 stream, brokers localhost:9092")
    assert [path.name for path in tmp_path.iterdir()] == ["config.yaml"]


def test_check_demands_secrets_unless_told_otherwise(
    run: Callable[..., Any], secured: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "password").chmod(0o644)
    result = run("config", "check", secured)
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        "streamqid: The file that kafka.sasl.password_file names has mode 0644, so others may use it: "
        "set its mode to 0600.\n"
    )
    (tmp_path / "password").chmod(0o600)
    monkeypatch.delenv("HTTP_TOKEN")
    assert "http.token_env names an environment variable that is not set" in run("config", "check", secured).err
    assert run("config", "check", "--no-secrets", secured).code == 0


def test_show_prints_every_value_with_its_origin(
    run: Callable[..., Any], secured: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STREAMQID_LOG__LEVEL", "debug")
    result = run("config", "show", secured)
    assert (result.code, result.err) == (0, "")
    lines = [line.strip() for line in result.out.splitlines()]
    assert "level: debug  # from STREAMQID_LOG__LEVEL" in lines
    assert "format: text  # default" in lines
    assert "username: someone" in lines
    assert any(line.startswith("password_file: ") and "the secret is not shown" in line for line in lines)
    assert "token_env: HTTP_TOKEN  # the secret is not shown" in lines


def test_what_show_prints_is_a_configuration_with_the_same_effect(
    run: Callable[..., Any], secured: Path, config: Callable[[str], Path]
) -> None:
    once = run("config", "show", secured).out
    again = run("config", "show", config(once)).out
    assert yaml.safe_load(again) == yaml.safe_load(once)


WRONG = [
    SMALLEST + "http: {token: canary5d1c9}",
    SMALLEST + "http: {token_env: canary5d1c9}",
    SMALLEST + "http: {token_env: '/canary5d1c9'}",
    SMALLEST + "http: {token_file: canary5d1c9}",
    SMALLEST + "http: {port: canary5d1c9}",
    SMALLEST + "http: {address: canary5d1c9}",
    SMALLEST + "http: canary5d1c9",
    SMALLEST + "key: {file: canary5d1c9, create: false}",
    SMALLEST + "http: {token: [canary5d1c9",
    SMALLEST + "http: {token: &canary5d1c9 x}",
    SMALLEST + "http: {token: *canary5d1c9}",
    SMALLEST + "http: {token: !canary5d1c9 x}",
    SMALLEST + "http: {token: canary5d1c9}\nhttp: {token: canary5d1c9}",
    SMALLEST + "log: {level: canary5d1c9}",
    SMALLEST + "state: {checkpoint_interval: canary5d1c9}",
    SMALLEST.replace("localhost:9092", "user:canary5d1c9@localhost"),
    "canary5d1c9",
]


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_file_gives_one_sentence_without_what_stood_in_it(
    run: Callable[..., Any], config: Callable[[str], Path], text: str
) -> None:
    result = run("config", "check", config(text))
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("streamqid: ")
    assert result.err.count("\n") == 1
    assert CANARY not in result.err


def test_no_secret_is_ever_shown(run: Callable[..., Any], secured: Path, config: Callable[[str], Path]) -> None:
    for command in ("check", "show"):
        result = run("config", command, secured)
        assert CANARY not in result.out + result.err
        assert "caca" not in result.out + result.err


def test_a_secret_in_place_of_its_file_or_variable_is_not_shown(
    run: Callable[..., Any], config: Callable[[str], Path]
) -> None:
    for wrong in ("http: {token_env: canary5d1c9}", "http: {token_file: canary5d1c9}", f"key: {{file: {'ca' * 32}}}"):
        result = run("config", "show", config(SMALLEST + wrong))
        assert result.code == 0
        assert CANARY not in result.out
        assert "caca" not in result.out
        assert "null  # not shown: " in result.out


def test_a_variable_that_is_wrong_is_named_without_its_value(
    run: Callable[..., Any], config: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STREAMQID_KAFKA__PASSWORD", CANARY)
    result = run("config", "check", config(SMALLEST))
    assert result.code == 2
    assert "kafka.password (set by STREAMQID_KAFKA__PASSWORD) is not known" in result.err
    assert CANARY not in result.err


def test_schema_is_json_schema_or_a_file_that_can_be_used(
    run: Callable[..., Any], config: Callable[[str], Path]
) -> None:
    assert json.loads(run("config", "schema").out)["title"] == "Config"
    assert run("config", "check", "--no-secrets", config(run("config", "schema", "--as", "yaml").out)).code == 0
    assert run("config", "schema", "--as", "markdown").out.startswith("# Configuration\n")


def test_a_file_that_is_not_there_is_named(run: Callable[..., Any], tmp_path: Path) -> None:
    result = run("config", "check", tmp_path / "absent.yaml")
    assert result.code == 2
    assert "absent.yaml cannot be read (No such file or directory)" in result.err


def test_without_a_command_the_help_is_shown(run: Callable[..., Any]) -> None:
    result = run("config")
    assert (result.code, result.err) == (0, "")
    assert "Check, show and describe the configuration of the service." in result.out
