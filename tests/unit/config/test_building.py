from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from streamqid.broker.times import TimeRule
from streamqid.config.building import (
    connection_of,
    copy_name_of,
    copy_rule_of,
    format_of,
    group_of,
    secret_of,
    state_directory_of,
    stream_of,
    time_rule_of,
)
from streamqid.copying.rule import Action, CopyRule
from streamqid.engine.counting import Counting
from streamqid.engine.panes import PaneRule
from streamqid.engine.questions import AskKey, AskMask, Limit, PublishedSet, Quantity
from streamqid.engine.schedule import Pace
from streamqid.engine.stream import Stream
from streamqid.errors import ConfigError
from streamqid.sampling.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamqid.config import Config

SECRET = Secret.from_seed(1)
CANARY = "canary-5d1c9"


def built(config: Config) -> Stream:
    return stream_of(config.streams[0], SECRET, state=config.state)


def test_the_smallest_file_asks_what_the_engine_asks_by_default(configured: Callable[..., Config]) -> None:
    stream = built(configured())
    plain = Stream("people", SECRET, stream.capacity, max_columns=128)
    assert (stream.digest, stream.sampling_digest) == (plain.digest, plain.sampling_digest)
    assert stream.pace == Pace(checkpoint_seconds=30.0)


def test_every_option_of_a_stream_reaches_the_engine(configured: Callable[..., Config]) -> None:
    config = configured(
        """
        columns: {only: [a, b, c], ignore: []}
        missing: {rule: equal, markers: ["?"]}
        sampling: {rows: 500}
        windows: {by: record, width: 10m, window_panes: 2, settle_windows: 3, panes_kept: 5, lateness: 11m}
        problems:
          key: {measure: distinct, epsilon: 0.1, delta: 0.2, rule: paper, weights: {a: 2}}
          mask: {measure: distinct, beta: 0.5, delta: 0.3, rule: paper, weights: {b: 3}, must_publish: a, must_hide: b}
        published:
        - name: x
          columns: [a, b]
          limits: {separation: 0.7, distinct: 0.6, unique_rows: 0.5, small_groups: {k: 7, share: 0.4},
                   smallest_group: 3}
          delta: 0.05
          window_panes: 2
          owner: me
          link: there
          fresh_from: 12.5
          must_publish: [a]
          min_rows: 700
        schedule: {solve_records: 10, solve_interval: 2s, on_close: false}
        """,
        "state: {checkpoint_records: 5, checkpoint_interval: 7s}",
    )
    stream = built(config)
    assert stream.capacity.k(10**9) == 500
    assert (stream.missing, stream.markers) == ("equal", ("?",))
    assert stream.projection.only == ("a", "b", "c")
    assert stream.panes == PaneRule(600.0, "seconds")
    assert (stream.window_panes, stream.panes_kept, stream.late_panes) == (2, 5, 2)
    key, mask = config.streams[0].problems.key, config.streams[0].problems.mask
    assert key is not None
    assert mask is not None
    assert stream.key == AskKey(key.measure, 0.1, 0.2, key.rule, None, {"a": 2.0})
    assert stream.mask == AskMask(mask.measure, 0.5, 0.3, mask.rule, {"b": 3.0}, ("a",), ("b",))
    limits = (
        Limit(Quantity.SEPARATION, 0.7),
        Limit(Quantity.DISTINCT, 0.6),
        Limit(Quantity.UNIQUE_ROWS, 0.5),
        Limit(Quantity.SMALLEST_GROUP, 3),
        Limit(Quantity.SMALL_GROUPS, 0.4, 7),
    )
    assert stream.settle_windows == 3
    assert stream.published == (PublishedSet("x", ("a", "b"), limits, 0.05, 2, "me", "there", 12.5, ("a",), 700),)
    assert stream.pace == Pace(10, 2.0, False, 5, 7.0)


def test_questions_that_are_null_are_not_asked(configured: Callable[..., Config]) -> None:
    assert built(configured("{problems: {key: null}}")).key is None
    assert built(configured("{problems: {mask: null}}")).mask is None


def test_the_fields_of_csv_lines_are_named_columns(configured: Callable[..., Config]) -> None:
    config = configured("{format: {kind: csv, columns: [a, b, c], delimiter: ';'}, columns: {ignore: [b]}}")
    assert built(config).projection.only == ("a", "c")
    read = format_of(config.streams[0].format)
    assert (read.kind, read.columns, read.delimiter, read.max_bytes) == ("csv", ("a", "b", "c"), ";", 1 << 20)


def test_event_times_come_from_where_they_are_configured(configured: Callable[..., Config]) -> None:
    column = "{windows: {by: column, column: at, unit: seconds}}"
    assert time_rule_of(configured(column).streams[0].windows) == TimeRule("column", "at", "seconds", 86_400.0)
    believed = "{windows: {by: column, column: at, ahead: null}}"
    assert time_rule_of(configured(believed).streams[0].windows) == TimeRule("column", "at")
    assert time_rule_of(configured("{windows: {by: record}}").streams[0].windows) == TimeRule("record")
    assert time_rule_of(configured().streams[0].windows) == TimeRule("ingest")


def test_saved_panes_belong_to_one_rule_of_times(configured: Callable[..., Config]) -> None:
    rules = ["by: record", "by: ingest", "by: column, column: at", "by: column, column: to"]
    rules += ["by: column, column: at, unit: seconds", "by: column, column: at, ahead: 2d"]
    streams = [built(configured(f"{{windows: {{{rule}}}}}")) for rule in rules]
    assert len({stream.sampling_digest for stream in streams}) == len(rules)
    same = built(configured("{windows: {by: column, column: at, ahead: 24h}}"))
    assert same.sampling_digest == streams[2].sampling_digest


def test_a_stream_has_its_own_group_and_directory(configured: Callable[..., Config]) -> None:
    config = configured(top="{kafka: {group_id: g}, state: {directory: d}}")
    assert group_of(config, config.streams[0]) == "g.people"
    assert state_directory_of(config, config.streams[0]) == Path("d/people")
    assert group_of(configured(top="{kafka: {group_id: null}}"), config.streams[0]) is None


def test_a_connection_carries_its_secrets_and_hides_them(configured: Callable[..., Config], tmp_path: Path) -> None:
    for name in ("password", "key"):
        (tmp_path / name).write_text(f"{CANARY}-{name}\n")
        (tmp_path / name).chmod(0o600)
    config = configured(
        top=f"""
        kafka:
          bootstrap_servers: [a:1, b:2]
          client_id: me
          bootstrap_timeout: 3s
          security_protocol: SASL_SSL
          sasl: {{mechanism: SCRAM-SHA-256, username: u, password_file: {tmp_path}/password}}
          tls:
            ca_file: ca.pem
            certificate_file: c.pem
            key_file: {tmp_path}/key
            key_password_env: KEY_PASSWORD
            check_hostname: false
        """
    )
    connection = connection_of(config, {"KEY_PASSWORD": f"{CANARY}-env"})
    assert connection.bootstrap_servers == ("a:1", "b:2")
    assert (connection.client_id, connection.bootstrap_timeout_seconds) == ("me", 3.0)
    assert (connection.sasl_mechanism, connection.username) == ("SCRAM-SHA-256", "u")
    assert (connection.password, connection.key_password) == (f"{CANARY}-password", f"{CANARY}-env")
    assert (connection.ca_file, connection.certificate_file) == ("ca.pem", "c.pem")
    assert connection.check_hostname is False
    assert CANARY not in repr(connection)
    assert CANARY not in repr(config)


def test_a_private_key_that_others_may_read_is_refused(configured: Callable[..., Config], tmp_path: Path) -> None:
    (tmp_path / "key").write_text("x")
    (tmp_path / "key").chmod(0o644)
    tls = f"{{certificate_file: c, key_file: {tmp_path}/key}}"
    with pytest.raises(ConfigError, match=r"kafka\.tls\.key_file names has mode 0644"):
        connection_of(configured(top=f"{{kafka: {{security_protocol: SSL, tls: {tls}}}}}"))


def test_a_token_is_read_anew_each_time(configured: Callable[..., Config], tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("one\n")
    path.chmod(0o600)
    sasl = f"{{mechanism: OAUTHBEARER, token_file: {path}}}"
    connection = connection_of(configured(top=f"{{kafka: {{security_protocol: SASL_SSL, sasl: {sasl}}}}}"))
    assert connection.token is not None
    assert connection.token() == "one"
    path.write_text("two\n")
    assert connection.token() == "two"


def test_the_key_is_made_when_it_is_first_asked_for(configured: Callable[..., Config], tmp_path: Path) -> None:
    config = configured(top=f"{{key: {{file: {tmp_path}/state/key}}}}")
    assert secret_of(config) == secret_of(config)


def test_published_sets_are_counted_as_each_asks_or_all_on_the_full_path(configured: Callable[..., Config]) -> None:
    counted, sampled = "limits: {unique_rows: 0.7}", "limits: {separation: 0.7}"
    published = f"published: [{{name: x, columns: [b, a], {counted}}}, {{name: y, columns: [c], {sampled}}}]"
    assert built(configured(f"{{{published}}}")).counted == (("a", "b"),)
    assert built(configured(f"{{{published}, path: plain}}")).counted == (("a", "b"),)
    stream = built(configured(f"{{{published}, path: full, sampling: {{groups: 99}}}}"))
    assert stream.counting == Counting((("a", "b"), ("c",)), 99)
    assert built(configured("{path: full}")).counting == Counting()
    assert built(configured("{path: header}")).counting is None
    with pytest.raises(ConfigError, match="path is header, but a published set is to be counted"):
        configured(f"{{{published}, path: header}}")


def test_columns_are_limited_unless_they_are_named(configured: Callable[..., Config]) -> None:
    assert built(configured("{columns: {max_columns: 9}}")).new_sampler().max_columns == 9
    assert built(configured("{columns: {max_columns: 9, only: [a, b]}}")).new_sampler().max_columns is None


def test_a_name_longer_than_any_that_can_be_configured_is_no_column(configured: Callable[..., Config]) -> None:
    projection = built(configured("{columns: {ignore: [b]}}")).projection
    assert projection.keep(["a", "b", "n" * 1000, "n" * 1001]) == [0, 2]


def test_copies_are_told_what_the_configuration_says(configured: Callable[..., Config]) -> None:
    config = configured(
        "{published: [{name: released, columns: [a, b], limits: {separation: 0.5}}],"
        " columns: {only: [a, b, c], ignore: [id]},"
        " copies: [{to: one, set: released}, {to: two, columns: [c], when_unsure: pass, when_unsafe: drop, key: keep,"
        " hidden: replace, constant: '*'}, {to: three, recommended: true}]}"
    )
    (stream,) = config.streams
    assert [copy_rule_of(stream, copy) for copy in stream.copies] == [
        CopyRule("one", ("a", "b"), set="released"),
        CopyRule(
            "two",
            ("c",),
            hidden=("a", "b", "c", "id"),
            constant="*",
            keep_key=True,
            when_unsafe=Action.DROP,
            when_unsure=Action.COPY,
        ),
        CopyRule("three", recommended=True),
    ]
    assert copy_name_of(config, stream, stream.copies[0]) == "streamqid.people.copy.one"
