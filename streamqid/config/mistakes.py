"""From what the models refuse to one sentence that names the key and quotes no text."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel

from streamqid.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

SECRETS = ("password", "token", "key_password")
_SENTENCES = {
    "missing": "is missing: it must be given",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "string_type": "must be a text: put it in quotes",
    "string_too_short": "must not be empty",
    "string_too_long": "is too long: at most {max_length} characters",
    "string_pattern_mismatch": "is not written as it must be",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "tuple_type": "must be a list",
    "dict_type": "must hold keys and values",
    "model_type": "must hold keys and values",
    "model_attributes_type": "must hold keys and values",
    "path_type": "must be a path",
    "too_short": "must not be empty",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
}
_PATTERNS = {
    "bootstrap_servers": "must be host:port",
    "topics": "is not the name of a topic: letters, digits, dots, dashes and underscores",
    "topic": "is not the name of a topic: letters, digits, dots, dashes and underscores",
    "name": "must begin with a letter or digit and hold letters, digits, dots, dashes and underscores only",
    "url": "must be an address such as http://host/path, without user and password: give token_file",
}
_VARIABLE = "must be the name of an environment variable"


def path_of(location: tuple[int | str, ...]) -> str:
    """Write where a value stands.

    >>> path_of(("streams", 0, "windows", "width"))
    'streams[0].windows.width'
    """
    path = ""
    for step in location:
        path += f"[{step}]" if isinstance(step, int) else f".{step}"
    return path.removeprefix(".")


def config_error(error: ValidationError, model: type[BaseModel], variables: Mapping[str, str]) -> ConfigError:
    """Return the error to raise for the first thing that is wrong; a misspelt key comes before a missing one."""
    first = min(error.errors(include_url=False), key=lambda one: one["type"] != "extra_forbidden")
    path, sentence = _told(first, model)
    variable = next((name for key, name in variables.items() if path == key or path.startswith(f"{key}[")), None)
    told = f" (set by {variable})" if variable else ""
    end = "?" if "did you mean" in sentence else "."
    return ConfigError(f"{path}{told} {sentence.removesuffix('?')}{end}")


def _told(error: ErrorDetails, model: type[BaseModel]) -> tuple[str, str]:
    location, kind, context = error["loc"], error["type"], error.get("ctx", {})
    # A key of a mapping that is refused itself is marked so.
    location = location[:-1] if location and location[-1] == "[key]" else location
    path = path_of(location)
    if kind == "mistake":
        inner = context.get("key", "")
        return (f"{path}.{inner}" if path and inner else path or inner), context["sentence"]
    if kind == "extra_forbidden":
        return path, _unknown(str(location[-1]), _model_at(model, location[:-1]))
    if kind == "string_pattern_mismatch":
        key = next((str(step) for step in reversed(location) if isinstance(step, str)), "")
        return path, _VARIABLE if key.endswith("_env") else _PATTERNS.get(key, _SENTENCES[kind])
    sentence = _SENTENCES.get(kind, "is not allowed here").format(
        **{key: _number(value) for key, value in context.items()}
    )
    got = error.get("input")
    if kind.startswith(("greater", "less")) and isinstance(got, int | float):
        return path, f"{sentence}, not {_number(got)}"
    return path, sentence


def _number(value: Any) -> Any:
    return f"{value:g}" if isinstance(value, float) else value


def _unknown(key: str, model: type[BaseModel] | None) -> str:
    known = list(model.model_fields) if model is not None else []
    if key in SECRETS and f"{key}_file" in known:
        either = f"{key}_file or {key}_env" if f"{key}_env" in known else f"{key}_file"
        return f"must not stand in the file: give {either} instead"
    near = difflib.get_close_matches(key, known, n=1)
    return f"is not known: did you mean {near[0]}" if near else f"is not known: the keys here are {', '.join(known)}"


def _model_at(model: type[BaseModel], location: tuple[int | str, ...]) -> type[BaseModel] | None:
    """Return the model of the section that stands at a location."""
    found: type[BaseModel] | None = model
    for step in location:
        if found is None or isinstance(step, int):
            continue
        field = found.model_fields.get(step)
        found = next(_models(field.annotation), None) if field is not None else None
    return found


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models that an annotation mentions."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models(argument)
