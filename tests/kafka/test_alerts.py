"""A published set that drifts on a real broker: the alert on its topic, at the webhook and over HTTP, and its end."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

from streamqid.broker.alerts import AlertPublisher
from streamqid.broker.connect import Connection
from streamqid.engine.alerts import Alert, DriftEvent
from tests.documents import recommendation
from tests.kafka.produce import produce
from tests.kafka.service import wait_for
from tests.kafka.topics import read_all
from tests.unit.publish.test_webhook import Listener, alert

if TYPE_CHECKING:
    from deploy.kafka.broker import Broker
    from tests.kafka.conftest import ServiceFactory, TopicFactory
    from tests.kafka.service import Service

PANE = 1_000


def records(panes: int, values: int) -> list[bytes]:
    return [json.dumps({"a": f"v{i % values}", "b": i % 2}).encode() for i in range(panes * PANE)]


def settled(running: Service) -> str:
    code, body = running.get("/v1/published?stream=people")
    found = json.loads(body) if code == 200 else []
    return str(found[0]["verdicts"][0]["settled"]) if found else ""


def told(bootstrap: str, topic: str) -> list[Any]:
    return [record for record in read_all(bootstrap, topic) if json.loads(record.value)["kind"] == "alert"]


def test_an_alert_goes_out_and_is_resolved(broker: Broker, topic: TopicFactory, service: ServiceFactory) -> None:
    name, alerts = topic(), topic()
    published = {"name": "open", "columns": ["a", "b"], "limits": {"separation": 0.95}, "owner": "office"}
    stream = {"windows": {"by": "records", "width_records": PANE}, "published": [published]}
    with contextlib.closing(Listener(200)) as listener:
        webhook = {"url": listener.url, "format": "alertmanager"}
        running = service([name], changes={"publish": {"alerts": {"topic": alerts, "webhook": webhook}}}, stream=stream)
        produce(broker.bootstrap, name, records(2, 5))
        running.up()
        wait_for(lambda: settled(running) == "safe", "the set is judged safe")
        assert told(broker.bootstrap, alerts) == []
        assert listener.got == []
        produce(broker.bootstrap, name, records(2, 500))
        wait_for(lambda: settled(running) == "unsafe", "the set is judged unsafe")
        wait_for(lambda: len(listener.got) == 1, "the webhook is called")
        wait_for(lambda: len(told(broker.bootstrap, alerts)) == 1, "the alert is on the topic")
        (record,) = told(broker.bootstrap, alerts)
        firing = Alert.model_validate_json(record.value)
        headers = {key: value.decode() for key, value in record.headers}
        assert record.key == b"people/open"
        assert (headers["ce_type"], headers["ce_id"]) == ("io.streamqid.alert.v1", firing.id)
        assert (firing.status, firing.set, firing.owner, firing.since) == ("firing", "open", "office", 2.0 * PANE)
        assert firing.proposal is not None
        assert firing.proposal.drop == "a"
        (body,) = listener.got[0][2]
        assert body["labels"]["set"] == "open"
        assert body["annotations"]["proposal"] == firing.proposal.sentence
        _, metrics = running.get("/metrics")
        assert (
            b'streamqid_published_set_state{set="open",state="unsafe",stream="people",window="1000_records"} 1'
            in metrics
        )
        assert b'streamqid_webhook_deliveries_total{outcome="delivered"} 1' in metrics
        assert b'streamqid_alerts_total{set="open",status="firing",stream="people"} 1' in metrics

        assert running.stop() == 0
        running.up()
        wait_for(lambda: settled(running) == "unsafe", "a restart has the history")
        produce(broker.bootstrap, name, records(4, 5))
        wait_for(lambda: settled(running) == "safe", "the drift is undone")
        wait_for(lambda: any("unsafe" not in one[2][0]["annotations"]["summary"] for one in listener.got), "resolved")
        assert running.stop() == 0
    documents = [Alert.model_validate_json(record.value) for record in told(broker.bootstrap, alerts)]
    by_id = {document.id: document.status.value for document in documents}
    assert list(by_id.values()) == ["firing", "resolved"]
    events = [
        DriftEvent.model_validate_json(r.value)
        for r in read_all(broker.bootstrap, alerts)
        if r.key == b"people/open/separation/measure"
    ]
    assert [event.change for event in events] == ["rose", "fell"]


def test_a_document_is_handed_over_once(broker: Broker, topic: TopicFactory) -> None:
    name = topic()
    publisher = AlertPublisher(Connection((broker.bootstrap,)), name)
    for document in (alert("a"), alert("a"), recommendation(5), alert("b")):
        publisher.publish(document)
    publisher.close(20)
    assert [json.loads(record.value)["id"] for record in read_all(broker.bootstrap, name)] == ["a", "b"]
    assert (publisher.delivered, publisher.unsaid, list(publisher.troubles())) == (2, 0, [])
