"""Values of records as producers write them, and as nobody should."""

from __future__ import annotations

import random

NAMES = ("a", "b", "a.b", "a.b.c", "b.c", "zip", "é", "", "x.", "other")
LITERALS = (
    *('""', '"?"', '"text"', '"é€𝄞"', '"with \\"quote"', '"\\u00e9"', '"\\ud83d\\ude00"', '"\\ud800"', '"1"', '"1.0"'),
    *("0", "1", "-1", "-0", "10", "255", "-255", "999999999999999999", "1000000000000000000", "9" * 25, "9" * 150),
    *(
        "0.0",
        "-0.0",
        "1.0",
        "-1.5",
        "0.1",
        "0.10",
        "100.25",
        "0.0001",
        "0.00001",
        "123456789012345.6",
        "1.0000000000000002",
    ),
    *("1e5", "1E5", "1e+05", "1e-7", "2e99", "1e308", "1e309", "-1e400", "0e999", "1.5e3", "1e0005", "9" * 310 + ".0"),
    *("true", "false", "null", "[]", "[1]", '["a", {"b": [1.0, null]}]', "{}"),
    *("01", "1.", ".5", "+1", "-", "1e", "NaN", "Infinity", "tru", "nul", "truex", '"open', "[1,]", "{,}", "", "'a'"),
)
SPACES = ("", "", "", " ", "\t", "\r\n", "  ", "\x0b", "\x00", "\ufeff")


class Writer:
    """Writes records with everything that can go wrong in them, the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)

    def value(self) -> bytes | None:
        """Return the value of one record."""
        draw = self._draw
        if draw.random() < 0.01:
            return None
        text = self._object(0).encode("utf-8", "surrogatepass")
        if draw.random() < 0.2:
            text = b'{"payload": {"op": "u", "after": ' + text + b"}}"
        if draw.random() < 0.3:
            text = self._damaged(text)
        return text

    def _object(self, depth: int) -> str:
        draw = self._draw
        fields = []
        for _ in range(draw.choice((0, 1, 2, 4, 8))):
            name = draw.choice(NAMES) if draw.random() < 0.97 else draw.choice(("\\u0061", 'q\\"', "\ud800", "t\tb"))
            fields.append(f'{self._space()}"{name}"{self._space()}:{self._space()}{self._any(depth)}{self._space()}')
        return self._space() + "{" + ",".join(fields) + "}" + self._space()

    def _any(self, depth: int) -> str:
        draw = self._draw
        if depth < 4 and draw.random() < 0.15:
            return self._object(depth + 1)
        if draw.random() < 0.02:
            deep = draw.choice((2, 5, 30, 31, 32, 40))
            return "[" * deep + "]" * deep if draw.random() < 0.5 else '{"a":' * deep + "1" + "}" * deep
        return draw.choice(LITERALS[:45] if draw.random() < 0.97 else LITERALS)

    def _space(self) -> str:
        return self._draw.choice(SPACES[:7] if self._draw.random() < 0.997 else SPACES)

    def _damaged(self, text: bytes) -> bytes:
        draw = self._draw
        changed = bytearray(text)
        for _ in range(draw.choice((1, 1, 2, 5))):
            place = draw.randrange(len(changed) + 1)
            kind = draw.random()
            if kind < 0.3:
                del changed[place : place + draw.choice((1, 1, 3))]
            elif kind < 0.6:
                changed[place:place] = bytes([draw.randrange(256)])
            elif changed:
                changed[min(place, len(changed) - 1)] = draw.choice(
                    b'"\\{}[]:,0159eE.-+ \x00\x1f\x7f\x80\xbf\xc3\xed\xf4\xff'
                )
        return bytes(changed)
