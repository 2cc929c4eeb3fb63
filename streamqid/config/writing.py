"""The configuration as YAML, every key with a comment."""

from __future__ import annotations

import json
import re
import textwrap
from typing import TYPE_CHECKING, Any

from streamqid.config.connection import KafkaConfig
from streamqid.config.document import scalar
from streamqid.config.root import Config
from streamqid.config.section import Section
from streamqid.config.stream import StreamConfig

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic.fields import FieldInfo

WIDTH = 110
HEAD = """\
# The reference: every option of streamqid run with its default, made from the program by
# 'streamqid config schema --as yaml'.  A file needs only kafka.bootstrap_servers and streams with name and topics.
# Lines that begin with # and no blank after it are examples.  Relative paths start at the working directory.
# Variables such as STREAMQID_KAFKA__CLIENT_ID come before the file; streams are set in the file only.
"""


def smallest() -> Config:
    """Return the configuration that sets no more than it must."""
    kafka = KafkaConfig(bootstrap_servers=("localhost:9092",))
    return Config(kafka=kafka, streams=(StreamConfig(name="people", topics=("people",)),))


def reference() -> str:
    """Return the reference: every option with its description and default."""
    return HEAD + Writer().text(smallest())


def yaml_value(value: Any) -> str:
    """Write a value on one line; texts are in quotes unless nothing else can be meant."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{yaml_value(key)}: {yaml_value(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(yaml_value, value)) + "]"
    if isinstance(value, str) and _is_plain(value):
        return value
    return json.dumps(value, ensure_ascii=True)


def _is_plain(text: str) -> bool:
    """Whether a text needs no quotes: it is a word or a path, and would not be read as anything else."""
    return re.fullmatch(r"[A-Za-z0-9_./][A-Za-z0-9_./-]*", text) is not None and scalar(text) == text


class Writer:
    """Writes a configuration with the description of each key above it, and its examples."""

    def text(self, config: Config) -> str:
        """Return the whole configuration."""
        return "\n".join(self._section(config, "", 0)) + "\n"

    def above(self, description: str) -> list[str]:
        """Return the lines of the comment above a key."""
        return textwrap.wrap(description, WIDTH)

    def beside(self, path: str, section: Section, name: str) -> str:
        """Return the comment beside a value."""
        return ""

    def value(self, path: str, value: Any) -> str:
        """Return a value as YAML."""
        return yaml_value(value)

    def examples(self, field: FieldInfo, name: str) -> Iterator[str]:
        """Yield what an empty list of sections, or a section that is null, could hold, put out of action."""
        for example in field.examples or []:
            yield f"#{name}:"
            lines = _Example().lines(example)
            yield from (f"#{line}" for line in (_item(lines, 0) if field.default == () else lines))

    def _section(self, section: Section, path: str, indent: int) -> Iterator[str]:
        values, margin = section.model_dump(mode="json"), " " * indent
        for name, field in type(section).model_fields.items():
            inner, value = f"{path}.{name}" if path else name, getattr(section, name)
            if not path:
                yield ""
            yield from (f"{margin}# {line}" for line in self.above(field.description or ""))
            if isinstance(value, Section):
                yield f"{margin}{name}:"
                yield from self._section(value, inner, indent + 2)
            elif isinstance(value, tuple) and value and isinstance(value[0], Section):
                yield f"{margin}{name}:"
                for j, item in enumerate(value):
                    yield from _item(self._section(item, f"{inner}[{j}]", indent + 4), indent)
            else:
                comment = self.beside(inner, section, name)
                yield f"{margin}{name}: {self.value(inner, values[name])}{f'  # {comment}' if comment else ''}"
                yield from (margin + line for line in self.examples(field, name))


class _Example(Writer):
    """Writes one section with the descriptions beside its values."""

    def lines(self, section: Section) -> Iterator[str]:
        return self._section(section, "-", 4)

    def above(self, description: str) -> list[str]:
        return []

    def beside(self, path: str, section: Section, name: str) -> str:
        return type(section).model_fields[name].description or ""


def _item(lines: Iterator[str], indent: int) -> Iterator[str]:
    """Put the dash of a list before the first line that is no comment."""
    dashed = False
    for line in lines:
        first = not dashed and not line.lstrip().startswith("#")
        dashed = dashed or first
        yield " " * (indent + 2) + "- " + line[indent + 4 :] if first else line
