from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamqid.config.document import MAX_BYTES, parse, read
from streamqid.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

LAUGHS = "a: &a [x, x]\n" + "".join(f"{n}: &{n} [*{p}, *{p}]\n" for p, n in zip("abcdefgh", "bcdefghi", strict=True))


def test_plain_values_are_what_they_look_like() -> None:
    text = b'n: 1_000\nsmall: 1e-3\nday: 2024-05-06\nyes: true\nnone: null\nlist: [a, "1"]\n'
    assert parse(text.replace(b"yes", b"'yes'"), "x") == {
        "n": 1000,
        "small": 0.001,
        "day": "2024-05-06",
        "yes": True,
        "none": None,
        "list": ["a", "1"],
    }


def test_an_empty_document_holds_no_keys() -> None:
    assert parse(b"# nothing\n", "x") == {}


def test_a_byte_order_mark_is_no_part_of_the_first_key() -> None:
    assert parse(b"\xef\xbb\xbfa: 1", "x") == {"a": 1}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: 1\na: 2", "a occurs twice, at lines 1 and 2: keep one of them."),
        ("s:\n  - k: 1\n    'k': 2", "s[0].k occurs twice, at lines 2 and 3: keep one of them."),
        (LAUGHS, "x.yaml has an anchor or alias (& or *) at line 1: write the value out, or put it in quotes."),
        ("a: *b", "x.yaml has an anchor or alias (& or *) at line 1: write the value out, or put it in quotes."),
        ("a: &b 1", "x.yaml has an anchor or alias (& or *) at line 1: write the value out, or put it in quotes."),
        ("<<: {a: 1}", "x.yaml has a key at line 1 that is no text: put it in quotes."),
        ("a:\n  1: x", "a has a key at line 2 that is no text: put it in quotes."),
        ("? [a]\n: 1", "x.yaml has a key at line 1 that is no text: put it in quotes."),
        ("a: !!python/object/apply:os.system [x]", "a has a tag (!) at line 1: write a plain value."),
        ("a: !!binary aGk=", "a has a tag (!) at line 1: write a plain value."),
        ("a: [1", "x.yaml is not valid YAML at line 1, column 6: check indentation, quotes and brackets there."),
        ("a: 1\n\tb: 2", "x.yaml is not valid YAML at line 2, column 1: check indentation, quotes and brackets there."),
        (
            "a: 1\n---\nb: 2",
            "x.yaml is not valid YAML at line 2, column 1: check indentation, quotes and brackets there.",
        ),
        ("a: \x00", "x.yaml is not valid YAML: it holds a character or a number that cannot be read."),
        ("a: " + "9" * 5000, "x.yaml is not valid YAML: it holds a character or a number that cannot be read."),
        ("[a]", "x.yaml must hold keys and values at its top level, such as 'kafka:'."),
        ("word", "x.yaml must hold keys and values at its top level, such as 'kafka:'."),
    ],
)
def test_a_doubtful_document_is_refused_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse(text.encode(), "x.yaml")
    assert str(refused.value) == sentence


def test_deep_nesting_is_refused_soon() -> None:
    begun = time.monotonic()
    with pytest.raises(ConfigError, match="nested more than 20 levels deep at line 1"):
        parse(b"a: " + b"[" * (MAX_BYTES - 10), "x.yaml")
    assert time.monotonic() - begun < 5


def test_bytes_that_are_not_utf_8_are_refused_with_their_line() -> None:
    with pytest.raises(ConfigError, match=r"x\.yaml is not valid UTF-8 at line 2"):
        parse(b"a: 1\nb: \xff", "x.yaml")


def test_a_file_of_more_than_a_mebibyte_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    path.write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(ConfigError, match="more than 1048576 bytes"):
        read(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.yaml cannot be read \(No such file or directory\)"):
        read(tmp_path / "absent.yaml")
    with pytest.raises(ConfigError, match="Is a directory"):
        read(tmp_path)


@given(st.binary(max_size=200) | st.text("ab:-[]{}&*!#'\" \n|>?%@", max_size=60).map(str.encode))
def test_any_bytes_give_a_mapping_or_one_sentence(data: bytes) -> None:
    try:
        assert isinstance(parse(data, "x.yaml"), dict)
    except ConfigError as refused:
        assert str(refused).endswith(".")  # noqa: PT017 (either outcome is right)
        assert "\n" not in str(refused)  # noqa: PT017
