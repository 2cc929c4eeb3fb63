from __future__ import annotations

import re
import threading
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import choose_encoder
from prometheus_client.parser import text_string_to_metric_families as parse

from streamqid.engine.events import Applied, Outcome, Solved, Trouble, TroubleKind
from streamqid.engine.observers import Silent
from streamqid.engine.projection import Projection
from streamqid.engine.state import State
from streamqid.errors import StateError
from streamqid.publish.definitions import DEFINITIONS, PREFIX
from streamqid.publish.metrics import Metrics, StreamMetrics
from streamqid.publish.outside import Outside
from streamqid.publish.readings import BUCKETS, Durations, Reading, families
from streamqid.publish.reference import reference
from streamqid.records import Origin, Reason, Reject
from tests.conftest import ROOT
from tests.unit.engine.test_sample_questions import ALL, COLUMNS
from tests.unit.publish.watching import ROWS, STREAM, Service, openmetrics_names

if TYPE_CHECKING:
    from streamqid.records import Batch

Scrape = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def scrape(registry: CollectorRegistry) -> Scrape:
    text = generate_latest(registry).decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in parse(text)
        for sample in family.samples
    }


def value(found: Scrape, name: str, **labels: str) -> float:
    wanted = {"stream": "people", **labels}
    return found[PREFIX + name, tuple(sorted(wanted.items()))]


class Batches(Silent):
    """Counts what was applied."""

    def __init__(self) -> None:
        self.total: Counter[str] = Counter()

    def applied(self, batch: Batch, applied: Applied) -> None:
        self.total.update(bytes=batch.nbytes, looked_at=applied.looked_at)


@pytest.fixture(scope="module")
def run() -> tuple[Service, Batches]:
    service, batches = Service(replace(STREAM, projection=Projection(COLUMNS), problems=ALL)), Batches()
    service.tap.wrong.append(Trouble(TroubleKind.GAP, "Records are gone."))
    service.run(others=[batches])
    return service, batches


def test_a_scrape_tells_what_the_loop_did(run: tuple[Service, Batches]) -> None:
    service, batches = run
    found = scrape(service.registry)
    assert value(found, "records_total") == ROWS
    assert value(found, "bytes_total") == batches.total["bytes"] > 0
    assert value(found, "looked_at_total") == batches.total["looked_at"] > 0
    for nothing in ("duplicates_total", "outside_panes_total", "late_records_total"):
        assert value(found, nothing) == 0
    assert value(found, "loop_turns_total") == ROWS / 500 + 1
    assert value(found, "sample_target_rows") == 1_000
    assert value(found, "sample_rows", sample="A") == value(found, "sample_rows", sample="B") == 1_000
    assert value(found, "checkpoints_total", outcome="saved") == value(found, "checkpoint_duration_seconds_count") == 3
    assert value(found, "last_checkpoint_timestamp_seconds") == 1_000_000.5
    assert value(found, "last_checkpoint_bytes") == len(service.store.load() or b"")
    assert value(found, "lag_offsets", topic="people", partition="0") == 7
    assert value(found, "trouble", kind="gap") == 1
    assert value(found, "trouble", kind="unreachable") == 0
    assert found[f"{PREFIX}recommendations_delivered_total", ()] == 4
    assert found[f"{PREFIX}recommendations_waiting", ()] == 1
    assert value(found, "dead_letters_total") == 2


def test_a_scrape_tells_the_newest_answers(run: tuple[Service, Batches]) -> None:
    service, _ = run
    found, newest = scrape(service.registry), service.board.latest("people")
    assert newest is not None
    assert newest.key is not None
    assert newest.mask is not None
    solves = value(found, "solves_total", outcome="answered")
    assert solves == value(found, "recommendations_total") == len(service.board.history("people"))
    assert solves == value(found, "solve_duration_seconds_count")
    at = {"window": "landmark"}
    assert value(found, "key_columns", problem="minimum_key", **at) == len(newest.key.columns)
    assert value(found, "mask_published_columns", problem="masking", **at) == len(newest.mask.publish)
    separation = newest.mask.separation
    assert separation is not None
    bounds = {"estimate": separation.estimate, "lower": separation.lower, "upper": separation.upper}
    name = f"{PREFIX}answer_separation_ratio"
    told = {dict(k[1])["bound"]: v for k, v in found.items() if k[0] == name and ("problem", "masking") in k[1]}
    assert told == {bound: number for bound, number in bounds.items() if number is not None}
    verdict = newest.verdicts[0]
    published = {"set": "demographics", "window": "2_seconds"}
    states = {state: value(found, "published_set_state", state=state, **published) for state in ("safe", "unsafe")}
    assert states == {"safe": 0, "unsafe": 1}
    estimate = verdict.findings[0].estimate
    assert estimate is not None
    ratio = value(found, "published_set_ratio", measure="separation", bound="estimate", **published)
    assert ratio == estimate.estimate
    assert value(found, "published_set_limit_ratio", measure="separation", **published) == 0.9925


def test_records_go_on_over_a_restart_and_repeated_ones_are_told() -> None:
    first = Service()
    first.run(3_000)
    again = Service(store=first.store)
    assert not any(name == f"{PREFIX}records_total" for name, _ in scrape(again.registry)), "0 would look like a reset"
    loop = again.run()
    found = scrape(again.registry)
    assert value(found, "records_total") == loop.state.records == ROWS
    assert value(found, "duplicates_total") == loop.tally.duplicates


def test_a_scrape_may_come_at_any_moment_of_a_run() -> None:
    service = Service()
    loop = threading.Thread(target=service.run)
    loop.start()
    seen = [0.0]
    while loop.is_alive():
        seen.append(scrape(service.registry).get((f"{PREFIX}records_total", (("stream", "people"),)), 0.0))
    loop.join()
    assert seen == sorted(seen)
    assert value(scrape(service.registry), "records_total") == ROWS


def test_what_fails_is_counted() -> None:
    service = Service()
    metrics = service.metrics
    metrics.restored(State(STREAM), saved=False)
    metrics.not_saved(StateError("The disk is full: free some space."))
    metrics.solved(Solved(Outcome.TIMED_OUT, 120.0))
    metrics.solved(Solved(Outcome.CRASHED, 500.0))
    metrics.rejected(Origin("t"), [Reject(1, Reason.NOT_JSON), Reject(2, Reason.NOT_JSON), Reject(3, Reason.TOO_DEEP)])
    found = scrape(service.registry)
    assert value(found, "checkpoints_total", outcome="failed") == 1
    outcomes = {outcome: value(found, "solves_total", outcome=outcome) for outcome in Outcome}
    assert outcomes == {"answered": 0, "timed_out": 1, "crashed": 1}
    assert value(found, "solve_duration_seconds_bucket", le="120.0") == 1
    assert value(found, "solve_duration_seconds_bucket", le="+Inf") == 2
    assert value(found, "solve_duration_seconds_sum") == 620
    bad = {reason: value(found, "bad_records_total", reason=str(reason)) for reason in Reason}
    assert {reason: count for reason, count in bad.items() if count} == {Reason.NOT_JSON: 2, Reason.TOO_DEEP: 1}
    assert not any(name.endswith("last_solve_timestamp_seconds") for name, _ in found)


def test_two_streams_share_each_family_and_both_formats_can_be_read(run: tuple[Service, Batches]) -> None:
    registry = CollectorRegistry(auto_describe=True)
    metrics = Metrics(registry, "1.2.3")
    metrics.watch(run[0].metrics)
    metrics.watch(StreamMetrics(replace(STREAM, name='odd "name"\n\\'), Outside()))
    text = generate_latest(registry).decode()
    assert max(Counter(re.findall(r"^# TYPE (\S+)", text, re.MULTILINE)).values()) == 1
    encode, _ = choose_encoder("application/openmetrics-text; version=1.0.0")
    assert openmetrics_names(encode(registry).decode()) == {family.name for family in parse(text)}
    turns = {labels[0][1] for name, labels in scrape(registry) if name == f"{PREFIX}loop_turns_total"}
    assert turns == {"people", 'odd "name"\n\\'}


def test_there_are_no_created_series_and_only_labels_that_are_defined(run: tuple[Service, Batches]) -> None:
    labels = {definition.name: set(definition.labels) for definition in DEFINITIONS}
    for family in parse(generate_latest(run[0].registry).decode()):
        for sample in family.samples:
            assert not sample.name.endswith("_created")
            if sample.name.startswith(PREFIX):
                name = re.sub("_(bucket|sum|count)$", "", sample.name)
                assert set(sample.labels) - {"le"} == labels[name]


def test_every_metric_is_documented_and_every_documented_one_is_told(run: tuple[Service, Batches]) -> None:
    documented = set(re.findall(r"^\| `(\w+)` \|", reference(), re.MULTILINE))
    families = parse(generate_latest(run[0].registry).decode())
    told = {family.name + ("_total" if family.type == "counter" else "") for family in families}
    # There is no webhook and no copy here.
    copies = {"copied_records_total", "copy_dropped_records_total", "copy_lag_offsets", "copy_state"}
    assert documented - told == {PREFIX + name for name in copies | {"webhook_deliveries_total"}}
    assert told <= documented


def test_the_page_of_metrics_is_current() -> None:
    page = ROOT / "docs" / "metrics.md"
    assert page.read_text(encoding="utf-8") == reference(), "write streamqid.publish.reference.reference() to the page"


def test_names_follow_the_rules_of_prometheus() -> None:
    assert len({definition.name for definition in DEFINITIONS}) == len(DEFINITIONS)
    for definition in DEFINITIONS:
        assert re.fullmatch(r"streamqid_[a-z_]+", definition.name)
        assert definition.name.endswith("_total") == (definition.kind == "counter")
        assert definition.sentence.endswith(".")


def test_durations_fall_into_the_bucket_whose_bound_they_do_not_exceed() -> None:
    durations = Durations()
    for seconds in (0.0, BUCKETS[0], BUCKETS[0] * 1.01, BUCKETS[-1] * 2):
        durations = durations.plus(seconds)
    assert durations.counts[:2] == (2, 1)
    assert durations.counts[-1] == 1


def test_a_number_is_no_duration() -> None:
    by_kind = {definition.kind: definition for definition in DEFINITIONS}
    for definition, wrong in ((by_kind["gauge"], Durations()), (by_kind["histogram"], 1.0)):
        with pytest.raises(TypeError, match="takes"):
            families([Reading(definition, ("x",) * len(definition.labels), wrong)])


def test_published_sets_and_drift_in_a_scrape(run: tuple[Service, Batches]) -> None:
    service, _ = run
    found, history = scrape(service.registry), service.chronicle.history
    assert history is not None
    at = {"set": "demographics", "window": "2_seconds"}
    verdict = history.series("demographics").verdict
    assert value(found, "published_set_since_timestamp_seconds", **at) == verdict.since
    assert verdict.proposal is not None
    assert verdict.proposal.keep is not None
    proposal = {"drop": verdict.proposal.drop or "", "keep": ",".join(verdict.proposal.keep.columns)}
    assert value(found, "published_set_proposal_info", set="demographics", **proposal) == 1
    info = {"set": "demographics", "owner": "", "link": "", "columns": "age,sex,region"}
    assert value(found, "published_set_info", **info) == 1
    assert value(found, "alerts_total", set="demographics", status="firing") == 1
    assert value(found, "alerts_total", set="demographics", status="resolved") == 0
    assert value(found, "windows_unjudged_total") == 0
    assert history.windows[-1].key
    for column in history.windows[-1].key:
        assert value(found, "key_member", window="2_seconds", column=column) == 1
    for column, share in history.windows[-1].risks.items():
        assert value(found, "column_risk_ratio", column=column) == share
    changes = Counter[str](event.change for event in history.events)
    for change in ("entered", "left"):
        assert value(found, "key_changes_total", change=change) == changes[change]
    for change in ("new", "missing", "retyped"):
        assert value(found, "schema_events_total", change=change) == changes[change]


def test_an_alert_of_a_set_that_is_gone_is_not_counted() -> None:
    first = Service()
    first.run()
    none = replace(STREAM, published=())
    again = Service(none, store=first.store, history=first.history)
    again.run()
    assert not any(name == f"{PREFIX}alerts_total" for name, _ in scrape(again.registry))
