"""Every key is derived from the secret under its own label; the secret itself is never shown."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pytest

from streamqid.records import Origin
from streamqid.sampling.secret import Secret, origin_id

if TYPE_CHECKING:
    from collections.abc import Callable

SECRET = Secret(bytes(range(32)))


def derived(label: bytes, text: str, size: int) -> bytes:
    return hashlib.blake2b(text.encode(), key=SECRET.raw, digest_size=size, person=label).digest()


def test_the_keys_are_blake2b_under_the_secret_with_one_label_for_each_purpose() -> None:
    assert SECRET.column_key("age") == derived(b"streamqid.column", "age", 16)
    assert SECRET.priority_key("A", Origin("t", 3)).to_bytes(8, "little") == derived(b"streamqid.prio", "A/3/t", 8)
    assert SECRET.draw_key("pairs A").to_bytes(8, "little") == derived(b"streamqid.draw", "pairs A", 8)
    assert SECRET.key_id == derived(b"streamqid.id", "", 8).hex()


@pytest.mark.parametrize(
    "key",
    [
        lambda s, x: s.column_key(x),
        lambda s, x: s.draw_key(x),
        lambda s, x: s.priority_key("A", Origin(x)),
        lambda s, x: s.priority_key(x, Origin("t")),
    ],
)
def test_keys_differ_by_text_and_by_secret(key: Callable[[Secret, str], object]) -> None:
    seen = {key(Secret.from_seed(seed), text) for seed in range(10) for text in ("", "a", "b", "ä")}
    assert len(seen) == 40


def test_origins_differ_by_name_and_partition_and_so_do_their_priorities() -> None:
    origins = [Origin("t", 0), Origin("t", 1), Origin("u", 0), Origin("0/t", 0), Origin("", 0)]
    assert len({origin_id(origin) for origin in origins}) == len(origins)
    assert len({SECRET.priority_key("A", origin) for origin in origins}) == len(origins)


def test_a_secret_made_from_a_seed_can_be_repeated_and_differs_from_seed_to_seed() -> None:
    assert Secret.from_seed(7) == Secret.from_seed(7)
    assert len({Secret.from_seed(seed).raw for seed in range(-5, 50)}) == 55


def test_the_secret_is_not_shown() -> None:
    secret = Secret(b"do-not-show-me-" + bytes(17))
    shown = repr(secret) + str(secret) + json.dumps(secret.key_id)
    assert "do-not-show-me" not in shown
    assert secret.raw.hex()[:16] not in shown


@pytest.mark.parametrize("size", [0, 16, 31, 33, 64])
def test_a_secret_of_another_length_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"a secret has 32 bytes, not {size}"):
        Secret(bytes(size))
