"""From the configuration to the values that the service is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.broker.connect import Connection
from streamqid.broker.formats import Format
from streamqid.broker.times import TimeRule
from streamqid.config.asked_problems import problems_of
from streamqid.config.copies import copy_group
from streamqid.config.keyfile import open_key
from streamqid.config.quantities import duration_text
from streamqid.config.secrets import source
from streamqid.config.section import LONGEST_NAME
from streamqid.copying.rule import Action, CopyRule
from streamqid.engine.counting import Counting
from streamqid.engine.panes import PaneRule
from streamqid.engine.projection import Projection
from streamqid.engine.questions import AskKey, AskMask, Limit, PublishedSet, Quantity
from streamqid.engine.schedule import Pace
from streamqid.engine.stream import Stream
from streamqid.publish.posting import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from streamqid.config.asking import KeyProblemConfig, MaskProblemConfig, PublishedSetConfig, ScheduleConfig
    from streamqid.config.copies import CopyConfig
    from streamqid.config.reading import FormatConfig, WindowsConfig
    from streamqid.config.root import Config
    from streamqid.config.service import StateConfig
    from streamqid.config.stream import StreamConfig
    from streamqid.sampling.secret import Secret


def secret_of(config: Config) -> Secret:
    """Return the key of the fingerprints, made now if it is asked for; raises a ConfigError."""
    return open_key(config.key)


def connection_of(config: Config, environ: Mapping[str, str] | None = None) -> Connection:
    """Return how to reach the brokers, with the secrets in it; raises a ConfigError when one cannot be read."""
    kafka, sasl, tls = config.kafka, config.kafka.sasl, config.kafka.tls
    # The client reads the private key itself; here it is made sure that nobody else can.
    source(config, "kafka.tls.key").read(environ)
    return Connection(
        bootstrap_servers=kafka.bootstrap_servers,
        client_id=kafka.client_id,
        security_protocol=kafka.security_protocol,
        sasl_mechanism=sasl.mechanism,
        username=sasl.username,
        password=source(config, "kafka.sasl.password").read(environ),
        token=_token_of(config),
        ca_file=_text(tls.ca_file),
        certificate_file=_text(tls.certificate_file),
        key_file=_text(tls.key_file),
        key_password=source(config, "kafka.tls.key_password").read(environ),
        check_hostname=tls.check_hostname,
        bootstrap_timeout_seconds=kafka.bootstrap_timeout,
    )


def webhook_of(config: Config) -> Target:
    """Return where alerts are posted; only for a configuration that names an address."""
    webhook = config.publish.alerts.webhook
    token = source(config, "publish.alerts.webhook.token").read()
    return Target(webhook.url or "", webhook.format, token, webhook.timeout, webhook.retries)


def group_of(config: Config, stream: StreamConfig) -> str | None:
    """Return the group under which the offsets of a stream are committed; None commits none."""
    return None if config.kafka.group_id is None else f"{config.kafka.group_id}.{stream.name}"


def copy_name_of(config: Config, stream: StreamConfig, copy: CopyConfig) -> str:
    """Return the group and transactional id of a copy."""
    return f"{config.kafka.group_id}.{copy_group(stream.name, copy.to)}"


def copy_rule_of(stream: StreamConfig, copy: CopyConfig) -> CopyRule:
    """Return what one copy of a stream is told."""
    columns = copy.columns
    if copy.set is not None:
        columns = next(one.columns for one in stream.published if one.name == copy.set)
    named = (*stream.format.columns, *stream.columns.only, *stream.columns.ignore)
    return CopyRule(
        to=copy.to,
        columns=columns,
        set=copy.set,
        recommended=copy.recommended,
        hidden=tuple(dict.fromkeys(named)) if copy.hidden == "replace" else (),
        constant=copy.constant,
        keep_key=copy.key == "keep",
        when_unsafe=Action(copy.when_unsafe),
        when_unsure=Action(copy.when_unsure),
    )


def state_directory_of(config: Config, stream: StreamConfig) -> Path:
    """Return the directory that the state of a stream is kept in."""
    return config.state.directory / stream.name


def format_of(config: FormatConfig) -> Format:
    """Return how the records of a stream are read."""
    return Format(
        kind=config.kind,
        row_path=config.row_path or "",
        columns=config.columns,
        delimiter=config.delimiter,
        max_bytes=config.max_record_bytes,
        max_depth=config.max_depth,
        max_fields=config.max_fields,
    )


def time_rule_of(config: WindowsConfig) -> TimeRule:
    """Return where the time of a record comes from; panes that are cut by offset do not ask for it."""
    if config.by == "column":
        return TimeRule("column", config.column or "", config.unit, config.ahead)
    return TimeRule("ingest" if config.by == "records" else config.by)


def stream_of(config: StreamConfig, secret: Secret, *, state: StateConfig) -> Stream:
    """Return what the loop of a stream is told; ``state`` says how often it saves."""
    only = config.columns.only or config.format.columns
    ignore = config.columns.ignore
    return Stream(
        name=config.name,
        secret=secret,
        capacity=config.sizes.capacity,
        missing=config.missing.rule,
        markers=config.missing.markers,
        projection=Projection([name for name in only if name not in ignore], ignore, LONGEST_NAME),
        panes=_pane_rule(config.windows),
        event_time=_event_time(config.windows),
        panes_kept=config.windows.panes_kept,
        window_panes=config.windows.window_panes,
        late_panes=config.windows.late_panes,
        key=_ask_key(config.problems.key),
        mask=_ask_mask(config.problems.mask),
        settle_windows=config.windows.settle_windows,
        problems=problems_of(config.problems),
        published=tuple(map(_published, config.published)),
        max_columns=None if config.named_columns else config.columns.max_columns,
        counting=None if config.counted is None else Counting(config.counted, config.sampling.groups),
        pace=_pace(config.schedule, state),
    )


def _token_of(config: Config) -> Callable[[], str] | None:
    """Return what reads the token anew each time; it is read once here, so that a mistake is told at the start."""
    found = source(config, "kafka.sasl.token")
    if found.read() is None:
        return None
    return lambda: found.read() or ""


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _pane_rule(windows: WindowsConfig) -> PaneRule:
    return PaneRule(windows.width_records, "records") if windows.by == "records" else PaneRule(windows.width, "seconds")


def _event_time(windows: WindowsConfig) -> tuple[str, ...]:
    """Name the rule by which times are found; panes that are cut by offset have none."""
    if windows.by != "column":
        return () if windows.by == "records" else (windows.by,)
    ahead = "any" if windows.ahead is None else duration_text(windows.ahead)
    return "column", str(windows.column), windows.unit, ahead


def _ask_key(key: KeyProblemConfig | None) -> AskKey | None:
    if key is None:
        return None
    return AskKey(key.measure, key.epsilon, key.delta, key.rule, key.beta, key.weights)


def _ask_mask(mask: MaskProblemConfig | None) -> AskMask | None:
    if mask is None:
        return None
    return AskMask(mask.measure, mask.beta, mask.delta, mask.rule, mask.weights, mask.must_publish, mask.must_hide)


def _published(one: PublishedSetConfig) -> PublishedSet:
    shares = [
        (Quantity.SEPARATION, one.limits.separation),
        (Quantity.DISTINCT, one.limits.distinct),
        (Quantity.UNIQUE_ROWS, one.limits.unique_rows),
        (Quantity.SMALLEST_GROUP, one.limits.smallest_group),
    ]
    limits = [Limit(quantity, value) for quantity, value in shares if value is not None]
    if one.limits.small_groups is not None:
        limits.append(Limit(Quantity.SMALL_GROUPS, one.limits.small_groups.share, one.limits.small_groups.k))
    limits += [Limit(Quantity.CLOSENESS, c.share, sensitive=c.sensitive, t=c.t) for c in one.limits.closeness]
    return PublishedSet(
        name=one.name,
        columns=one.columns,
        limits=tuple(limits),
        delta=one.delta,
        window_panes=one.window_panes,
        owner=one.owner,
        link=one.link,
        fresh_from=one.fresh_from,
        must_publish=one.must_publish,
        min_rows=one.min_rows,
    )


def _pace(schedule: ScheduleConfig, state: StateConfig) -> Pace:
    return Pace(
        solve_records=schedule.solve_records,
        solve_seconds=schedule.solve_interval,
        on_close=schedule.on_close,
        checkpoint_records=state.checkpoint_records,
        checkpoint_seconds=state.checkpoint_interval,
    )
