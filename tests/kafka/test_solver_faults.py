"""A solver that crashes, runs out of memory or never ends costs its own answer: reading goes on."""

from __future__ import annotations

import re
import resource
from typing import TYPE_CHECKING

from tests.kafka.people import messages
from tests.kafka.produce import produce
from tests.kafka.service import wait_for
from tests.kafka.topics import read_all

if TYPE_CHECKING:
    from deploy.kafka.broker import Broker
    from tests.kafka.conftest import ServiceFactory, TopicFactory
    from tests.kafka.service import Service


def outcomes(running: Service) -> list[str]:
    """Return how each solve of the process has ended."""
    return re.findall(r"people: solve (\w+) in", running.log())


def wait_for_another(running: Service, ended: int) -> None:
    wait_for(lambda: len(outcomes(running)) > ended, "the end of another solve")


def went_on(broker: Broker, running: Service, output: str, name: str, lost: str) -> None:
    """Write until a solve was lost and a later one answered; then all is as it would be without the loss."""
    written = 1_000
    while lost not in (ended := outcomes(running)) or ended[-1] != "answered":
        produce(broker.bootstrap, name, messages(200, start=written))
        written += 200
        running.wait_for_records(written)
        assert written < 60_000, ended
        wait_for_another(running, len(ended))
    assert running.metric("streamqid_records_total") == written
    assert running.stop() == 0
    assert running.snapshot() == running.reference().to_bytes()
    offsets = [re.findall(rb'"next_offset":(\d+)', record.value) for record in read_all(broker.bootstrap, output)]
    covered = [sum(map(int, found)) for found in offsets]
    assert covered == sorted(set(covered))


def test_a_solver_that_crashes(broker: Broker, topic: TopicFactory, service: ServiceFactory) -> None:
    name, output = topic(), topic()
    produce(broker.bootstrap, name, messages(1_000))
    running = service([name], changes={"publish": {"topic": output}})
    running.start(STREAMQID_FAILPOINT="solve:2")
    went_on(broker, running, output, name, "crashed")


def test_a_solve_that_never_ends(broker: Broker, topic: TopicFactory, service: ServiceFactory) -> None:
    name, output = topic(), topic()
    produce(broker.bootstrap, name, messages(1_000))
    running = service([name], changes={"publish": {"topic": output}, "solver": {"deadline": "2s"}})
    running.start(STREAMQID_FAILPOINT=f"solve:2:{running.directory / 'held'}")
    went_on(broker, running, output, name, "timed_out")


def test_a_solver_without_memory(broker: Broker, topic: TopicFactory, service: ServiceFactory) -> None:
    name, output = topic(), topic()
    produce(broker.bootstrap, name, messages(1_000))
    running = service([name], changes={"publish": {"topic": output}}, stream={"sampling": {"rows": 20_000}})
    running.up()
    wait_for(lambda: "answered" in outcomes(running), "a first answer")
    (solver,) = running.children()
    resource.prlimit(solver, resource.RLIMIT_AS, (1 << 20, 1 << 20))
    produce(broker.bootstrap, name, messages(20_000, start=100_000))
    wait_for(lambda: "crashed" in outcomes(running), "a solve that is lost")
    assert "Traceback" not in running.log()
    before = len(outcomes(running))
    produce(broker.bootstrap, name, messages(500, start=200_000))
    wait_for(lambda: "answered" in outcomes(running)[before:], "an answer of the new solver")
    running.wait_for_records(21_500)
    assert running.stop() == 0
    assert running.snapshot() == running.reference().to_bytes()
