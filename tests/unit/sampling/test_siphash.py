"""The digest of the fingerprints is SipHash-2-4, by its published vectors and by its paper."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from siphash24 import siphash24

from streamqid.records import ABSENT
from streamqid.sampling.fingerprint import MISSING, Encoder, canonical
from streamqid.sampling.secret import Secret

KEY = bytes(range(16))
PUBLISHED = {
    0: 0x726FDB47DD0E0E31,
    1: 0x74F839C593DC67FD,
    7: 0xAB0200F58B01D137,
    8: 0x93F5F5799A932462,
    15: 0xA129CA6149BE45E5,
    63: 0x958A324CEB064572,
}
"""Digests of the bytes 00, 01, … of these lengths, from vectors.h of the reference implementation."""

VALUES = (
    st.none() | st.just(ABSENT) | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.binary()
)


def oracle(key: bytes, data: bytes) -> int:
    """SipHash-2-4 as its paper writes it."""
    k0, k1 = (int.from_bytes(key[i : i + 8], "little") for i in (0, 8))
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    def left(x: int, b: int) -> int:
        return (x << b | x >> (64 - b)) % 2**64

    def rounds(count: int) -> None:
        for _ in range(count):
            v[0] = (v[0] + v[1]) % 2**64
            v[2] = (v[2] + v[3]) % 2**64
            v[1], v[3] = left(v[1], 13) ^ v[0], left(v[3], 16) ^ v[2]
            v[0] = left(v[0], 32)
            v[2] = (v[2] + v[1]) % 2**64
            v[0] = (v[0] + v[3]) % 2**64
            v[1], v[3] = left(v[1], 17) ^ v[2], left(v[3], 21) ^ v[0]
            v[2] = left(v[2], 32)

    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) % 256])
    for i in range(0, len(padded), 8):
        word = int.from_bytes(padded[i : i + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


@pytest.mark.parametrize(("length", "digest"), PUBLISHED.items())
def test_the_published_vectors_hold(length: int, digest: int) -> None:
    data = bytes(range(length))
    assert oracle(KEY, data) == digest
    assert int.from_bytes(siphash24(data, key=KEY).digest(), "little") == digest


@given(VALUES, st.text(st.characters(codec="utf-8"), max_size=5))
def test_a_fingerprint_is_siphash_of_tag_and_bytes_under_the_key_of_the_column(value: object, column: str) -> None:
    secret = Secret.from_seed(1)
    expected = MISSING if value is ABSENT else oracle(secret.column_key(column), canonical(value))
    assert Encoder(secret).encode([column], [[value]], 1).tolist() == [[expected]]
