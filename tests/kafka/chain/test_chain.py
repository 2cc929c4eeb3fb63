"""The whole chain with its real parts: producers that drift, broker, service, Prometheus, Alertmanager, webhook.

Rules, dashboards and configurations are those of deploy/.  The rules are loaded as they are; of the configurations
only addresses and intervals are others, so that a run takes seconds where production takes minutes.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.kafka.chain.dashboards import ALL, Query, choices, queries
from tests.kafka.chain.monitoring import DEPLOY, Alertmanager, Prometheus
from tests.kafka.chain.story import AS_EVER, DRIFTED, Log, Producer, verdict
from tests.kafka.produce import produce
from tests.kafka.service import wait_for
from tests.programs import program
from tests.unit.publish.test_webhook import Listener

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from deploy.kafka.broker import Broker
    from tests.kafka.conftest import ServiceFactory, TopicFactory
    from tests.kafka.service import Service

UNSAFE, SCHEMA = "StreamqidPublishedSetUnsafe", "StreamqidSchemaChanged"
WINDOW_SECONDS, LIMIT = 2, 0.98
STREAM = {
    "columns": {"ignore": ["person_id"]},
    "windows": {"by": "record", "width": f"{WINDOW_SECONDS}s", "panes_kept": 30},
    "sampling": {"rows": 1_000},
    "path": "full",
    "published": [
        {
            "name": "research",
            "columns": ["sex", "region"],
            "limits": {"separation": LIMIT, "smallest_group": 1},
            "owner": "privacy office",
            "link": "https://example.org/research",
        },
        {"name": "survey", "columns": ["sex", "plan"], "limits": {"separation": 0.9, "smallest_group": 1}},
    ],
}
"""The separation of research is 0.905 and, with finer regions, 0.99999; survey is the control and stays safe.

A window has about 3,000 rows, of which 1,000 pairs are judged.  A window of 15 to 20 rows, which only the first one can
be, may be beyond the limit by chance.  That it is so short and so odd has a probability below 1e-6: one row in 1/1500
of a second, 2 seconds a window, and a share of 0.004 for all these lengths together.
"""


@pytest.fixture(scope="session")
def commands() -> tuple[str, str]:
    """Prometheus and Alertmanager."""
    prometheus = program("prometheus", package="prometheus")
    return prometheus, program("alertmanager", "prometheus-alertmanager", package="prometheus-alertmanager")


def used_metrics() -> set[str]:
    """Return the metrics of the program that rules and dashboards speak of."""
    rules = (DEPLOY / "prometheus" / "rules" / "streamqid.yaml").read_text()
    exprs = " ".join(query.expr for query in queries(dict.fromkeys(("stream", "set", "window"), ALL)))
    # A name behind a colon is that of a recording rule.
    return set(re.findall(r"(?<![:\w])(?:streamqid|process)_\w+", f"{exprs} {' '.join(_expressions(rules))}"))


def _expressions(rules: str) -> Iterator[str]:
    for group in yaml.safe_load(rules)["groups"]:
        for rule in group["rules"]:
            yield rule["expr"]
            yield rule.get("annotations", {}).get("description", "")


def notified(listener: Listener, name: str, status: str) -> list[dict[str, Any]]:
    """Return the alerts of a name and status that the webhook was told."""
    bodies = [body for _, _, body in listener.got]
    alerts = [alert for body in bodies for alert in body["alerts"]]
    return [one for one in alerts if one["labels"]["alertname"] == name and one["status"] == status]


def is_settled(running: Service, state: str) -> Callable[[], bool]:
    return lambda: verdict(running, "research").get("settled") == state


def seen_by(prometheus: Prometheus, state: str) -> Callable[[], bool]:
    selector = f'streamqid_published_set_state{{set="research",state="{state}"}}'
    return lambda: [one["value"][1] for one in prometheus.query(selector)] == ["1"]


def evaluated_since(prometheus: Prometheus, moment: float) -> Callable[[], bool]:
    return lambda: prometheus.evaluated_at(UNSAFE) > moment


@pytest.mark.slow
def test_an_alert_reaches_the_webhook_after_the_drift_and_ends_with_it(
    commands: tuple[str, str],
    broker: Broker,
    topic: TopicFactory,
    service: ServiceFactory,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    log, name = Log(record_property), topic(partitions=2)
    with contextlib.ExitStack() as stack:
        listener, told_by_itself = (stack.enter_context(contextlib.closing(Listener(200))) for _ in range(2))
        alerts = {"topic": topic(), "webhook": {"url": told_by_itself.url}}
        publish = {"topic": topic(), "dead_letters": {"topic": topic()}, "alerts": alerts}
        running = service([name], changes={"publish": publish}, stream=STREAM)
        running.up()
        wait_for(lambda: running.port() is not None, "the HTTP server")
        port = running.port()
        assert port is not None
        alertmanager = stack.enter_context(Alertmanager(commands[1], tmp_path / "alertmanager", listener.url))
        prometheus = stack.enter_context(Prometheus(commands[0], tmp_path / "prometheus", port, alertmanager))
        producer = stack.enter_context(Producer(broker.bootstrap, name))

        began = log.note("the producer begins", producer.write(*AS_EVER))
        log.wait(is_settled(running, "safe"), "judged safe")
        safe = log.wait(seen_by(prometheus, "safe"), "Prometheus knows it as safe")
        log.wait(evaluated_since(prometheus, safe), "the rules were evaluated on that")
        assert listener.got == []
        # Others may be pending for a moment: the first scrapes see a loop that has not turned yet.
        assert prometheus.query('ALERTS{alertstate="firing"}') == []
        assert prometheus.query(f'ALERTS{{alertname="{UNSAFE}"}}') == []
        assert "streamqid_published_set_proposal_info" not in scraped(running)

        drift = log.note("drift begins", producer.write(*DRIFTED))
        produce(broker.bootstrap, name, [b"{", b"[1]"] * 20)
        log.wait(is_settled(running, "unsafe"), "judged unsafe")
        log.wait(lambda: bool(notified(listener, UNSAFE, "firing")), "alert received")
        check_the_text(notified(listener, UNSAFE, "firing")[0], drift, verdict(running, "research"), prometheus)
        log.wait(lambda: bool(notified(listener, SCHEMA, "firing")), "alert about the new column received")
        log.wait(lambda: bool(prometheus.query("rate(streamqid_bad_records_total[5m]) > 0")), "bad records were seen")
        assert used_metrics() - scraped(running) == set()
        assert prometheus.query("streamqid_recommendations_delivered_total > 0")
        check_rules(prometheus)
        log.note(f"{check_queries(prometheus, began)} queries of dashboards have data")
        assert notified(listener, UNSAFE, "resolved") == []

        undone = log.note("drift is undone", producer.write(*AS_EVER))
        log.wait(is_settled(running, "safe"), "judged safe again")
        log.wait(lambda: bool(notified(listener, UNSAFE, "resolved")), "resolved")
        (resolved, *_) = notified(listener, UNSAFE, "resolved")
        assert datetime.fromisoformat(resolved["endsAt"]).timestamp() > undone
        assert resolved["labels"]["set"] == "research"
        told = [alert for _, _, body in listener.got for alert in body["alerts"]]
        assert {alert["labels"]["alertname"] for alert in told} == {UNSAFE, SCHEMA}
        assert {alert["labels"].get("set", "research") for alert in told} == {"research"}
        assert verdict(running, "survey")["settled"] == "safe"
        by_itself = [(one["set"], one["status"]) for _, _, one in told_by_itself.got]
        assert by_itself == [("research", "firing"), ("research", "resolved")]
        assert running.stop() == 0


def check_the_text(alert: dict[str, Any], drift: float, now: dict[str, Any], prometheus: Prometheus) -> None:
    """The alert names set, measure, bound, limit, since when and the proposal, as the service told them."""
    assert (alert["labels"]["stream"], alert["labels"]["set"]) == ("people", "research")
    assert alert["labels"]["severity"] == "critical"
    assert datetime.fromisoformat(alert["startsAt"]).timestamp() > drift
    assert alert["annotations"]["summary"] == "Published set research of stream people is no longer safe."
    text = alert["annotations"]["description"]
    bound = re.search(rf"The separation of research is at least (0\.\d+), its limit is {LIMIT}\.", text)
    assert bound is not None, text
    (lower,) = prometheus.query('streamqid_published_set_ratio{set="research",measure="separation",bound="lower"}[5m]')
    assert bound[1] in {f"{float(value):.6g}" for _, value in lower["values"] if float(value) > LIMIT}
    since = re.search(r"Unsafe since (\S+ \S+) \+0000 UTC\.", text)
    assert since is not None, text
    assert datetime.fromisoformat(f"{since[1]}+00:00").timestamp() == now["since"]
    assert drift - WINDOW_SECONDS < now["since"] <= datetime.fromisoformat(alert["startsAt"]).timestamp()
    assert now["proposal"]["drop"] == "region"
    assert "Proposal: drop region." in text
    assert text.endswith("Columns: sex,region. Owner: privacy office https://example.org/research")


def check_rules(prometheus: Prometheus) -> None:
    """Every shipped rule is evaluated without an error, and what is recorded can be asked for."""
    rules = list(prometheus.rules())
    assert len(rules) == len(list(_shipped()))
    for rule in rules:
        assert (rule["health"], rule.get("lastError", "")) == ("ok", ""), rule["name"]
    for rule in _shipped():
        if "record" in rule:
            assert prometheus.query(rule["record"]), rule["record"]


def _shipped() -> Iterator[dict[str, Any]]:
    for path in (DEPLOY / "prometheus" / "rules").glob("*.yaml"):
        for group in yaml.safe_load(path.read_text())["groups"]:
            yield from group["rules"]


def check_queries(prometheus: Prometheus, began: float) -> int:
    """Every query of every dashboard has data, for "All" and for each choice alone; return how many were asked."""
    now = prometheus.evaluated_at(UNSAFE)
    assert Query("control", "streamqid_no_such_metric", instant=False).finite(prometheus, began, now) == []
    offered = choices(prometheus)
    assert offered == {"stream": ["people"], "set": ["research", "survey"], "window": ["2_seconds"]}
    asked = [*queries(dict.fromkeys(offered, ALL))]
    for alone in itertools.product(*offered.values()):
        asked += queries(dict(zip(offered, alone, strict=True)))
    # Of a set that is safe there is no proposal.
    spared = 'streamqid_published_set_proposal_info{stream=~"people",set=~"survey"}'
    silent = {query.expr for query in asked if not query.finite(prometheus, began, now)}
    assert silent == {spared}
    return len(asked)


def scraped(running: Service) -> set[str]:
    """Return the names of all samples of a scrape of the service."""
    code, body = running.get("/metrics")
    assert code == 200
    return {re.split(r"[{ ]", line, maxsplit=1)[0] for line in body.decode().splitlines() if not line.startswith("#")}
