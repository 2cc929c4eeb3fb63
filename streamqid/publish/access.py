"""Who may ask the HTTP server, and from where."""

from __future__ import annotations

import hmac
import ipaddress
from dataclasses import dataclass, field

from streamqid.errors import ConfigError

LOOPBACK = "127.0.0.1"
DEFAULT_PORT = 8477


@dataclass(frozen=True, slots=True)
class Access:
    """Address, port (0 for any that is free) and token of the server.

    An address that other machines reach needs a token, or the word that nobody keeps them out.
    """

    address: str = LOOPBACK
    port: int = DEFAULT_PORT
    token: str | None = field(default=None, repr=False)
    insecure: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.port < 1 << 16:
            msg = f"The port {self.port} of the HTTP server does not exist: choose one below 65536."
            raise ConfigError(msg)
        if self.token is not None and (not self.token.strip() or not self.token.isascii()):
            msg = "The token of the HTTP server is empty or not ASCII: give one, for instance 32 random letters."
            raise ConfigError(msg)
        if not is_loopback(self.address) and self.token is None and not self.insecure:
            msg = (
                f"The HTTP server would answer everybody who reaches {self.address}: give it a token, listen on "
                f"{LOOPBACK}, or say insecure if that is meant."
            )
            raise ConfigError(msg)

    def trusts(self, authorization: str | None) -> bool:
        """Whether a request with this header may see everything; takes as long for any wrong token."""
        if self.token is None:
            return True
        scheme, _, given = (authorization or "").partition(" ")
        equal = hmac.compare_digest(given.strip().encode(), self.token.encode())
        return equal and scheme.lower() == "bearer"

    def serves(self, host: str | None) -> bool:
        """Whether this ``Host`` may be meant.

        A page in a browser on the same machine can point a name of its own at the loopback address and would then
        read what needs no token; the name gives it away.
        """
        if self.token is not None or not is_loopback(self.address) or host is None:
            return True
        name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
        return is_loopback(name.strip("[]"))


def is_loopback(address: str) -> bool:
    """Whether only this machine reaches the address."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address.lower() == "localhost"
