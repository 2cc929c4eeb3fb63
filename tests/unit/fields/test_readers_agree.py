"""Every reader gives the bits and the reasons of the definition, on records with everything that can go wrong."""

from __future__ import annotations

import functools
import json
import logging
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamqid.broker.formats import Format
from streamqid.fields.compiled import CompiledReader
from streamqid.fields.general import GeneralReader
from streamqid.fields.lines import WIDEST_GAP, as_lines
from streamqid.fields.plain import PIECE_LINES, PlainReader
from streamqid.fields.reading import REASONS, Spans, spans_of
from streamqid.fields.selfcheck import agrees
from streamqid.fields.wanted import Wanted
from streamqid.records import ABSENT, Reason
from streamqid.sampling.fingerprint import MISSING, Encoder, MissingRule
from streamqid.sampling.secret import Secret
from tests.unit.fields.values import Writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    import msgspec

    from streamqid.fields.reading import FieldReader, Read

SECRET = Secret.from_seed(3)
COLUMNS = ("a", "a.b", "a.b.c", "b", "zip", "é", 'q"', "x.", "t\tb", "never")
FORMATS = {
    "plain": Format(),
    "at a path": Format(row_path="payload.after"),
    "shallow": Format(max_depth=2),
    "narrow": Format(max_fields=3),
    "short": Format(max_bytes=60),
}
RULES: dict[str, tuple[MissingRule, tuple[str, ...]]] = {
    "value": (MissingRule.VALUE, ()),
    "equal": (MissingRule.EQUAL, ("?", "text")),
    "distinct": (MissingRule.DISTINCT, ("",)),
}


@functools.cache
def reader_of(format_: Format, rule: MissingRule, markers: tuple[str, ...], *, compiled: bool) -> FieldReader:
    reader = Wanted(COLUMNS, SECRET, rule, markers, compiled=compiled).reader(format_)
    assert type(reader) is (CompiledReader if compiled else PlainReader)
    return reader


def same(found: Read, expected: Read, values: Sequence[bytes | None]) -> None:
    for i in np.flatnonzero(found.reasons != expected.reasons).tolist():
        raise AssertionError((values[i], found.reasons[i], expected.reasons[i]))
    good = expected.reasons == 0
    for i in np.flatnonzero((found.fingerprints != expected.fingerprints).any(axis=1) & good).tolist():
        raise AssertionError(values[i])


@pytest.mark.parametrize("compiled", [False, True], ids=["plain", "compiled"])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("shape", FORMATS)
def test_on_odd_records(shape: str, rule: str, compiled: bool) -> None:
    format_, (missing, markers) = FORMATS[shape], RULES[rule]
    general = GeneralReader(format_, COLUMNS, Encoder(SECRET, missing, markers))
    reader = reader_of(format_, missing, markers, compiled=compiled)
    writer = Writer(sorted(FORMATS).index(shape) * 10 + sorted(RULES).index(rule))
    # In small groups as well: one odd record makes the plain reader look at all of its group one by one.
    for size in (1, 2, 5, 800):
        values = [writer.value() for _ in range(size)]
        same(reader.read(spans_of(values)), general.read(spans_of(values)), values)


NESTED = (
    *(b'{"a":{"b":1}}', b'{"a":{"b":2.50}}', b'{"a":{"b":12345678901234567890}}', b'{"a":{"b":{"c":"x"}}}'),
    *(b' {"a":{"b":1}}', b'{"a":' + b"[" * 32 + b"]" * 32 + b"}", b'{"a":' + b'{"b":' * 31 + b"1" + b"}" * 32),
)
BESIDE = (None, b"", b"1", b"x", b"[]", b"{", b'"{"', b"  ")


@pytest.mark.parametrize("compiled", [False, True], ids=["plain", "compiled"])
@pytest.mark.parametrize("shape", ["plain", "shallow"])
def test_nested_records_beside_values_that_are_no_objects(shape: str, compiled: bool) -> None:
    general = GeneralReader(FORMATS[shape], COLUMNS, Encoder(SECRET))
    reader = reader_of(FORMATS[shape], MissingRule.VALUE, (), compiled=compiled)
    for nested in NESTED:
        for beside in BESIDE:
            for many in (1, 2, 40):
                values = [nested, *[beside] * many, b'{"a": 1}']
                same(reader.read(spans_of(values)), general.read(spans_of(values)), values)


PIECES = (
    *(b'{"a": 1}', b'{"b": "x"}', b"{}", b'{"zip": {}', b'{"a": "}', b'{", "b": 2}', b'{"other": "}', b'{"a":\n 3}'),
    *(b'{"a": 1}{"a": 2}', b'{"a": 1}\n{}', b'{"a": [{}', b'{"b": 1}]}', b'{"other": 1}}', b'{"a": {"b": 4} \r }'),
)


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6))
def test_values_that_begin_and_end_like_objects(values: list[bytes]) -> None:
    """They are decoded in one call; none may be taken for a part of the next one."""
    assert as_lines(spans_of(values)) is not None
    expected = GeneralReader(Format(), COLUMNS, Encoder(SECRET)).read(spans_of(values))
    for compiled in (False, True):
        same(reader_of(Format(), MissingRule.VALUE, (), compiled=compiled).read(spans_of(values)), expected, values)


@pytest.mark.parametrize("odd", [b'{"a": "}', b'{"a": 1}{"a": 2}', b'{"a": [1]}', b'{"other": true}'])
def test_an_odd_value_where_one_piece_of_many_lines_ends_and_the_next_begins(odd: bytes) -> None:
    """Not in one piece an object too many, and in the next one too few."""
    plain = [b'{"a": "%d", "b": %d, "zip": %s}' % (i % 7, i % 5, b"1.5" if i % 3 else b"true") for i in range(600)]
    general = GeneralReader(Format(), COLUMNS, Encoder(SECRET))
    for places in ((), (0,), (PIECE_LINES - 1,), (PIECE_LINES,), (PIECE_LINES - 1, PIECE_LINES), (599,)):
        values = [odd if i in places else value for i, value in enumerate(plain)]
        expected = general.read(spans_of(values))
        same(PlainReader(Format(), COLUMNS, Encoder(SECRET)).read(spans_of(values)), expected, values)


def test_values_are_laid_out_as_lines() -> None:
    data = b'..{"a":1}....{"b":2}.{}..'
    lines = as_lines(Spans(data, np.array([2, 13, 21]), np.array([9, 20, 23])))
    assert lines == b'{"a":1}   \n{"b":2}\n{}'
    far = b"{}" + b"." * (WIDEST_GAP + 1) + b"{}"
    for values in ([], [b"{}", None], [b"{}", b""], [b"{}", b"[]"], [b"{}", b" {}"], [b"{}", b"{} "]):
        assert as_lines(spans_of(values)) is None
    assert as_lines(Spans(b"{}{}", np.array([0, 2]), np.array([2, 4]))) is None
    assert as_lines(Spans(far, np.array([0, len(far) - 2]), np.array([2, len(far)]))) is None
    assert as_lines(Spans(far[1:], np.array([0, len(far) - 3]), np.array([1, len(far) - 1]))) is None
    assert as_lines(Spans(far[:-2], np.array([0]), np.array([2]))) == b"{}"


def test_a_decoder_that_reads_on_in_the_next_value_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such a decoder would give one record the values of another."""
    reader = PlainReader(Format(), COLUMNS, Encoder(SECRET))
    general = GeneralReader(Format(), COLUMNS, Encoder(SECRET))
    assert agrees(reader, general, COLUMNS, Format())
    monkeypatch.setattr(reader, "_decoder", Lenient(vars(reader)["_decoder"]))
    assert not agrees(reader, general, COLUMNS, Format())


class Lenient:
    """Takes a line end inside a text for a blank."""

    def __init__(self, decoder: msgspec.json.Decoder[Any]) -> None:
        self.decode = decoder.decode
        self._decoder = decoder

    def decode_lines(self, lines: memoryview) -> list[Any]:
        return self._decoder.decode_lines(bytes(lines).replace(b"\n", b" "))


def test_the_odd_records_are_odd_in_many_ways() -> None:
    """The test above would show little if nearly all records were alike."""
    writer = Writer(1)
    general = GeneralReader(Format(), COLUMNS, Encoder(SECRET))
    read = general.read(spans_of([writer.value() for _ in range(4000)]))
    counts = Counter(REASONS[r - 1] if r else None for r in read.reasons.tolist())
    assert counts[None] > 1000
    assert min(counts[r] for r in (Reason.NOT_JSON, Reason.ENCODING, Reason.TOO_DEEP, Reason.TOMBSTONE)) > 10
    good = read.fingerprints[read.reasons == 0]
    seen = [len(np.unique(good[:, j])) for j in range(5)]
    assert min(seen) > 15
    assert (good != MISSING).sum(axis=0)[:5].min() > 50


PLAIN_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c", "a.b"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.sampled_from(COLUMNS), PLAIN_JSON), max_size=8), st.booleans())
def test_on_records_that_a_producer_may_write(records: list[dict[str, object]], ascii_only: bool) -> None:
    values = [json.dumps(record, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass") for record in records]
    expected = GeneralReader(Format(), COLUMNS, Encoder(SECRET)).read(spans_of(values))
    for compiled in (False, True):
        same(reader_of(Format(), MissingRule.VALUE, (), compiled=compiled).read(spans_of(values)), expected, values)


def test_the_definition_is_the_encoder_of_the_samples() -> None:
    values = [b'{"a": 1, "zip": "x"}', b'{"a": {"b": [1]}}', b"{"]
    read = GeneralReader(Format(), ("a", "a.b", "zip"), Encoder(SECRET)).read(spans_of(values))
    encode = Encoder(SECRET).encode
    assert read.fingerprints[:2].T.tolist() == [
        encode(["a"], [[1, ABSENT]], 2)[:, 0].tolist(),
        encode(["a.b"], [[ABSENT, [1]]], 2)[:, 0].tolist(),
        encode(["zip"], [["x", ABSENT]], 2)[:, 0].tolist(),
    ]
    assert REASONS[read.reasons[2] - 1] is Reason.NOT_JSON


def test_delimited_records_are_read_whole() -> None:
    format_ = Format("csv", columns=("a", "b"))
    reader = Wanted(("b", "c"), SECRET).reader(format_)
    assert type(reader) is GeneralReader
    read = reader.read(spans_of([b"1,2", b"1", None]))
    assert read.fingerprints[0].tolist() == [Encoder(SECRET).encode(["b"], [["2"]], 1)[0, 0], MISSING]
    assert [REASONS[r - 1] for r in read.reasons[1:]] == [Reason.RAGGED, Reason.TOMBSTONE]


def test_no_column_at_all_still_tells_good_from_bad() -> None:
    for compiled in (False, True):
        read = Wanted((), SECRET, compiled=compiled).reader(Format()).read(spans_of([b"{}", b"[]", b"{"]))
        assert [r and REASONS[r - 1] for r in read.reasons.tolist()] == [0, Reason.NOT_OBJECT, Reason.NOT_JSON]


def test_without_numba_the_plain_reader_is_taken_and_said_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "streamqid.fields.kernel", None)
    with caplog.at_level(logging.INFO):
        assert type(Wanted(("a",), SECRET).reader(Format())) is PlainReader
    (said,) = [record.message for record in caplog.records]
    assert said.startswith("Fields are read without the compiled reader: numba is not installed;")


@pytest.mark.parametrize(
    ("wrong", "taken", "said"),
    [(CompiledReader, PlainReader, "does not agree"), (PlainReader, GeneralReader, "does not skip as expected")],
)
def test_a_reader_that_does_not_agree_is_not_taken(
    wrong: type, taken: type, said: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def disagrees(reader: FieldReader, *others: object) -> bool:
        return type(reader) is not wrong and agrees(reader, *others)  # type: ignore[arg-type]

    monkeypatch.setattr("streamqid.fields.wanted.agrees", disagrees)
    with caplog.at_level(logging.INFO):
        assert type(Wanted(("a",), SECRET).reader(Format())) is taken
    assert said in caplog.text


def test_a_reader_that_is_wrong_does_not_pass_the_check() -> None:
    class Wrong(PlainReader):
        def _may_differ(self, value: bytes | None) -> bool:
            return False

    general = GeneralReader(Format(), ("a",), Encoder(SECRET))
    assert agrees(PlainReader(Format(), ("a",), Encoder(SECRET)), general, ("a",), Format())
    assert not agrees(Wrong(Format(), ("a",), Encoder(SECRET)), general, ("a",), Format())


def test_names_with_very_many_dots_are_left_to_the_plain_reader() -> None:
    name = ".".join("abcdefghijklmnop")
    reader = Wanted((name,), SECRET).reader(Format())
    assert type(reader) is PlainReader
    value = {"a.b": {"c.d": {name[8:]: 5}}}
    assert reader.read(spans_of([json.dumps(value).encode()])).fingerprints[0, 0] != MISSING
