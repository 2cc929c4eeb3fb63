"""The part of the history that is about the stream as a whole: its keys and its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.engine.alerts import DriftEvent, Subject, stable_id
from streamqid.engine.drift import ENOUGH
from streamqid.engine.history import KEPT, DriftWindow, History
from streamqid.engine.judge import MIN_PAIRS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamqid.engine.alerts import KeyChange, SchemaChange
    from streamqid.engine.documents import Span
    from streamqid.engine.drift import WindowAnswer
    from streamqid.engine.stream import Stream


def drift_recorded(stream: Stream, history: History, answer: WindowAnswer) -> tuple[History, list[DriftEvent]]:
    """Return the history with the key and the columns of a window, and what is different in it."""
    pane = answer.window.last_pane
    if answer.columns is None or (history.drift_pane is not None and pane <= history.drift_pane):
        return history, []
    before = history.key
    told = answer.key is not None and answer.key_met and bool(before)
    now = set(answer.key or ())
    entered, left = (sorted(now - set(before)), sorted(set(before) - now)) if told else ([], [])
    fields = answer.model_dump(exclude={"verdicts"})
    window = DriftWindow(**fields, entered=entered, left=left)
    events = [_key_event(stream.name, column, "entered", answer.window) for column in entered]
    events += [_key_event(stream.name, column, "left", answer.window) for column in left]
    absent, scarce = history.absent, history.scarce
    if answer.records >= MIN_PAIRS:
        absent, schema = _columns(stream, history, answer.columns, answer.window)
        events += schema
        kept = {column: rows for column, rows in scarce.items() if absent.get(column)}
        scarce = kept | answer.scarce
    update = {
        "windows": [*history.windows, window][-KEPT:],
        "events": [*history.events, *events][-KEPT:],
        "absent": absent,
        "scarce": scarce,
        "drift_pane": pane,
    }
    return history.model_copy(update=update), events


def types_recorded(
    stream: Stream, history: History, types: Mapping[str, set[str]], window: Span
) -> tuple[History, list[DriftEvent]]:
    """Return the history with the types of values that were seen, and an event for each that a column never had."""
    known = {column: set(found) for column, found in history.types.items()}
    events = [
        _schema_event(stream.name, column, "retyped", window, f"now holds values of the type {kind} too")
        for column, found in sorted(types.items())
        for kind in sorted(found - known.get(column, found))
    ]
    merged = {column: sorted(known.get(column, set()) | set(types.get(column, ()))) for column in {*known, *types}}
    update = {"types": dict(sorted(merged.items())[:KEPT]), "events": [*history.events, *events][-KEPT:]}
    return history.model_copy(update=update), events


def _columns(
    stream: Stream, history: History, columns: list[str], window: Span
) -> tuple[dict[str, int], list[DriftEvent]]:
    """Return in how many windows in a row each known column was absent, and which have come and gone.

    A column that few records have may be absent from the sample of a window by chance.  So it is missing only after
    several windows in a row, and when as many rows as it had in a sample were to be expected ``ENOUGH`` times in all.
    """
    known = history.absent
    absent = dict.fromkeys(columns, 0) | {column: gone + 1 for column, gone in known.items() if column not in columns}
    rows = dict.fromkeys(absent, ENOUGH) | history.scarce
    missing = sorted(
        column for column, gone in absent.items() if gone >= stream.settle_windows and gone * rows[column] >= ENOUGH
    )
    new = sorted(set(columns) - set(known)) if known else []
    events = [_schema_event(stream.name, column, "new", window, "is new") for column in new]
    events += [
        _schema_event(stream.name, column, "missing", window, "is missing: no record that was sampled has it")
        for column in missing
    ]
    return {column: gone for column, gone in absent.items() if column not in missing}, events


def _key_event(stream: str, column: str, change: KeyChange, window: Span) -> DriftEvent:
    verb = "is now part of" if change == "entered" else "is no longer part of"
    return DriftEvent(
        id=stable_id("key", stream, column, change, window.start),
        stream=stream,
        about=Subject.KEY,
        change=change,
        column=column,
        began=window.start,
        window=window,
        sentence=f"{column} {verb} the smallest set of columns found that identifies nearly every row.",
    )


def _schema_event(stream: str, column: str, change: SchemaChange, window: Span, what: str) -> DriftEvent:
    return DriftEvent(
        id=stable_id("schema", stream, column, change, what, window.start),
        stream=stream,
        about=Subject.SCHEMA,
        change=change,
        column=column,
        began=window.start,
        window=window,
        sentence=f"In stream {stream} the column {column} {what}.",
    )
