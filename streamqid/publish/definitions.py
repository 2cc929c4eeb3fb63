"""Every metric of the service by name; docs/metrics.md is made from these definitions.

Labels hold words of the configuration or of the program (a stream, a topic, a reason), never a value of a record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["counter", "gauge", "histogram"]
PREFIX = "streamqid_"

STREAM = ("stream",)
PARTITION = ("stream", "topic", "partition")
ANSWER = ("stream", "window", "problem")
PUBLISHED = ("stream", "set", "window")
COPY = ("stream", "to")


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """One metric: its name as it is scraped, its kind, the names of its labels and one sentence about it."""

    name: str
    kind: Kind
    labels: tuple[str, ...]
    sentence: str


DEFINITIONS: list[Definition] = []
"""All definitions of this module, in the order of the documentation."""


def _define(name: str, kind: Kind, labels: tuple[str, ...], sentence: str) -> Definition:
    definition = Definition(PREFIX + name, kind, labels, sentence)
    DEFINITIONS.append(definition)
    return definition


BUILD_INFO = _define("build_info", "gauge", ("version", "python"), "Always 1; the labels tell what runs.")

RECORDS = _define("records_total", "counter", STREAM, "Records counted, each once; goes on where the snapshot ends.")
BYTES = _define("bytes_total", "counter", STREAM, "Bytes of the batches read in this run, repeated ones included.")
DUPLICATES = _define("duplicates_total", "counter", STREAM, "Records delivered again in this run, and dropped.")
OUTSIDE = _define(
    "outside_panes_total",
    "counter",
    STREAM,
    "Records in no pane: without an event time, with one too far ahead, or too late for theirs.",
)
LATE = _define(
    "late_records_total",
    "counter",
    STREAM,
    "Records of panes that had closed: verdicts may have been given without them.",
)
LOOKED_AT = _define("looked_at_total", "counter", STREAM, "Records decoded in this run: a sample may want them.")
BAD = _define(
    "bad_records_total", "counter", (*STREAM, "reason"), "Records looked at in this run that could not be read."
)
DEAD_LETTERS = _define("dead_letters_total", "counter", STREAM, "Pointers to bad records sent to the dead letters.")
TURNS = _define("loop_turns_total", "counter", STREAM, "Rounds of the loop in this run; stands still when it hangs.")

LAG = _define("lag_offsets", "gauge", PARTITION, "Offsets that wait to be read, by what was last heard of the end.")
TROUBLE = _define("trouble", "gauge", (*STREAM, "kind"), "Whether this keeps the source from delivering (0 or 1).")

SAMPLE_ROWS = _define(
    "sample_rows", "gauge", (*STREAM, "sample"), "Readable rows in sample A or B of the landmark, as of the last solve."
)
SAMPLE_TARGET = _define(
    "sample_target_rows", "gauge", STREAM, "Rows k(n) that each sample should hold, if there are as many."
)

CHECKPOINTS = _define(
    "checkpoints_total", "counter", (*STREAM, "outcome"), "Checkpoints of this run that were saved, and that failed."
)
CHECKPOINT_SECONDS = _define("checkpoint_duration_seconds", "histogram", STREAM, "Time that a checkpoint took.")
CHECKPOINT_AT = _define(
    "last_checkpoint_timestamp_seconds", "gauge", STREAM, "When this run last saved; absent before its first time."
)
CHECKPOINT_BYTES = _define("last_checkpoint_bytes", "gauge", STREAM, "Size of the snapshot that was saved last.")

SOLVES = _define("solves_total", "counter", (*STREAM, "outcome"), "Solves of this run by how they ended.")
SOLVE_SECONDS = _define("solve_duration_seconds", "histogram", STREAM, "Time that a solve took, however it ended.")
SOLVED_AT = _define(
    "last_solve_timestamp_seconds", "gauge", STREAM, "When a solve was last answered; absent before the first time."
)

KEY_COLUMNS = _define("key_columns", "gauge", ANSWER, "Columns of the key that was found.")
MASK_COLUMNS = _define("mask_published_columns", "gauge", ANSWER, "Columns that the mask publishes.")
MET = _define("answer_met", "gauge", ANSWER, "Whether the promise that was asked for holds (0 or 1).")
ANSWER_SAMPLE = _define(
    "answer_sample", "gauge", (*ANSWER, "unit"), "Pairs, tuples or rows that the answer was judged on."
)
SEPARATION = _define(
    "answer_separation_ratio", "gauge", (*ANSWER, "bound"), "Separation of the answer's columns, with its bounds."
)
DISTINCT = _define(
    "answer_distinct_ratio", "gauge", (*ANSWER, "bound"), "Distinct ratio of the answer's columns, with its bounds."
)
ANSWER_COLUMNS = _define(
    "answer_columns",
    "gauge",
    ANSWER,
    "Columns of the set that another problem's answer names; of several, the smallest.",
)
MINIMAL_SETS = _define(
    "minimal_sets", "gauge", (*ANSWER, "certain"), "Minimal sets found, by whether each is certain to reach the ratio."
)
DEPENDENCIES = _define(
    "dependencies", "gauge", (*ANSWER, "certain"), "Dependencies listed, by whether each is certain to hold."
)
EXPOSED = _define(
    "answer_exposed_ratio", "gauge", (*ANSWER, "bound"), "Share of rows that the quasi-identifier exposes, with bounds."
)
GAP = _define("answer_gap_ratio", "gauge", ANSWER, "Distance of an exact solver's answer from the optimum; 0: optimal.")
UNANSWERED = _define(
    "unanswered_problem", "gauge", (*STREAM, "problem"), "1 where the newest recommendation lacks this answer, else 0."
)

SET_STATE = _define(
    "published_set_state", "gauge", (*PUBLISHED, "state"), "1 for the state that the published set is in, else 0."
)
SET_RATIO = _define(
    "published_set_ratio", "gauge", (*PUBLISHED, "measure", "bound"), "Measure of the published set, with its bounds."
)
SET_LIMIT = _define(
    "published_set_limit_ratio",
    "gauge",
    (*PUBLISHED, "measure"),
    "What the measure may be at most; the smallest group, at least.",
)
SET_AUDIT = _define(
    "published_set_audit",
    "gauge",
    (*PUBLISHED, "figure", "bound"),
    "Groups, smallest group, unique rows and rows in small groups of the newest window, whatever the limits.",
)

SET_SINCE = _define(
    "published_set_since_timestamp_seconds",
    "gauge",
    PUBLISHED,
    "Start of the first window of the state that the published set is in; absent where panes are cut by records.",
)
SET_INFO = _define(
    "published_set_info",
    "gauge",
    ("stream", "set", "owner", "link", "columns"),
    "Always 1; the labels tell whose set it is.",
)
SET_PROPOSAL = _define(
    "published_set_proposal_info",
    "gauge",
    ("stream", "set", "drop", "keep"),
    "Always 1, while the published set is unsafe: the column to drop, or those to keep.",
)
UNJUDGED = _define(
    "windows_unjudged_total",
    "counter",
    STREAM,
    "Windows that were dropped before a set was judged in them; goes on where the history ends.",
)
KEY_MEMBER = _define("key_member", "gauge", ("stream", "window", "column"), "Always 1: columns of the newest key.")
KEY_CHANGES = _define(
    "key_changes_total", "counter", (*STREAM, "change"), "Columns that entered or left the key from window to window."
)
COLUMN_RISK = _define(
    "column_risk_ratio",
    "gauge",
    ("stream", "column"),
    "Share of the identifying power of all columns that the column adds, in the newest window.",
)
SCHEMA_EVENTS = _define(
    "schema_events_total", "counter", (*STREAM, "change"), "Columns that were new, missing or of another type."
)
ALERTS = _define(
    "alerts_total",
    "counter",
    ("stream", "set", "status"),
    "Alerts handed to the publishers; at its start a run tells the last one of each set again.",
)
WEBHOOK = _define(
    "webhook_deliveries_total", "counter", ("outcome",), "Alerts that the webhook took, and that are dead letters."
)
ALERTS_SENT = _define(
    "alert_messages_total",
    "counter",
    ("outcome",),
    "Alerts and drift events that Kafka has confirmed, and those for which too many waited already.",
)
ALERTS_WAITING = _define("alert_messages_waiting", "gauge", (), "Alerts and drift events that wait to be confirmed.")

COPIED = _define("copied_records_total", "counter", COPY, "Records committed to a copy in this run, each once.")
COPY_DROPPED = _define(
    "copy_dropped_records_total",
    "counter",
    (*COPY, "reason"),
    "Records that a copy went past in this run: unreadable, without a row, or not allowed by the verdict.",
)
COPY_STATE = _define("copy_state", "gauge", (*COPY, "state"), "1 for the state that the copy is in, else 0.")
COPY_LAG = _define(
    "copy_lag_offsets", "gauge", (*COPY, "topic", "partition"), "Offsets that wait to be copied, some seconds ago."
)

RECOMMENDATIONS = _define("recommendations_total", "counter", STREAM, "Recommendations handed to the publishers.")
DELIVERED = _define(
    "recommendations_delivered_total", "counter", (), "Recommendations of all streams that Kafka has confirmed."
)
WAITING = _define("recommendations_waiting", "gauge", (), "Recommendations of all streams that wait to be confirmed.")
