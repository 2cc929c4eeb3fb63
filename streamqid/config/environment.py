"""Environment variables that override the file: STREAMQID_KAFKA__CLIENT_ID stands for kafka.client_id.

Two underscores step into a section, so a variable has at least one such pair; STREAMQID_DEBUG and the like are none
of the configuration.  Streams are set in the file only.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from streamqid.config.document import scalar
from streamqid.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX = "STREAMQID_"
STEP = "__"


def variable_of(path: str) -> str:
    """Return the variable that overrides a key.

    >>> variable_of("kafka.client_id")
    'STREAMQID_KAFKA__CLIENT_ID'
    """
    return PREFIX + path.replace(".", STEP).upper()


def overrides(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the path of each key that a variable overrides, and the variable."""
    found = {}
    for variable in sorted(environ):
        rest = variable.removeprefix(PREFIX)
        if rest == variable or STEP not in rest:
            continue
        path = rest.lower().replace(STEP, ".")
        if path.split(".")[0] == "streams":
            msg = f"{variable} cannot be used: streams are set in the file only."
            raise ConfigError(msg)
        found[path] = variable
    return found


def applied(values: dict[str, Any], environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of a file with those of the environment in their place."""
    values = copy.deepcopy(values)
    for path, variable in overrides(environ).items():
        *sections, key = path.split(".")
        inner = values
        for section in sections:
            if inner.get(section) is None:
                inner[section] = {}
            inner = inner[section]
            if not isinstance(inner, dict):
                msg = f"{variable} cannot be used: {section} is not a section in the file."
                raise ConfigError(msg)
        try:
            inner[key] = scalar(environ[variable])
        except ValueError:
            msg = f"{variable} must hold a single value for {path}: put a text with special characters in quotes."
            raise ConfigError(msg) from None
    return values
