"""The documentation and the schema of the configuration, made from the models."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from streamqid.config.environment import variable_of
from streamqid.config.root import Config
from streamqid.config.section import Section
from streamqid.config.writing import smallest, yaml_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic.fields import FieldInfo

INTRODUCTION = """\
# Configuration

<!-- Made from the program by `streamqid config schema --as markdown`; do not edit. -->

`streamqid run --config FILE` reads one YAML file. The smallest one names a broker and a stream:

```yaml
kafka:
  bootstrap_servers: localhost:9092
streams:
  - name: people
    topics: [people]
```

- `streamqid config check FILE` says whether a file can be used, and the memory that each stream will take.
- `streamqid config show FILE` prints every value with its origin. Secrets are not shown.
- `streamqid config schema` prints a JSON Schema for editors; with `--as yaml` a file with every option and its default
  ([reference.yaml](../config/reference.yaml)). [Examples](../config/examples) show common cases.

Environment variables come before the file, and the file before the defaults. The variable of `kafka.client_id` is
`STREAMQID_KAFKA__CLIENT_ID`: two underscores step into a section. A variable holds a single YAML value; lists of names
are written with commas. Streams are set in the file only.

A key that is not known, a value out of range and a contradiction each end the program with exit code 2 and one sentence
that names the key. Anchors, aliases, tags and keys that occur twice are refused.

Durations have a unit (`250ms`, `30s`, `5m`, `1h`, `7d`). Sizes are bytes or have a unit (`64MiB`, `2GB`).
Relative paths start at the working directory.

Secrets stand in a file (`*_file`) that only its owner may read (mode 0600 or 0400), or in an environment variable that
`*_env` names, and never in the configuration.
"""


def markdown() -> str:
    """Return docs/configuration.md."""
    return INTRODUCTION + "".join(_chapter(Config, "", smallest()))


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a configuration file."""
    document = Config.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **document}


def options(model: type[Section] = Config, path: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Yield the path of every option that is no section, with its field; ``[]`` stands for an item of a list."""
    for name, field in model.model_fields.items():
        inner, section = f"{path}.{name}" if path else name, _section_of(field.annotation)
        if section is None:
            yield inner, field
        else:
            yield from options(section, f"{inner}[]" if _is_list(field) else inner)


def _chapter(model: type[Section], path: str, section: Section | None) -> Iterator[str]:
    """Yield the heading and table of a section, then those of the sections in it."""
    plain = {name: field for name, field in model.model_fields.items() if _section_of(field.annotation) is None}
    if path:
        yield f"\n## `{path}`\n\n{inspect.getdoc(model)}\n"
    if plain:
        yield "\n| Key | Default | Meaning |\n| --- | --- | --- |\n"
        values = section.model_dump(mode="json") if section is not None else {}
        for name, field in plain.items():
            default = "*required*" if field.is_required() else f"`{yaml_value(_default(field, values.get(name)))}`"
            yield f"| `{name}` | {default} | {_escaped(field.description or '')} |\n"
        if "[]" not in path:
            yield f"\nVariables: `{variable_of(f'{path}.{next(iter(plain))}')}` and so on.\n"
    for name, field in model.model_fields.items():
        inner = _section_of(field.annotation)
        if inner is not None:
            value = getattr(section, name, None)
            # A section that is null has the defaults of its example.
            value = field.examples[0] if value is None and field.examples else value
            value = value[0] if isinstance(value, tuple) and value else value
            where = f"{path}.{name}".removeprefix(".") + ("[]" if _is_list(field) else "")
            yield from _chapter(inner, where, value if isinstance(value, Section) else None)


def _default(field: FieldInfo, value: Any) -> Any:
    """Return the default as it is written; a value that the smallest file must give is none."""
    return [] if field.default == () else field.default if value is None else value


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _is_list(field: FieldInfo) -> bool:
    return get_origin(field.annotation) is tuple


def _section_of(annotation: Any) -> type[Section] | None:
    """Return the section that an annotation mentions."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation
    if get_origin(annotation) is Literal:
        return None
    return next((found for found in map(_section_of, get_args(annotation)) if found is not None), None)
