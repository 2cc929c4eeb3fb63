"""Small recommendations for tests of what becomes of them."""

from __future__ import annotations

from streamqid.engine.documents import Position, Recommendation


def recommendation(*offsets: int, stream: str = "people", topic_id: str = "id-1", name: str = "") -> Recommendation:
    """Return a document that covers so much of each partition; equal positions have equal ids."""
    positions = [
        Position(origin="records", partition=number, id=topic_id, next_offset=offset)
        for number, offset in enumerate(offsets)
    ]
    return Recommendation(
        id=name or f"{stream}-{topic_id}-{'-'.join(map(str, offsets))}",
        stream=stream,
        records=sum(offsets),
        skipped_offsets=0,
        positions=positions,
        key=None,
        mask=None,
        verdicts=[],
    )
