"""Every mistake in a file: one sentence that names the key, and no text that stood in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from streamqid.config.document import parse
from streamqid.config.loading import validated
from streamqid.config.writing import reference
from streamqid.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from streamqid.config import Config

ADDRESS = "must be an address such as http://host/path, without user and password: give token_file."
STREAM = [
    ("{copies: [{to: out}]}", "copies[0].set is missing: give exactly one of set, columns and recommended."),
    (
        "{copies: [{to: out, columns: [a], recommended: true}]}",
        "copies[0].set is not the only one of the three: give exactly one of set, columns and recommended.",
    ),
    (
        "{copies: [{to: out, columns: [a]}]}",
        "copies[0].when_unsure must be pass, since nobody judges columns; or publish a set with them and name it.",
    ),
    ("{copies: [{to: out, set: nobody}]}", "copies[0].set is not the name of a published set of this stream."),
    ("{copies: [{to: out, recommended: true, constant: 1}]}", "copies[0].constant is for hidden: replace only."),
    (
        "{copies: [{to: out, recommended: true}], problems: {mask: null}}",
        "copies[0].recommended is true, but problems.mask is null: ask for a masking.",
    ),
    (
        "{copies: [{to: out, recommended: true, hidden: replace}]}",
        "copies[0].hidden is replace, which needs named columns: give columns.only.",
    ),
    (
        "{copies: [{to: out, recommended: true}, {to: out, recommended: true}]}",
        "copies[1].to is the topic of another copy too: give each its own.",
    ),
    (
        "{copies: [{to: out, columns: [b], when_unsure: pass}], columns: {ignore: [b]}}",
        "copies[0].columns names the column 'b', which columns.ignore leaves out.",
    ),
    ("{windows: {widht: 5m}}", "windows.widht is not known: did you mean width?"),
    ("{windows: {width: 5}}", "windows.width must be a duration such as 30s, 5m, 1h or 250ms."),
    ("{windows: {width: 0}}", "windows.width must be greater than 0, not 0."),
    ("{windows: {by: column}}", "windows.column must name the column with the time, since by is column."),
    ("{windows: {column: at}}", "windows.column is given, but by is records: write by: column."),
    (
        "{windows: {by: record, ahead: 2d}}",
        "windows.ahead is given, but by is record: only times in a column are held to it.",
    ),
    ("{windows: {lateness: 5m}}", "windows.lateness is 5m, but by is records: offsets are never late."),
    (
        "{windows: {window_panes: 8}}",
        "windows.panes_kept is 8, but 9 panes are needed: 8 of a closed window, 1 open and 0 of lateness.",
    ),
    (
        "{windows: {by: ingest, width: 10m, lateness: 65m}}",
        "windows.panes_kept is 8, but 9 panes are needed: 1 of a closed window, 1 open and 7 of lateness.",
    ),
    ("{sampling: {epsilon: 1}}", "sampling.epsilon must be less than 1, not 1."),
    ("{sampling: {delta: -0.5}}", "sampling.delta must be at least 1e-09, not -0.5."),
    ("{sampling: {epsilon: .nan}}", "sampling.epsilon must be a finite number."),
    ("{sampling: {rows: 1.5}}", "sampling.rows must be a whole number."),
    ("{sampling: {rows: '5'}}", "sampling.rows must be a whole number."),
    ("{sampling: {memory: lots}}", "sampling.memory must be a size such as 64MiB, 2GB or 4096."),
    ("{sampling: {distinct: 1}}", "sampling.distinct must be true or false."),
    ("{sampling: null}", "sampling must hold keys and values."),
    (
        "{problems: {key: {measure: distinct}}}",
        "sampling.distinct must be true, or rows be given, for a key by the measure distinct.",
    ),
    ("{problems: {key: {measure: size}}}", "problems.key.measure must be 'separation' or 'distinct'."),
    ("{problems: {key: {rule: paper}}}", "problems.key.rule is paper, which needs named columns: give columns.only."),
    ("{problems: {key: {rule: tuples}}}", "problems.key.rule is tuples, which needs named columns: give columns.only."),
    (
        "{problems: {key: {rule: tuples, beta: 0.5}}, columns: {only: [a]}}",
        "problems.key.rule is tuples, which is for keys by separation without beta.",
    ),
    (
        "{problems: {mask: {rule: tuples}}, columns: {only: [a]}}",
        "problems.mask.rule is tuples, which is for keys: ask by certified or paper.",
    ),
    ("{problems: {key: {weights: {a: 0}}}}", "problems.key.weights.a must be greater than 0, not 0."),
    (
        "{problems: {key: {measure: distinct, beta: 0.5}}, sampling: {distinct: true}}",
        "problems.key.beta is for the measure separation only.",
    ),
    (
        "{problems: {mask: {must_publish: [a], must_hide: [b, a]}}}",
        "problems.mask.must_hide names the column 'a', which must_publish names too: name it once.",
    ),
    (
        "{problems: {key: null, mask: null}}",
        "problems asks for neither key nor mask, and no set is published: ask for something.",
    ),
    ("{columns: {only: [a], ignore: [a]}}", "columns.ignore names the column 'a', which only names too: name it once."),
    (
        "{columns: {only: [a, b, c], max_columns: 2}}",
        "columns.only names 3 columns, more than max_columns, 2.",
    ),
    (
        "{columns: {only: [age, zip]}, published: [{name: x, columns: [agee], limits: {separation: 0.5}}]}",
        "published[0].columns names the column 'agee', which is not among those that are named: did you mean 'age'?",
    ),
    (
        "{columns: {ignore: [zip]}, problems: {key: {weights: {zip: 2}}}}",
        "problems.key.weights names the column 'zip', which columns.ignore leaves out.",
    ),
    ("{published: [{name: x, columns: [], limits: {separation: 0.5}}]}", "published[0].columns must not be empty."),
    (
        "{published: [{name: x, columns: [a], limits: {}}]}",
        "published[0].limits.separation and all other limits are missing: give at least one.",
    ),
    (
        "{published: [{name: x, columns: [a], limits: {distinct: 1}, must_publish: [b]}]}",
        "published[0].must_publish names the column 'b', which is not among its columns.",
    ),
    (
        "{published: [{name: x, columns: [a], limits: {distinct: 1}, window_panes: 8}]}",
        "published[0].window_panes is 8, but windows.panes_kept holds a closed window of 7 at most.",
    ),
    ("{published: [{name: x, columns: [a]}]}", "published[0].limits is missing: it must be given."),
    (
        "{published: [{name: x, columns: [a], limits: {distinct: 1}}, {name: x, columns: [b], limits: {distinct: 1}}]}",
        "published[1].name is the name of another set too: give each its own.",
    ),
    ("{format: {kind: csv}}", "format.columns must name the fields of a line of CSV."),
    ("{format: {kind: csv, columns: [a], row_path: x}}", "format.row_path is for kind json only."),
    ("{format: {kind: csv, columns: [a, a]}}", "format.columns names 2 fields, but only 1 differ."),
    ("{format: {kind: csv, columns: [a], delimiter: '\"'}}", "format.delimiter must not be a quote or a line end."),
    (
        "{format: {columns: [a]}}",
        "format.columns is for kind csv only; the key columns of the stream chooses among the fields.",
    ),
    (
        "{format: {kind: csv, columns: [a, b]}, columns: {ignore: [a, b]}}",
        "columns.ignore leaves no column: ignore fewer.",
    ),
    (
        "{format: {kind: csv, columns: [age]}, columns: {ignore: [aeg]}}",
        "columns.ignore names the column 'aeg', which is not among those that are named: did you mean 'age'?",
    ),
    (
        "{format: {kind: csv, columns: [age]}, windows: {by: column, column: at}}",
        "windows.column names the column 'at', which is not among those that are named.",
    ),
    (
        "{format: {max_batch_bytes: 1KiB}}",
        "format.max_batch_bytes is 1024, less than max_record_bytes, 1048576: a batch holds at least one record.",
    ),
    ("{format: {max_depth: 33}}", "format.max_depth must be at most 32, not 33."),
    ("{missing: {markers: [NO]}}", "missing.markers[0] must be a text: put it in quotes."),
    (
        "{schedule: {solve_records: null, solve_interval: null, on_close: false}}",
        "schedule.on_close is false, solve_records and solve_interval are null: nothing would be solved.",
    ),
    ("{topics: []}", "topics is missing, and there is no pattern: give one of them."),
    ("{pattern: 'a.*'}", "topics and pattern are both given: give one of them."),
    ("{topics: [a, a]}", "topics has 2 names, but only 1 differ."),
    ("{topics: [], pattern: '('}", "pattern is not a regular expression."),
    (
        "{topics: [a b]}",
        "topics[0] is not the name of a topic: letters, digits, dots, dashes and underscores.",
    ),
    (
        "{name: ../x}",
        "name must begin with a letter or digit and hold letters, digits, dots, dashes and underscores only.",
    ),
    ("{name: key}", "name makes its state directory the same path as key.file: change one."),
    ("{on_gap: ignore}", "on_gap must be 'halt' or 'skip'."),
    ("{path: 5}", "path must be 'auto', 'header', 'full' or 'plain'."),
]
TOP = [
    *(
        (f'publish: {{alerts: {{webhook: {{url: "{url}"}}}}}}', f"publish.alerts.webhook.url {ADDRESS}")
        for url in (
            "http://user:SECRET@host/x",
            "http://host:SECRET/",
            "ftp://host/SECRET",
            "http://host/SECRET \u00e9",
        )
    ),
    ("{kafka: {bootstrap_server: x}}", "kafka.bootstrap_server is not known: did you mean bootstrap_servers?"),
    ("{kafka: {bootstrap_servers: []}}", "kafka.bootstrap_servers must not be empty."),
    ("{kafka: {bootstrap_servers: localhost}}", "kafka.bootstrap_servers[0] must be host:port."),
    ("{kafka: {bootstrap_servers: 9092}}", "kafka.bootstrap_servers must be a list."),
    ("{kafka: {client_id: ''}}", "kafka.client_id must not be empty."),
    ("{kafka: {client_id: 7}}", "kafka.client_id must be a text: put it in quotes."),
    ("{kafka: {security_protocol: SASL_SSL}}", "kafka.sasl.mechanism is needed for security_protocol SASL_SSL."),
    (
        "{kafka: {tls: {ca_file: x}}}",
        "kafka.security_protocol is PLAINTEXT, but tls is set: write SSL.",
    ),
    (
        "{kafka: {sasl: {mechanism: PLAIN, username: x, password_env: X}}}",
        "kafka.security_protocol is PLAINTEXT, but sasl is set: write SASL_SSL or SASL_PLAINTEXT.",
    ),
    ("{kafka: {sasl: {mechanism: PLAIN}}}", "kafka.sasl.username is needed for the mechanism PLAIN."),
    (
        "{kafka: {sasl: {mechanism: PLAIN, username: x}}}",
        "kafka.sasl.password_file or password_env is needed for the mechanism PLAIN.",
    ),
    (
        "{kafka: {sasl: {mechanism: PLAIN, username: x, password_env: X, password_file: x}}}",
        "kafka.sasl.password_env and password_file are both given: give one of them.",
    ),
    ("{kafka: {sasl: {username: x}}}", "kafka.sasl.mechanism is needed where a username or a password is given."),
    (
        "{kafka: {sasl: {mechanism: OAUTHBEARER}}}",
        "kafka.sasl.token_file is needed for the mechanism OAUTHBEARER.",
    ),
    (
        "{kafka: {sasl: {mechanism: OAUTHBEARER, token_file: x, username: x}}}",
        "kafka.sasl.mechanism OAUTHBEARER takes a token_file, and no username or password.",
    ),
    ("{kafka: {sasl: {token_file: x}}}", "kafka.sasl.token_file is for the mechanism OAUTHBEARER only."),
    (
        "{kafka: {tls: {certificate_file: x}}}",
        "kafka.tls.key_file is missing: a certificate and its private key are given together.",
    ),
    ("{kafka: {tls: {key_password_env: X}}}", "kafka.tls.key_file is missing, but a password for it is given."),
    (
        "{kafka: {tls: {certificate_file: x, key_file: x, key_password_env: X, key_password_file: x}}}",
        "kafka.tls.key_password_env and key_password_file are both given: give one of them.",
    ),
    (
        "{kafka: {sasl: {password: x}}}",
        "kafka.sasl.password must not stand in the file: give password_file or password_env instead.",
    ),
    ("{kafka: {sasl: {token: x}}}", "kafka.sasl.token must not stand in the file: give token_file instead."),
    ("{http: {token: x}}", "http.token must not stand in the file: give token_file or token_env instead."),
    ("{http: {token_env: a b}}", "http.token_env must be the name of an environment variable."),
    ("{http: {token_env: A, token_file: a}}", "http.token_env and token_file are both given: give one of them."),
    (
        "{http: {address: 0.0.0.0}}",
        "http.address can be reached by other machines: give token_file or token_env, or write insecure: true.",
    ),
    ("{http: {address: localhost}}", "http.address must be the number of an address, such as 127.0.0.1 or 0.0.0.0."),
    ("{http: {port: 99999}}", "http.port must be at most 65535, not 99999."),
    ("{log: {level: loud}}", "log.level must be 'debug', 'info', 'warning' or 'error'."),
    ("{logs: {}}", "logs is not known: did you mean log?"),
    (
        "{weather: {}}",
        "weather is not known: the keys here are kafka, key, state, http, log, ready, solver, publish, streams.",
    ),
    ("{state: {directory: 5}}", "state.directory must be a text: put it in quotes."),
    ('{state: {directory: "a\\0b"}}', "state.directory holds a character that no path has."),
    (
        "{state: {checkpoint_records: null, checkpoint_interval: null}}",
        "state.checkpoint_interval and checkpoint_records are both null: the state would not be saved.",
    ),
    (
        "{ready: {max_snapshot_age: 10s}}",
        "ready.max_snapshot_age is 10s, less than state.checkpoint_interval, 30s: it would hardly ever be ready.",
    ),
    (
        "{publish: {topic: people}}",
        "publish.topic is 'people', which streams[0] reads: write to a topic that no stream reads.",
    ),
    (
        "{publish: {topic: a, dead_letters: {topic: a}}}",
        "publish.dead_letters.topic is publish.topic too: give each its own.",
    ),
]


@pytest.mark.parametrize(("stream", "sentence"), STREAM)
def test_a_mistake_in_a_stream_is_told_with_its_path(
    configured: Callable[..., Config], stream: str, sentence: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        configured(stream)
    assert str(refused.value) == f"streams[0].{sentence}"


@pytest.mark.parametrize(("top", "sentence"), TOP)
def test_a_mistake_at_the_top_is_told_with_its_path(configured: Callable[..., Config], top: str, sentence: str) -> None:
    with pytest.raises(ConfigError) as refused:
        configured(top=top)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({}, "kafka is missing: it must be given."),
        ({"kafka": {"bootstrap_servers": "a:1"}}, "streams is missing: it must be given."),
        ({"kafka": {"bootstrap_servers": "a:1"}, "streams": []}, "streams must not be empty."),
        ({"kafka": {"bootstrap_servers": "a:1"}, "streams": {}}, "streams must be a list."),
        ({"kafka": {"bootstrap_servers": "a:1"}, "streams": [5]}, "streams[0] must hold keys and values."),
        (
            {"kafka": {"bootstrap_servers": "a:1"}, "streams": [{"name": n, "topics": "t"} for n in ("x", "X")]},
            "streams[1].name is that of streams[0] too: give each its own.",
        ),
    ],
)
def test_what_must_be_given_is_asked_for(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError) as refused:
        validated(values)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("streams", "key", "other"),
    [
        ({"a": "y", "a.copy.y": "z"}, "streams[0].copies[0].to", "streams[1].name"),
        ({"a": "b.copy.c", "a.copy.b": "c"}, "streams[1].copies[0].to", "streams[0].copies[0].to"),
        ({"a": "b.copy.c", "a.copy.d": "c"}, None, None),
    ],
)
def test_no_two_offsets_are_kept_under_one_name(streams: dict[str, str], key: str | None, other: str | None) -> None:
    made = [{"name": n, "topics": "t", "copies": [{"to": to, "recommended": True}]} for n, to in streams.items()]
    values = {"kafka": {"bootstrap_servers": "a:1"}, "streams": made}
    if key is None:
        assert len(validated(values).streams) == 2
        return
    with pytest.raises(ConfigError) as refused:
        validated(values)
    assert str(refused.value) == f"{key} makes the group of this copy the same as {other} does: rename a stream."


CANARY = "CANARY_7f3a"
SCALARS = st.sampled_from([CANARY, f"{CANARY}!", [CANARY], {CANARY: 1}, -1, 2.5, 10**30, None, True, [], {}])


@st.composite
def spoilt(draw: st.DrawFn) -> dict[str, Any]:
    """The reference with one value replaced."""
    values: dict[str, Any] = yaml.safe_load(reference())
    inner: Any = values
    while True:
        keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        key = draw(st.sampled_from(keys))
        if isinstance(inner[key], dict | list) and inner[key] and draw(st.integers(0, 9)):
            inner = inner[key]
            continue
        inner[key] = draw(SCALARS)
        return values


@given(spoilt())
def test_any_wrong_value_gives_one_sentence_that_does_not_quote_it(values: dict[str, Any]) -> None:
    try:
        validated(parse(yaml.safe_dump(values).encode(), "x.yaml"))
    except ConfigError as refused:
        sentence = str(refused)
    else:
        return
    assert sentence[-1] in ".?"
    assert "\n" not in sentence
    assert "pydantic" not in sentence
    assert "is not allowed here" not in sentence, "a kind of error has no sentence of its own"
    # A key may be named, and so may a column and a topic; the text itself is told nowhere else.
    told = sentence.replace(f".{CANARY}", "").replace(f"the column {CANARY!r}", "")
    assert CANARY not in told, sentence


def test_a_copy_has_a_topic_and_a_group_of_its_own(configured: Callable[..., Config]) -> None:
    copies = "{copies: [{to: %s, recommended: true}]}"
    for topic, top, sentence in (
        (
            "people",
            "{}",
            "streams[0].copies[0].to is 'people', which streams[0] reads: write to a topic that no stream",
        ),
        ("out", "{publish: {topic: out}}", "streams[0].copies[0].to is publish.topic too: give each its own."),
        ("out", "{kafka: {group_id: null}}", "kafka.group_id is null, but a copy keeps its offsets under it: give a"),
    ):
        with pytest.raises(ConfigError) as refused:
            configured(copies % topic, top)
        assert str(refused.value).startswith(sentence)
