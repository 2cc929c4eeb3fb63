"""The file with the key of the fingerprints: 64 hexadecimal digits, for its owner only."""

from __future__ import annotations

import contextlib
import os
import secrets
from typing import TYPE_CHECKING

from streamqid.config.secrets import secret_text
from streamqid.errors import ConfigError
from streamqid.sampling.secret import SECRET_BYTES, Secret

if TYPE_CHECKING:
    from pathlib import Path

    from streamqid.config.service import KeyConfig


def read_key(config: KeyConfig) -> Secret | None:
    """Return the secret of the file; None when there is no file and one may be created."""
    if config.create and not os.path.lexists(config.file):
        return None
    text = secret_text(config.file, "key.file")
    try:
        raw = bytes.fromhex(text)
    except ValueError:
        raw = b""
    if len(raw) != SECRET_BYTES or len(text) != 2 * SECRET_BYTES:
        msg = (
            f"The file that key.file names does not hold {2 * SECRET_BYTES} hexadecimal digits on one line: restore "
            "it from a backup, or make a new one for a new state (openssl rand -hex 32)."
        )
        raise ConfigError(msg)
    return Secret(raw)


def open_key(config: KeyConfig) -> Secret:
    """Return the secret of the file, which is created first if it does not exist and ``create`` allows it.

    When it returns, the file survives a power failure.  Of several processes that create it at once all get the
    same secret.
    """
    found = read_key(config)
    if found is None:
        try:
            _create(config.file)
        except OSError as error:
            msg = f"The file that key.file names cannot be created ({error.strerror}): check its path and rights."
            raise ConfigError(msg) from None
        found = read_key(config)
    if found is None:
        raise ConfigError("The file that key.file names vanished while it was read: leave it in its place.")
    return found


def _create(path: Path) -> None:
    """Write a new key beside its place and link it there, so that nobody ever sees half of it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_hex(SECRET_BYTES).encode() + b"\n")
            file.flush()
            os.fsync(descriptor)
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink()
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
