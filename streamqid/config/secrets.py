"""Secrets: where they come from, and how they are read.

A secret stands in a file that only its owner may read, or in an environment variable, and never in the
configuration.  Messages name the key of the configuration and neither the secret nor the file or variable: what was
written there may be the secret itself, by mistake.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamqid.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from streamqid.config.root import Config

MAX_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class SecretSource:
    """Where one secret comes from: ``key`` is the path in the configuration, without _file or _env."""

    key: str
    file: Path | None = None
    variable: str | None = None

    def read(self, environ: Mapping[str, str] | None = None) -> str | None:
        """Return the secret, without the line end that an editor adds; None when none is configured."""
        if self.file is not None:
            return secret_text(self.file, f"{self.key}_file")
        if self.variable is None:
            return None
        found = (os.environ if environ is None else environ).get(self.variable)
        if not found:
            state = "not set" if found is None else "empty"
            msg = f"{self.key}_env names an environment variable that is {state}: set it, or give {self.key}_file."
            raise ConfigError(msg)
        return found


def sources(config: Config) -> Iterator[SecretSource]:
    """Yield every secret that the configuration may name, but for the key of the fingerprints."""
    sasl, tls, http = config.kafka.sasl, config.kafka.tls, config.http
    yield SecretSource("kafka.sasl.password", sasl.password_file, sasl.password_env)
    yield SecretSource("kafka.sasl.token", sasl.token_file)
    yield SecretSource("kafka.tls.key", tls.key_file)
    yield SecretSource("kafka.tls.key_password", tls.key_password_file, tls.key_password_env)
    yield SecretSource("http.token", http.token_file, http.token_env)
    yield SecretSource("publish.alerts.webhook.token", config.publish.alerts.webhook.token_file)


def source(config: Config, key: str) -> SecretSource:
    """Return where the secret of this key comes from."""
    return next(found for found in sources(config) if found.key == key)


def secret_text(path: Path, key: str) -> str:
    """Return the text of a file that only its owner may read, without the line end."""
    try:
        text = _private_bytes(path, key).decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        msg = f"The file that {key} names is not a text in UTF-8: write the secret as text."
        raise ConfigError(msg) from None
    if not text:
        msg = f"The file that {key} names is empty: write the secret into it."
        raise ConfigError(msg)
    return text


def others_rights(owner: int, user: int) -> int:
    """Return the rights that a secret must not give.

    A file of root's may be readable for the group: that is how an orchestrator gives it to a user who is not root, and
    who could not read it otherwise.
    """
    return 0o037 if owner == 0 and user != 0 else 0o077


def _private_bytes(path: Path, key: str) -> bytes:
    try:
        # Not blocking, since opening a pipe would wait for whoever writes to it.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "not a path"
        msg = f"The file that {key} names cannot be read ({why}): check its path and rights."
        raise ConfigError(msg) from None
    try:
        # Before it becomes a file object, which a directory cannot.
        _check_private(os.fstat(descriptor), key)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(MAX_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(data) > MAX_BYTES:
        msg = f"The file that {key} names has more than {MAX_BYTES} bytes: it cannot be meant."
        raise ConfigError(msg)
    return data


def _check_private(status: os.stat_result, key: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        msg = f"What {key} names is not a file: give the path of a file."
        raise ConfigError(msg)
    if status.st_mode & others_rights(status.st_uid, os.geteuid()):
        mode = stat.S_IMODE(status.st_mode)
        msg = f"The file that {key} names has mode {mode:04o}, so others may use it: set its mode to 0600."
        raise ConfigError(msg)
