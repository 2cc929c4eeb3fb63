"""Writes the dashboards in dashboards/; a test holds the files equal to what this makes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

if __name__ == "__main__":  # so that any Python finds the package, installed or not
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from deploy.grafana.panels import Json, dashboard, heat, lines, number, query, row, states, table, variable

FOLDER = Path(__file__).parent / "dashboards"
WORDS = {0: ("safe", "green"), 1: ("unknown", "text"), 2: ("at risk", "orange"), 3: ("unsafe", "red")}

STREAM = variable("stream", "Stream", "label_values(streamqid_records_total, stream)")
SET = variable("set", "Published set", 'label_values(streamqid_published_set_state{stream=~"$stream"}, set)')
WINDOW = variable("window", "Window", 'label_values(streamqid_published_set_state{stream=~"$stream"}, window)')

S = 'stream=~"$stream"'
P = f'{S},set=~"$set",window=~"$window"'
SHARE = f'{P},measure!="smallest_group"'
GROUP = f'{P},measure="smallest_group"'


def as_number(selector: str) -> str:
    """Return the state of each set as one number: 0 safe, 1 unknown, 2 at risk, 3 unsafe."""
    parts = [
        f'{value} * streamqid_published_set_state{{{selector},state="{state}"}}'
        for state, value in (("safe", 0), ("unknown", 1), ("at_risk", 2), ("unsafe", 3))
    ]
    return "sum by (stream, set, window) (" + " or ".join(f"({part})" for part in parts) + ")"


def overview() -> Json:
    """Tell whether everything that is published is safe."""
    return dashboard(
        "streamqid-overview",
        "streamqid / Is everything published safe?",
        "The state of every published set, over time and now: look here first.",
        [
            number(
                "Unsafe sets",
                "Sets of which even the better bound lies beyond a limit.",
                f'sum(streamqid_published_set_state{{{P},state="unsafe"}})',
                bad_above=1,
            ),
            number(
                "Sets at risk",
                "Sets whose limit lies inside the interval.",
                f'sum(streamqid_published_set_state{{{P},state="at_risk"}})',
                bad_above=1,
            ),
            number(
                "Sets that cannot be judged",
                "Sets without enough rows, or with a column that is gone.",
                f'sum(streamqid_published_set_state{{{P},state="unknown"}})',
                bad_above=1,
            ),
            number("Records", "Records counted by the chosen streams.", f"sum(streamqid_records_total{{{S}}})"),
            states(
                "State of each set",
                "Safe, unknown, at risk or unsafe, over time.",
                as_number(P),
                "{{stream}} / {{set}} ({{window}})",
                WORDS,
            ),
            lines(
                "Measures and limits",
                "Both bounds of each limited measure, and its limit, dashed: unsafe where the lower bound is above.",
                [
                    query(f'streamqid_published_set_ratio{{{SHARE},bound="upper"}}', "{{set}} {{measure}} at most"),
                    query(f'streamqid_published_set_ratio{{{SHARE},bound="lower"}}', "{{set}} {{measure}} at least"),
                    query(f"streamqid_published_set_limit_ratio{{{SHARE}}}", "{{set}} {{measure}} limit"),
                ],
                unit="percentunit",
                size=(24, 9),
            ),
            table(
                "What is published",
                "Columns, owner and link of each set, as configured.",
                f'streamqid_published_set_info{{{S},set=~"$set"}}',
            ),
            table(
                "What would make unsafe sets safe again",
                "The column to drop, and the largest safe subset; empty when no set is unsafe.",
                f'streamqid_published_set_proposal_info{{{S},set=~"$set"}}',
            ),
        ],
        [STREAM, SET, WINDOW],
    )


def drift() -> Json:
    """Tell how quasi-identifiers change over time."""
    answer = f'{S},window="landmark"'
    return dashboard(
        "streamqid-drift",
        "streamqid / Drift of quasi-identifiers",
        "Keys, who entered and left them, contributions of columns, and published sets against their limits.",
        [
            row("Minimum key"),
            lines(
                "Key size",
                "Columns of the minimum key of all records so far; that of the newest window is below.",
                [query(f"streamqid_key_columns{{{answer}}}", "{{stream}}")],
            ),
            lines(
                "Columns that may be published",
                "Columns of the masking of all records so far.",
                [query(f"streamqid_mask_published_columns{{{answer}}}", "{{stream}}")],
            ),
            states(
                "Members of the key",
                "Columns of the key of each window; a band begins where a column entered and ends where it left.",
                f"streamqid_key_member{{{S}}}",
                "{{stream}} / {{column}}",
                {1: ("in the key", "blue")},
            ),
            lines(
                "Columns that entered and left",
                "Changes of the key within an hour.",
                [query(f"increase(streamqid_key_changes_total{{{S}}}[1h])", "{{stream}} {{change}}")],
            ),
            lines(
                "Schema events",
                "Columns that came, went or changed their type within an hour.",
                [query(f"increase(streamqid_schema_events_total{{{S}}}[1h])", "{{stream}} {{change}}")],
            ),
            row("Risk by column"),
            heat(
                "Contribution of each column",
                "Share of the identifying power of all columns that a column adds.",
                f"streamqid_column_risk_ratio{{{S}}}",
                "{{stream}} / {{column}}",
                "percentunit",
            ),
            row("Published sets"),
            lines(
                "Measures of published sets",
                "Estimate, both bounds and the limit, dashed, in each window.",
                [
                    query(f'streamqid_published_set_ratio{{{SHARE},bound="estimate"}}', "{{set}} {{measure}}"),
                    query(f'streamqid_published_set_ratio{{{SHARE},bound="lower"}}', "{{set}} {{measure}} lower bound"),
                    query(f'streamqid_published_set_ratio{{{SHARE},bound="upper"}}', "{{set}} {{measure}} upper bound"),
                    query(f"streamqid_published_set_limit_ratio{{{SHARE}}}", "{{set}} {{measure}} limit"),
                ],
                unit="percentunit",
            ),
            lines(
                "Distance to the limit",
                "Limit minus upper bound; below zero the set cannot be called safe.",
                [
                    query(
                        f"streamqid_published_set_limit_ratio{{{SHARE}}} - ignoring(bound) "
                        f'streamqid_published_set_ratio{{{SHARE},bound="upper"}}',
                        "{{set}} {{measure}}",
                    )
                ],
                unit="percentunit",
            ),
            lines(
                "Smallest groups",
                "Rows of the smallest group, of sets that limit it from below; under the limit a set is not safe.",
                [
                    query(f'streamqid_published_set_ratio{{{GROUP},bound="lower"}}', "{{set}} at least"),
                    query(f'streamqid_published_set_ratio{{{GROUP},bound="upper"}}', "{{set}} at most"),
                    query(f"streamqid_published_set_limit_ratio{{{GROUP}}}", "{{set}} limit"),
                ],
            ),
        ],
        [STREAM, SET, WINDOW],
    )


def pipeline() -> Json:
    """Tell whether the service itself is well."""
    buckets = "streamqid_solve_duration_seconds_bucket"
    return dashboard(
        "streamqid-pipeline",
        "streamqid / Pipeline",
        "Lag, records, bad records, samples, snapshots and solves.",
        [
            number("Lag", "Offsets that wait to be read.", f"sum(streamqid_lag_offsets{{{S}}})", bad_above=100_000),
            number("Records per second", "Over five minutes.", f"sum(rate(streamqid_records_total{{{S}}}[5m]))"),
            number(
                "Age of the last snapshot",
                "Time since the state was last saved.",
                f"max(time() - streamqid_last_checkpoint_timestamp_seconds{{{S}}})",
                unit="s",
                bad_above=600,
            ),
            number("Troubles", "What keeps sources from delivering.", f"sum(streamqid_trouble{{{S}}})", bad_above=1),
            lines(
                "Lag by partition",
                "Offsets that wait to be read.",
                [query(f"streamqid_lag_offsets{{{S}}}", "{{topic}}/{{partition}}")],
            ),
            lines(
                "Records",
                "Counted records, and those that were delivered again, per second.",
                [
                    query(f"sum by (stream) (rate(streamqid_records_total{{{S}}}[5m]))", "{{stream}}"),
                    query(f"sum by (stream) (rate(streamqid_duplicates_total{{{S}}}[5m]))", "{{stream}} again"),
                ],
                unit="rps",
            ),
            lines(
                "Bytes",
                "Bytes of batches as they are stored, per second.",
                [query(f"sum by (stream) (rate(streamqid_bytes_total{{{S}}}[5m]))", "{{stream}}")],
                unit="Bps",
            ),
            lines(
                "Bad records by reason",
                "Records that were looked at and could not be read, per second.",
                [
                    query(
                        f"sum by (reason) (rate(streamqid_bad_records_total{{{S}}}[5m])) > 0 or vector(0)", "{{reason}}"
                    )
                ],
                unit="rps",
            ),
            lines(
                "Sample fill",
                "Rows in the samples against their target.",
                [
                    query(f"streamqid_sample_rows{{{S}}}", "{{stream}} {{sample}}"),
                    query(f"streamqid_sample_target_rows{{{S}}}", "{{stream}} target"),
                ],
            ),
            lines(
                "Snapshots",
                "Size of the last snapshot.",
                [query(f"streamqid_last_checkpoint_bytes{{{S}}}", "{{stream}}")],
                unit="bytes",
            ),
            lines(
                "Solves",
                "How solves ended, within ten minutes.",
                [query(f"sum by (outcome) (increase(streamqid_solves_total{{{S}}}[10m]))", "{{outcome}}")],
            ),
            lines(
                "Time of a solve",
                "Half of the solves, and nine of ten, took at most so long.",
                [
                    query(f"histogram_quantile({share}, sum by (le) (rate({buckets}{{{S}}}[30m])))", label)
                    for share, label in ((0.5, "half"), (0.9, "nine of ten"))
                ],
                unit="s",
            ),
            lines(
                "Memory",
                "Resident memory of the process.",
                [query("process_resident_memory_bytes and on (job, instance) streamqid_build_info", "{{instance}}")],
                unit="bytes",
            ),
            lines(
                "Recommendations",
                "Handed to the publishers, and waiting to be confirmed.",
                [
                    query(f"increase(streamqid_recommendations_total{{{S}}}[10m])", "{{stream}} in ten minutes"),
                    query("streamqid_recommendations_waiting", "{{instance}} waiting"),
                ],
            ),
            lines(
                "Alerts",
                "By webhook, and with drift events by topic, within ten minutes; dead and unsaid ones are lost.",
                [
                    query("increase(streamqid_webhook_deliveries_total[10m])", "{{instance}} webhook {{outcome}}"),
                    query("increase(streamqid_alert_messages_total[10m])", "{{instance}} topic {{outcome}}"),
                    query("streamqid_alert_messages_waiting", "{{instance}} waiting for the topic"),
                ],
            ),
        ],
        [STREAM],
    )


def rendered() -> dict[str, str]:
    """Return the text of each dashboard by the name of its file."""
    return {
        f"{one['uid']}.json": json.dumps(one, indent=2, ensure_ascii=False) + "\n"
        for one in (overview(), drift(), pipeline())
    }


if __name__ == "__main__":
    for name, text in rendered().items():
        (FOLDER / name).write_text(text)
