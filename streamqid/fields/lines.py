"""Values laid out in one text, so that a decoder takes all of them in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from streamqid.fields.reading import Spans

WIDEST_GAP = 64
"""Bytes between two values that are overwritten rather than left out: what a record holds besides its value."""
_BLANK, _LINE_END, _OPENING, _CLOSING = b" \n{}"


def as_lines(spans: Spans) -> bytes | None:
    """Return the values with blanks and a line end between them; None unless all may be objects and are close together.

    Where a decoder that refuses a line end inside a text finds as many objects in it as there are values, each value is
    one object: none goes on in the next value, since behind ``}`` no ``{`` can follow inside an object, and so
    each value begins one at least.
    """
    start, end = spans.start, spans.end
    if not len(spans) or int(start.min()) < 0:
        return None
    letters = np.frombuffer(spans.data, np.uint8)
    widest = int((start[1:] - end[:-1]).max(initial=1))
    apart = bool((start[1:] > end[:-1]).all() and (start < end).all())
    if not apart or widest > WIDEST_GAP or (letters[start] != _OPENING).any() or (letters[end - 1] != _CLOSING).any():
        return None
    first = int(start[0])
    text = letters[first : int(end[-1])].copy()
    at, last = end[:-1] - first, start[1:] - first - 1
    for step in range(widest - 1):
        text[np.minimum(at + step, last)] = _BLANK
    text[last] = _LINE_END
    return text.tobytes()
