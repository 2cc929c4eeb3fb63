"""From the bytes of a YAML file to plain values.

Refused are: more than 1 MiB, anchors and aliases (a few lines can stand for gigabytes), deep nesting, keys that
occur twice, tags, and all but one document.  No message quotes the file: a secret may stand in it by mistake.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml

from streamqid.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

MAX_BYTES = 1 << 20
MAX_DEPTH = 20
_PLAIN = {f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null", "map", "seq")}
_FLOAT, _TIMESTAMP = "tag:yaml.org,2002:float", "tag:yaml.org,2002:timestamp"


class _Loader(yaml.SafeLoader):
    """Safe, and without surprises: a date stays a text, and 1e-3 is a number."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != _TIMESTAMP]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(_FLOAT, re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+"), list("-+0123456789"))


def read(path: Path) -> dict[str, Any]:
    """Return what a file says, or raise a ConfigError that names the file and the line."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        msg = f"The configuration {path} cannot be read ({error.strerror}): check its path and rights."
        raise ConfigError(msg) from None
    if len(data) > MAX_BYTES:
        msg = f"The configuration {path} has more than {MAX_BYTES} bytes: it cannot be meant."
        raise ConfigError(msg)
    return parse(data, path.name)


def parse(data: bytes, name: str) -> dict[str, Any]:
    """Return the mapping that a YAML document holds; an empty document is an empty mapping."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        msg = f"{name} is not valid UTF-8 at line {line}: save it as UTF-8."
        raise ConfigError(msg) from None
    try:
        _check_events(text, name)
        found = _value(_Loader(text), name)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        msg = f"{name} is not valid YAML{where}: check indentation, quotes and brackets there."
        raise ConfigError(msg) from None
    except (yaml.YAMLError, ValueError) as error:
        if isinstance(error, ConfigError):
            raise
        msg = f"{name} is not valid YAML: it holds a character or a number that cannot be read."
        raise ConfigError(msg) from None
    if not isinstance(found, dict):
        msg = f"{name} must hold keys and values at its top level, such as 'kafka:'."
        raise ConfigError(msg)
    return found


def scalar(text: str) -> Any:
    """Return the single value that a text stands for, or raise a ValueError."""
    try:
        node = _Loader(text).get_single_node()
        if node is None:
            return None
        if not isinstance(node, yaml.ScalarNode) or node.tag not in _PLAIN:
            raise ValueError
        return _Loader(text).get_single_data()
    except (yaml.YAMLError, RecursionError):
        raise ValueError from None


def _check_events(text: str, name: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            msg = f"{name} has an anchor or alias (& or *) at line {line}: write the value out, or put it in quotes."
            raise ConfigError(msg)
        if depth > MAX_DEPTH:
            msg = f"{name} is nested more than {MAX_DEPTH} levels deep at line {line}: it cannot be meant."
            raise ConfigError(msg)


def _value(loader: _Loader, name: str) -> Any:
    node = loader.get_single_node()
    if node is None:
        return {}
    _check_node(node, "", name)
    return loader.construct_document(node)


def _check_node(node: yaml.Node, path: str, name: str) -> None:
    line = node.start_mark.line + 1
    if node.tag not in _PLAIN:
        msg = f"{path or name} has a tag (!) at line {line}: write a plain value."
        raise ConfigError(msg)
    if isinstance(node, yaml.SequenceNode):
        for j, item in enumerate(node.value):
            _check_node(item, f"{path}[{j}]", name)
    elif isinstance(node, yaml.MappingNode):
        seen: dict[str, int] = {}
        for key, value in node.value:
            at = key.start_mark.line + 1
            if key.tag != "tag:yaml.org,2002:str":
                msg = f"{path or name} has a key at line {at} that is no text: put it in quotes."
                raise ConfigError(msg)
            inner = f"{path}.{key.value}" if path else key.value
            if key.value in seen:
                msg = f"{inner} occurs twice, at lines {seen[key.value]} and {at}: keep one of them."
                raise ConfigError(msg)
            seen[key.value] = at
            _check_node(value, inner, name)
