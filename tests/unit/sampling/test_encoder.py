"""From decoded values to fingerprints: columns, missing values, and the cache in between."""

from __future__ import annotations

import math

import numpy as np
import pytest

from streamqid.records import ABSENT
from streamqid.sampling import fingerprint
from streamqid.sampling.fingerprint import MISSING, Encoder, MissingRule
from streamqid.sampling.secret import Secret

SECRET = Secret.from_seed(1)


def one(value: object, rule: MissingRule = MissingRule.VALUE, column: str = "a") -> int:
    return int(Encoder(SECRET, rule, ("?",)).encode([column], [[value]], 1)[0, 0])


def test_equal_values_in_different_columns_have_different_fingerprints() -> None:
    assert one("x", column="a") != one("x", column="b")


def test_equal_values_under_different_secrets_have_different_fingerprints() -> None:
    assert one("x") != int(Encoder(Secret.from_seed(2)).encode(["a"], [["x"]], 1)[0, 0])


def test_values_that_python_calls_equal_stay_apart_within_one_batch() -> None:
    values: list[object] = [1, 1.0, True, "1", b"1", None, ABSENT, 0, False, 0.0, -0.0]
    together = Encoder(SECRET).encode(["a"], [values], len(values))[:, 0].tolist()
    assert together == [one(value) for value in values]
    assert len(set(together)) == len(values) - 1  # 0.0 is -0.0


@pytest.mark.parametrize("rule", [MissingRule.EQUAL, MissingRule.DISTINCT])
def test_what_counts_as_missing_is_known_by_its_hashes(rule: MissingRule) -> None:
    hashes = Encoder(SECRET, rule, ("?",)).hashes_of_missing("a")
    assert {one(value) for value in (None, math.nan, "", "?")} <= set(hashes)
    assert MISSING not in hashes
    assert one("x") not in hashes


def test_under_the_rule_value_only_an_absent_field_is_missing() -> None:
    values: list[object] = [ABSENT, None, math.nan, "", "?"]
    assert [one(value) == MISSING for value in values] == [True, False, False, False, False]
    assert len({one(value) for value in values}) == len(values)


@pytest.mark.parametrize("rule", [MissingRule.EQUAL, MissingRule.DISTINCT])
def test_under_the_other_rules_null_nan_empty_text_and_markers_are_missing(rule: MissingRule) -> None:
    missing: list[object] = [ABSENT, None, math.nan, np.float32(math.nan), "", "?"]
    present: list[object] = [0, False, 0.0, " ", "NA", b"", [], b"?"]
    assert [one(value, rule) for value in missing] == [MISSING] * len(missing)
    assert MISSING not in [one(value, rule) for value in present]


def test_a_digest_of_zero_is_moved_aside_for_the_missing_value(monkeypatch: pytest.MonkeyPatch) -> None:
    class Zero:
        def __init__(self, data: bytes, key: bytes) -> None: ...
        def intdigest(self) -> int:
            return 0

    monkeypatch.setattr(fingerprint, "siphash24", Zero)
    assert one("x") == one(1) == 1


def test_texts_alone_and_among_other_values_have_the_same_fingerprints() -> None:
    texts: list[object] = ["x", "", "?", "\udc80", "x", "zoë"]
    for rule in MissingRule:
        encoder = Encoder(SECRET, rule, ("?",))
        alone = encoder.encode(["a"], [texts], len(texts))[:, 0].tolist()
        assert alone == Encoder(SECRET, rule, ("?",)).encode(["a"], [[*texts, 1]], len(texts) + 1)[:-1, 0].tolist()


def test_a_full_cache_does_not_change_what_is_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[object] = [str(i % 30) for i in range(50)]
    plain = Encoder(SECRET).encode(["a"], [texts], 50)
    monkeypatch.setattr(fingerprint, "CACHE_VALUES", 8)
    small = Encoder(SECRET)
    parts = [small.encode(["a"], [texts[s : s + 5]], 5) for s in range(0, 50, 5)]
    assert np.array_equal(np.concatenate(parts), plain)


def test_long_values_are_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = Encoder(SECRET)
    column: list[object] = ["x" * 65, "x" * 64, "x" * 65, 1 << 512, 1 << 511]
    for values in (column[:3], column[3:], column):
        found = encoder.encode(["a"], [values], len(values))[:, 0].tolist()
        assert found == [one(value) for value in values]
    # The short text is remembered among texts, and again among the integers that it came with.
    assert encoder._columns["a"].remembered == 3  # noqa: SLF001
    monkeypatch.setattr(fingerprint, "CACHE_TOTAL", 1)
    assert encoder.encode(["a"], [["y"]], 1)[0, 0] == one("y")
    assert not encoder._columns  # noqa: SLF001


def test_numbers_that_were_seen_stay_apart_from_their_equals_and_pieces_from_nothing() -> None:
    pieces: list[list[object]] = [[1, 2, 1], [2, 1, 1], [True, True, True], [1.0, 2.0, 1.0], [1, True, "x"]]
    found = Encoder(SECRET).encode_pieces(["a"], ([piece] for piece in pieces), 15)[:, 0].tolist()
    assert found == [one(value) for piece in pieces for value in piece]
    assert len(set(found)) == 6


def test_no_rows_and_no_columns_give_empty_fingerprints() -> None:
    assert Encoder(SECRET).encode(["a", "b"], [[], []], 0).shape == (0, 2)
    assert Encoder(SECRET).encode([], [], 3).shape == (3, 0)


def test_made_up_column_names_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprint, "CACHE_COLUMNS", 2)
    encoder, columns = Encoder(Secret.from_seed(1)), ["a", "b", "c", "a"]
    found = encoder.encode(columns, [["x"]] * 4, 1)
    assert found[0, 0] == found[0, 3]
    assert len(set(found[0].tolist())) == 3
    assert len(encoder._columns) <= 2  # noqa: SLF001 - what is remembered shows nowhere else
