"""The effective configuration for people: every value with its origin, and no secret."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from streamqid.config.writing import Writer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic.fields import FieldInfo

    from streamqid.config.loading import Loaded
    from streamqid.config.section import Section

_SECRET_FILE = re.compile(r"(password|token|tls\.key)_file$")
_KEY_DIGITS = re.compile(r"[0-9a-fA-F]{64}")


def shown(loaded: Loaded, environ: Mapping[str, str] | None = None) -> str:
    """Return the effective configuration as YAML; comments tell defaults, and variables that overrode the file.

    Of a secret it shows the file or the variable that holds it, and only if that is there: what was written in the
    wrong place may be the secret itself.
    """
    return _Origins(loaded, os.environ if environ is None else environ).text(loaded.config).lstrip("\n")


class _Origins(Writer):
    def __init__(self, loaded: Loaded, environ: Mapping[str, str]) -> None:
        self._variables = loaded.variables
        self._environ = environ

    def above(self, description: str) -> list[str]:
        return []

    def examples(self, field: FieldInfo, name: str) -> Iterator[str]:
        return iter(())

    def value(self, path: str, value: Any) -> str:
        return "null" if self._doubtful(path, value) else super().value(path, value)

    def beside(self, path: str, section: Section, name: str) -> str:
        if path in self._variables:
            origin = f"from {self._variables[path]}"
        else:
            origin = "" if name in section.model_fields_set else "default"
        value = getattr(section, name)
        if self._doubtful(path, value):
            return "not shown: there is no such variable" if path.endswith("_env") else "not shown: no such file"
        if value is not None and (path.endswith("_env") or _SECRET_FILE.search(path)):
            return f"{origin}; the secret is not shown".removeprefix("; ")
        return origin

    def _doubtful(self, path: str, value: Any) -> bool:
        """Whether a value that should tell where a secret is leads nowhere, and could be the secret itself."""
        if value is None:
            return False
        if path.endswith("_env"):
            return value not in self._environ
        if path == "key.file":
            return _KEY_DIGITS.fullmatch(str(value)) is not None
        return _SECRET_FILE.search(path) is not None and not os.path.lexists(value)
