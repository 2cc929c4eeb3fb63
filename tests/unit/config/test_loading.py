from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamqid.config import load
from streamqid.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

FILE = """\
kafka: {bootstrap_servers: "file:9092", client_id: file}
streams: [{name: people, topics: [people]}]
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "config.yaml"
    path.write_text(FILE)
    return path


def test_the_environment_comes_before_the_file_and_the_file_before_the_defaults(path: Path) -> None:
    loaded = load(path, {"STREAMQID_KAFKA__CLIENT_ID": "environment", "STREAMQID_LOG__LEVEL": "debug"})
    assert loaded.config.kafka.client_id == "environment"
    assert loaded.config.kafka.bootstrap_servers == ("file:9092",)
    assert loaded.config.kafka.group_id == "streamqid"
    assert loaded.config.log.level == "debug"
    assert loaded.variables == {
        "kafka.client_id": "STREAMQID_KAFKA__CLIENT_ID",
        "log.level": "STREAMQID_LOG__LEVEL",
    }


def test_values_of_variables_are_typed(path: Path) -> None:
    environ = {
        "STREAMQID_KAFKA__BOOTSTRAP_SERVERS": "a:1, b:2",
        "STREAMQID_STATE__CHECKPOINT_INTERVAL": "5s",
        "STREAMQID_STATE__CHECKPOINT_RECORDS": "null",
        "STREAMQID_HTTP__PORT": "0",
        "STREAMQID_PUBLISH__DEAD_LETTERS__PER_SECOND": "1e-1",
        "STREAMQID_PUBLISH__STDOUT": "true",
        "STREAMQID_KAFKA__CLIENT_ID": '"12"',
    }
    config = load(path, environ).config
    assert config.kafka.bootstrap_servers == ("a:1", "b:2")
    assert (config.state.checkpoint_interval, config.state.checkpoint_records) == (5.0, None)
    assert config.http.port == 0
    assert config.publish.dead_letters.per_second == 0.1
    assert config.publish.stdout is True
    assert config.kafka.client_id == "12"


def test_variables_with_a_single_step_and_of_others_are_left_alone(path: Path) -> None:
    environ = {"STREAMQID_DEBUG": "1", "STREAMQID_PASSWORD": "x", "PATH": "/", "KAFKA__CLIENT_ID": "x"}
    assert load(path, environ).variables == {}


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        ("STREAMQID_KAFKA__CLIENTID", "x", "kafka.clientid (set by {}) is not known: did you mean client_id?"),
        ("STREAMQID_KAFKA__PASSWORD", "x", "kafka.password (set by {}) is not known: the keys here are"),
        ("STREAMQID_HTTP__PORT", "many", "http.port (set by {}) must be a whole number."),
        ("STREAMQID_KAFKA__BOOTSTRAP_SERVERS", "a", "kafka.bootstrap_servers[0] (set by {}) must be host:port."),
        ("STREAMQID_KAFKA__CLIENT_ID", "12", "kafka.client_id (set by {}) must be a text: put it in quotes."),
        ("STREAMQID_KAFKA__CLIENT_ID", "[a]", "{} must hold a single value for kafka.client_id: put a text with"),
        ("STREAMQID_KAFKA__CLIENT_ID", "a: b", "{} must hold a single value for kafka.client_id: put a text with"),
        ("STREAMQID_KAFKA__CLIENT_ID", "[" * 9999, "{} must hold a single value for kafka.client_id: put a text with"),
        ("STREAMQID_KAFKA__CLIENT_ID", "*a", "{} must hold a single value for kafka.client_id: put a text with"),
        ("STREAMQID_KAFKA__CLIENT_ID__X", "a", "{} cannot be used: client_id is not a section in the file."),
        ("STREAMQID_STREAMS__0__NAME", "a", "{} cannot be used: streams are set in the file only."),
    ],
)
def test_a_mistake_in_a_variable_names_the_variable(path: Path, variable: str, value: str, sentence: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load(path, {variable: value})
    assert str(refused.value).startswith(sentence.format(variable))


def test_a_configuration_cannot_be_changed(path: Path) -> None:
    config = load(path, {}).config
    with pytest.raises(ValueError, match="frozen"):
        config.kafka.client_id = "other"  # type: ignore[misc]


def test_a_number_beyond_all_bounds_is_refused(path: Path) -> None:
    path.write_text(FILE + "http: {port: 0x" + "f" * 5000 + "}")
    with pytest.raises(ConfigError, match="a number that is too long to be meant"):
        load(path, {})
