"""Whether a reader agrees with the definition, found out on made-up records before the first real one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from streamqid.fields.reading import spans_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.fields.reading import Definition, FieldReader

VALUES = (
    *('"text"', '"é€𝄞"', '"a\\u0041\\n"', '""', '"?"', "0", "7", "-12", "123456789012345678", "1234567890123456789"),
    *("-0", "0.0", "-0.0", "1.0", "1.5", "2.50", "0.0001", "0.00001", "1e5", "1E-7", "12345678901234567890.5"),
    *("true", "false", "null", "[]", "[1, [2, {}]]", "{}", '{"x": 1}', '{"b": {"c": 1}}', '"\\ud800"'),
    *("1e999", "01", "1.", ".5", "+1", "-", "NaN", "tru", "nulll", '"a', "{", "[1,]", "1e400", "9" * 400, "9" * 5000),
    "[" * 40 + "]" * 40,
)
SHAPES = ('{{"{0}": {1}}}', '{{"other": {1}, "{0}": 1}}', ' {{ "{0}" : {1} ,\t"{0}":2 }}\r\n', '{{"{0}": {1}}} x')
ODD = (
    None,
    b"",
    b"  ",
    b"[]",
    b"1",
    b"null",
    b'{"a": "\xff"}',
    b'{"\xed\xa0\x80": 1}',
    b'{"a": "\x01"}',
    b"\xef\xbb\xbf{}",
)
TOGETHER = (
    (b'{"other": "}', b'{", "{0}": 1}', b'{"{0}": 2}{"{0}": 3}'),
    (b'{"{0}": {}', b'{"other": 1}}', b'{"{0}": 2} {"{0}": 3}'),
    (b'{"{0}": 1, "other": [{}', b'{"{0}": 2}]}', b'{"{0}": 2}{}'),
    (b'{"{0}": 1}', b'{"{0}":\n2}', b'{"other": 3}'),
)
"""Values that are as many objects as there are values, but only where one may go on in the next; and some that are."""


def agrees(reader: FieldReader, definition_reader: FieldReader, columns: Sequence[str], definition: Definition) -> bool:
    """Tell whether a reader gives the same bits and the same reasons as the definition on made-up records."""
    names = [json.dumps(name)[1:-1] for column in columns[:3] for name in {column, column.partition(".")[0]}]
    rows = [shape.format(name, value) for shape in SHAPES for name in names or ["a"] for value in VALUES]
    for name in reversed(definition.row_path.split(".") if definition.row_path else ()):
        rows = [f"{{{json.dumps(name)}: {row}}}" for row in rows]
    alone = [*(row.encode("utf-8", "surrogatepass") for row in rows), *ODD]
    first = (names or ["a"])[0].encode("utf-8", "surrogatepass")
    together: list[list[bytes | None]] = [[value.replace(b"{0}", first) for value in values] for values in TOGETHER]
    return all(_same(reader, definition_reader, values) for values in (alone, *together))


def _same(reader: FieldReader, definition_reader: FieldReader, values: Sequence[bytes | None]) -> bool:
    spans = spans_of(values)
    found, expected = reader.read(spans), definition_reader.read(spans)
    good = expected.reasons == 0
    return bool(
        np.array_equal(found.reasons, expected.reasons)
        and np.array_equal(found.fingerprints[good], expected.fingerprints[good])
    )
