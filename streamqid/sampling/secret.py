"""The secret from which every key of streamqid is derived."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamqid.records import Origin

SECRET_BYTES = 32


@dataclass(frozen=True, slots=True)
class Secret:
    """32 secret bytes.  Whoever holds them can test guesses against fingerprints, so they are never shown.

    Keys for different purposes are derived with BLAKE2b under different labels, so no key tells
    anything about another one.
    """

    raw: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.raw) != SECRET_BYTES:
            msg = f"a secret has {SECRET_BYTES} bytes, not {len(self.raw)}"
            raise ValueError(msg)

    @classmethod
    def from_seed(cls, seed: int) -> Secret:
        """Derive a secret from a number, for answers that another person must be able to repeat."""
        digest = hashlib.blake2b(str(seed).encode(), digest_size=SECRET_BYTES, person=b"streamqid.seed")
        return cls(digest.digest())

    def _derive(self, label: bytes, text: str, size: int) -> bytes:
        return hashlib.blake2b(
            text.encode("utf-8", "surrogatepass"), key=self.raw, digest_size=size, person=label
        ).digest()

    @property
    def key_id(self) -> str:
        """Name of this secret, safe to show: two samples belong together when it is the same."""
        return self._derive(b"streamqid.id", "", 8).hex()

    def column_key(self, column: str) -> bytes:
        """128-bit SipHash key of one column, so that equal values in different columns differ."""
        return self._derive(b"streamqid.column", column, 16)

    def column_rank(self, column: str) -> int:
        """64-bit place of a column name where only some names can be kept."""
        return int.from_bytes(self._derive(b"streamqid.rank", column, 8), "little")

    def priority_key(self, sample: str, origin: Origin) -> int:
        """64-bit start of the priority sequence of one origin in one sample."""
        return int.from_bytes(self._derive(b"streamqid.prio", f"{sample}/{origin.partition}/{origin.log}", 8), "little")

    def draw_key(self, purpose: str) -> int:
        """64-bit start of a sequence of random draws made while solving."""
        return int.from_bytes(self._derive(b"streamqid.draw", purpose, 8), "little")


def origin_id(origin: Origin) -> int:
    """64-bit name of an origin, public and stable, stored beside each offset instead of the name itself."""
    text = f"{origin.partition}/{origin.log}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8, person=b"streamqid.origin").digest(), "little")
