"""What the webhook posts is taken by a real Alertmanager, which tells its own receiver, once, and that it is over."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from streamqid.engine.alerts import AlertStatus
from streamqid.publish.dead_alerts import DeadAlerts
from streamqid.publish.posting import Target
from streamqid.publish.webhook import Webhook
from tests.kafka.chain.monitoring import Alertmanager
from tests.kafka.service import wait_for
from tests.programs import program
from tests.unit.publish.test_webhook import Listener, alert, counts

if TYPE_CHECKING:
    from pathlib import Path


def test_alertmanager_takes_alerts_and_their_end(tmp_path: Path) -> None:
    command = program("alertmanager", "prometheus-alertmanager", package="prometheus-alertmanager")
    with contextlib.ExitStack() as stack:
        receiver = stack.enter_context(contextlib.closing(Listener(200)))
        alertmanager = stack.enter_context(Alertmanager(command, tmp_path / "alertmanager", receiver.url))
        target = Target(f"http://{alertmanager.address}/api/v2/alerts", format="alertmanager")
        hook = Webhook(target, DeadAlerts(None), repeat_seconds=0.5)
        stack.callback(hook.close, 5.0)

        def told() -> list[dict[str, Any]]:
            return [one for _, _, body in receiver.got for one in body["alerts"]]

        hook.publish(alert("a"))
        wait_for(lambda: len(told()) == 1, "the alert is passed on")
        hook.publish(alert("b", AlertStatus.RESOLVED))
        wait_for(lambda: len(told()) == 2, "its end is passed on")
        assert [one["status"] for one in told()] == ["firing", "resolved"]
        assert {one["labels"]["set"] for one in told()} == {"research"}
        assert counts(hook) == {"delivered": 2, "dead": 0}
