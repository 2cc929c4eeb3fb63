"""docs/metrics.md, made from the definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client.process_collector import ProcessCollector

from streamqid.publish.definitions import DEFINITIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

HEAD = """\
# Metrics

`GET /metrics` in the text format of Prometheus or as OpenMetrics.  This page is made from
`streamqid/publish/definitions.py`; a test holds the two together.

- Labels hold words of the configuration or of the program, never a value of a record.
- `streamqid_records_total` goes on over restarts, because it is read from the state.  The other counters begin at 0
  with each run, as `rate()` and `increase()` expect.
- `window` is `landmark` for everything since the start of the stream, or the length of the window in which published
  sets are judged, such as `3600_seconds`.
- `bound` is `estimate`, `lower` or `upper`; a bound that the sample cannot support has no series.
- There are no `_created` series.

"""


def reference() -> str:
    """Return the page in Markdown."""
    own = ((one.name, one.kind, one.labels, one.sentence) for one in DEFINITIONS)
    process = (
        (one.name + ("_total" if one.type == "counter" else ""), one.type, (), one.documentation)
        for one in ProcessCollector(registry=None).collect()
    )
    return f"{HEAD}{_table(own)}\n## The process\n\n{_table(process)}"


def _table(rows: Iterable[tuple[str, str, tuple[str, ...], str]]) -> str:
    lines = [
        f"| `{name}` | {kind} | {', '.join(f'`{label}`' for label in labels)} | {sentence} |"
        for name, kind, labels, sentence in rows
    ]
    return "\n".join(["| metric | kind | labels | meaning |", "| --- | --- | --- | --- |", *lines, ""])
