"""What can be said about a valid configuration before the service starts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from streamqid.config.keyfile import read_key
from streamqid.config.secrets import sources
from streamqid.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamqid.config.root import Config
    from streamqid.config.stream import StreamConfig


def check_secrets(config: Config, environ: Mapping[str, str] | None = None) -> None:
    """Raise a ConfigError unless every secret is there and readable by its owner only; creates nothing.

    Certificates are no secrets, and need to be readable only.
    """
    read_key(config.key)
    for secret in sources(config):
        secret.read(environ)
    tls = config.kafka.tls
    for key, path in (("ca_file", tls.ca_file), ("certificate_file", tls.certificate_file)):
        if path is not None and not (os.access(path, os.R_OK) and path.is_file()):
            raise ConfigError(f"What kafka.tls.{key} names is not a file that can be read: check its path and rights.")


def hints(config: Config) -> Iterator[str]:
    """Yield sentences on what is allowed and perhaps not meant."""
    if config.kafka.security_protocol == "SASL_PLAINTEXT" and config.kafka.sasl.mechanism in ("PLAIN", "OAUTHBEARER"):
        yield "kafka.security_protocol is SASL_PLAINTEXT: the password or token crosses the network unprotected."
    if config.kafka.security_protocol.endswith("SSL") and not config.kafka.tls.check_hostname:
        yield "kafka.tls.check_hostname is false: whoever has a valid certificate can pose as a broker."
    if not config.http.local and config.http.insecure:
        yield "http.insecure is true: other machines may read recommendations without a token."
    if config.publish.topic is None and config.publish.file is None and not config.publish.stdout:
        yield "publish names no output: recommendations are served over HTTP only."
    for j, stream in enumerate(config.streams):
        yield from (f"streams[{j}].{hint}" for hint in _stream_hints(stream))


def _stream_hints(stream: StreamConfig) -> Iterator[str]:
    sizes, key = stream.sizes, stream.problems.key
    if sizes.capacity.floor < sizes.wanted:
        held = f"holds {sizes.capacity.floor:,} rows, not the {sizes.wanted:,} wanted"
        yield f"sampling.memory {held}: answers will promise less."
    if key is not None and stream.sampling.rows is None and key.epsilon < stream.sampling.epsilon:
        numbers = f"{key.epsilon:g} is smaller than sampling.epsilon {stream.sampling.epsilon:g}"
        yield f"problems.key.epsilon {numbers}: the sample may be too small for it."
    if stream.missing.markers and stream.missing.rule == "value":
        yield "missing.markers has no effect on which values are equal, since missing.rule is value."
    if stream.windows.ahead is None:
        yield "windows.ahead is null: one record with a time in the far future closes all panes before it."
    if not stream.published and stream.windows != type(stream.windows)():
        yield "windows is set, but no published set is judged in them."
