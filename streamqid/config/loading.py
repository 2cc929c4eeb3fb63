"""From a file and the environment to the configuration."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from streamqid.config.document import read
from streamqid.config.environment import applied, overrides
from streamqid.config.mistakes import config_error
from streamqid.config.root import Config
from streamqid.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Loaded:
    """A configuration, and the variables that overrode keys of its file."""

    config: Config
    variables: Mapping[str, str]
    """The variable behind the path of each key that was not taken from the file."""


def load(path: Path, environ: Mapping[str, str] | None = None) -> Loaded:
    """Read a configuration; the environment comes before the file, and the file before the defaults.

    Raises a ConfigError with one sentence for the first mistake.  Secrets are not read here (see ``secrets``).
    """
    environ = os.environ if environ is None else environ
    variables = overrides(environ)
    return Loaded(validated(applied(read(path), environ), variables), variables)


def validated(values: dict[str, Any], variables: Mapping[str, str] | None = None) -> Config:
    """Return the configuration that plain values stand for, or raise a ConfigError."""
    try:
        text = json.dumps(values)
    except ValueError:
        raise ConfigError("The configuration holds a number that is too long to be meant.") from None
    try:
        # As JSON, because strict validation then still takes lists for tuples and texts for paths.
        return Config.model_validate_json(text, strict=True)
    except ValidationError as error:
        raise config_error(error, Config, variables or {}) from None
