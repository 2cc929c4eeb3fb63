"""How to reach the brokers: addresses, encryption and credentials, the same for whoever reads or writes."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from kafka.net.sasl.oauth import AbstractTokenProvider

from streamqid.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

SecurityProtocol = Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]
SaslMechanism = Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"]

TOKEN_SECONDS = 30.0
"""How long a token is used before the next one is asked for."""


@dataclass(frozen=True, slots=True)
class Connection:
    """Addresses and credentials of a cluster; no secret of it appears in its repr.

    Parameters
    ----------
    token
        Returns a valid token for OAUTHBEARER.  Called on the client's own thread, which it must not hold up for
        long; what it returns is used for 30 seconds.
    ca_file
        Certificates that the brokers' are checked with; None takes those of the system.
    """

    bootstrap_servers: tuple[str, ...]
    client_id: str = "streamqid"
    security_protocol: SecurityProtocol = "PLAINTEXT"
    sasl_mechanism: SaslMechanism | None = None
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    token: Callable[[], str] | None = field(default=None, repr=False)
    ca_file: str | None = None
    certificate_file: str | None = None
    key_file: str | None = None
    key_password: str | None = field(default=None, repr=False)
    check_hostname: bool = True
    bootstrap_timeout_seconds: float = 10.0

    def __post_init__(self) -> None:
        if not self.bootstrap_servers:
            raise ConfigError("No broker is named: give at least one address as host:port.")
        if self.uses_sasl != (self.sasl_mechanism is not None):
            msg = (
                f"The security protocol {self.security_protocol} and the SASL mechanism {self.sasl_mechanism} "
                "contradict each other: name a mechanism exactly if the protocol begins with SASL."
            )
            raise ConfigError(msg)
        if self.sasl_mechanism == "OAUTHBEARER":
            if self.token is None:
                raise ConfigError("The SASL mechanism OAUTHBEARER needs a token: say where it comes from.")
        elif self.uses_sasl and (self.username is None or self.password is None):
            msg = f"The SASL mechanism {self.sasl_mechanism} needs a user name and a password: give both."
            raise ConfigError(msg)

    @property
    def uses_sasl(self) -> bool:
        """Whether the client says who it is by user name or token."""
        return self.security_protocol.startswith("SASL")

    @property
    def uses_tls(self) -> bool:
        """Whether the connection is encrypted."""
        return self.security_protocol.endswith("SSL")

    def settings(self) -> dict[str, Any]:
        """Return the settings that consumers, producers and admin clients of kafka-python have in common."""
        common: dict[str, Any] = {
            "bootstrap_servers": list(self.bootstrap_servers),
            "client_id": self.client_id,
            "security_protocol": self.security_protocol,
            "bootstrap_timeout_ms": int(self.bootstrap_timeout_seconds * 1000),
            # After an outage the brokers are asked again every second, not every thirty.
            "reconnect_backoff_max_ms": 1000,
        }
        if self.uses_tls:
            common |= {
                "ssl_check_hostname": self.check_hostname,
                "ssl_cafile": self.ca_file,
                "ssl_certfile": self.certificate_file,
                "ssl_keyfile": self.key_file,
                "ssl_password": self.key_password,
            }
        if self.token is not None and self.sasl_mechanism == "OAUTHBEARER":
            common |= {"sasl_mechanism": "OAUTHBEARER", "sasl_oauth_token_provider": _CachedToken(self.token)}
        elif self.uses_sasl:
            common |= {
                "sasl_mechanism": self.sasl_mechanism,
                "sasl_plain_username": self.username,
                "sasl_plain_password": self.password,
            }
        return common


class _CachedToken(AbstractTokenProvider):  # type: ignore[misc]  # kafka-python has no types
    """Asks for a token once for all connections of the next seconds."""

    def __init__(self, ask: Callable[[], str]) -> None:
        super().__init__()
        self._ask = ask
        self._lock = threading.Lock()
        self._token = ""
        self._good_until = float("-inf")

    def token(self) -> str:
        with self._lock:
            if time.monotonic() >= self._good_until:
                self._token = self._ask()
                self._good_until = time.monotonic() + TOKEN_SECONDS
            return self._token
