"""The reference, the documentation and the examples are what the models say."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import pytest
import yaml

from streamqid.config import Config, load
from streamqid.config.asking import OTHERS
from streamqid.config.documentation import markdown, options, schema
from streamqid.config.loading import validated
from streamqid.config.writing import reference, smallest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EXAMPLES = ["csv-lines", "debezium", "many-streams", "minimal", "tls-scram", "windows-by-event-time"]


def test_the_reference_is_current(repository: Path) -> None:
    stored = (repository / "config" / "reference.yaml").read_text()
    assert stored == reference(), "run: streamqid config schema --as yaml > config/reference.yaml"


def test_the_documentation_is_current(repository: Path) -> None:
    stored = (repository / "docs" / "configuration.md").read_text()
    assert stored == markdown(), "run: streamqid config schema --as markdown > docs/configuration.md"


def test_the_reference_equals_the_defaults(repository: Path) -> None:
    given = {"kafka": {"bootstrap_servers": ["localhost:9092"]}, "streams": [{"name": "people", "topics": ["people"]}]}
    assert load(repository / "config" / "reference.yaml", {}).config == validated(given) == smallest()


def with_its_examples(text: str) -> str:
    """Return a file with the lines in effect that begin with # and no blank, or at least two."""
    text = re.sub(r"^ *(published: \[\]|(\w+): null(?=\n *#\2:))\n", "", text, flags=re.MULTILINE)
    return re.sub(r"^( *)#(?! \S)", r"\1", text, flags=re.MULTILINE)


def paths(values: Any, path: str = "") -> Iterator[str]:
    if isinstance(values, dict) and values:
        for key, value in values.items():
            yield from paths(value, f"{path}.{key}" if path else key)
    elif isinstance(values, list) and values and isinstance(values[0], dict):
        for value in values:
            yield from paths(value, f"{path}[]")
    else:
        yield path


def test_every_option_occurs_in_the_reference_once_and_with_its_comment() -> None:
    text = with_its_examples(reference())
    assert list(paths(yaml.safe_load(text))) == [path for path, _ in options()]
    for _, field in options():
        assert field.description
        assert field.description.endswith((".", "…"))
        assert " ".join(field.description.split()) in " ".join(re.sub(r"^ *#", "", text, flags=re.MULTILINE).split())


def test_the_examples_in_the_reference_can_be_used() -> None:
    values = yaml.safe_load(with_its_examples(reference()))
    # Promises for all sets of columns need columns that are named beforehand.
    values["streams"][0]["columns"]["only"] = ["zip", "age", "person_id", "diagnosis"]
    config = validated(values)
    assert set(config.streams[0].problems.others) == set(OTHERS)
    assert [published.name for published in config.streams[0].published] == ["research"]


def test_every_option_occurs_in_the_documentation() -> None:
    text = markdown()
    for path, field in options():
        section, _, key = path.rpartition(".")
        chapter = text.split(f"## `{section}`\n")[1].split("\n## ")[0]
        assert f"| `{key}` |" in chapter
        assert (field.description or "").replace("<", "&lt;") in chapter


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_can_be_used(repository: Path, name: str) -> None:
    config = load(repository / "config" / "examples" / f"{name}.yaml", {}).config
    for stream in config.streams:
        sizes = stream.sizes
        assert sizes.capacity.floor == sizes.wanted, "memory does not hold what is wanted"


def test_every_example_is_tested(repository: Path) -> None:
    assert sorted(path.stem for path in (repository / "config" / "examples").iterdir()) == EXAMPLES


def test_the_schema_knows_every_option_and_refuses_others() -> None:
    found = schema()
    definitions = found["$defs"]
    for path, field in options():
        inner = found
        for step in path.replace("[]", "").split(".")[:-1]:
            text = json.dumps(inner["properties"][step])
            (name,) = set(re.findall(r"#/\$defs/(\w+)", text))
            inner = definitions[name]
        assert inner["additionalProperties"] is False
        assert inner["properties"][path.rsplit(".", 1)[1]]["description"] == field.description
    assert found["required"] == ["kafka", "streams"]


def test_lists_of_names_may_be_texts_in_the_schema() -> None:
    """What editors accept is what the program accepts."""
    servers = schema()["$defs"]["KafkaConfig"]["properties"]["bootstrap_servers"]
    assert {option["type"] for option in servers["anyOf"]} == {"array", "string"}


def test_written_values_are_read_as_they_were() -> None:
    assert Config.model_validate_json(smallest().model_dump_json(), strict=True) == smallest()


REFUSED = {"streams[].published[].limits.closeness[].distance"}
"""Choices of which only the default is taken."""


def choices(annotation: Any) -> Iterator[str]:
    """Yield the texts that a field may hold."""
    for inner in get_args(annotation):
        if get_origin(annotation) is Literal:
            yield inner
        else:
            yield from choices(inner)


def test_every_choice_is_named_where_it_is_described() -> None:
    chosen = [(path, field, choice) for path, field in options() for choice in choices(field.annotation)]
    assert len(chosen) > 40
    untold = {
        f"{path}: {choice}"
        for path, field, choice in chosen
        if not re.search(rf"\b{choice}\b", field.description or "") and choice != field.default
    }
    same_as_above = {f"streams[].copies[].when_unsure: {choice}" for choice in ("drop", "pass")}
    assert {one for one in untold if one.split(": ")[0] not in REFUSED} == same_as_above
