from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamqid.engine.published import Ledger, Standing, known
from tests.documents import recommendation

if TYPE_CHECKING:
    from streamqid.engine.documents import Recommendation


@pytest.mark.parametrize(
    ("last", "now", "standing"),
    [
        (recommendation(5, 7), recommendation(5, 7), Standing.REPEATED),
        (recommendation(5, 7), recommendation(5, 8), Standing.NEWER),
        (recommendation(5, 7), recommendation(6, 6), Standing.BEHIND),
        (recommendation(5, 7), recommendation(9), Standing.BEHIND),
        (recommendation(5), recommendation(5, 0), Standing.NEWER),
        (recommendation(5, 7), recommendation(1, topic_id="id-2"), Standing.NEWER),
        (recommendation(5, 7), recommendation(), Standing.BEHIND),
        (recommendation(5, topic_id=""), recommendation(4, topic_id=""), Standing.BEHIND),
        (recommendation(5), recommendation(5, name="other configuration"), Standing.NEWER),
        (recommendation(5), recommendation(1, stream="other"), Standing.NEWER),
    ],
)
def test_a_document_is_published_only_if_it_covers_as_much(
    last: Recommendation, now: Recommendation, standing: Standing
) -> None:
    ledger = Ledger()
    assert ledger.standing(last) is Standing.NEWER
    ledger.note(last)
    assert ledger.standing(now) is standing


def test_what_was_read_back_counts_as_published() -> None:
    document = recommendation(5, 7)
    ledger = Ledger()
    found = known(document.model_dump_json().encode())
    assert found is not None
    ledger.note(found)
    assert ledger.standing(document) is Standing.REPEATED


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"{}", b'{"id": "a", "stream": "b"}', b"\xff"])
def test_what_is_no_document_is_not_taken_for_one(text: bytes) -> None:
    assert known(text) is None
