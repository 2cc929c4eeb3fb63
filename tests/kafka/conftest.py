"""Real brokers for tests: one for each worker, one with TLS and passwords, and three that replicate each other."""

from __future__ import annotations

import gc
import os
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import pytest

import tests.kafka.client  # before any other import of kafka
from deploy.kafka.broker import (
    Broker,
    Cluster,
    MissingToolError,
    SecureBroker,
    start_broker,
    start_cluster,
    start_secure_broker,
)
from tests.kafka.service import Service
from tests.kafka.topics import create_topic

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

Started = TypeVar("Started", Broker, Cluster, SecureBroker)


class TopicFactory(Protocol):
    """Creates a topic of the test's own on the shared broker."""

    def __call__(self, partitions: int = 1, **configs: object) -> str:
        """Return the name of the new topic; an underscore in the name of a setting stands for a dot."""
        ...


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Forgive open connections of the client in this folder: it forgets those that failed."""
    for item in items:
        if _is_here(item):
            item.add_marker(pytest.mark.filterwarnings(f"ignore:{tests.kafka.client.FORGOTTEN}:ResourceWarning"))


LEFT_OPEN: list[str] = []
"""What tests left open that is not the client's."""


def _is_here(item: pytest.Item) -> bool:
    return Path(__file__).parent in item.path.parents


def _is_ours(warning: str) -> bool:
    return warning.startswith("unclosed") and re.match(tests.kafka.client.FORGOTTEN, warning) is None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Collect what was forgotten before the next test; until here the log that pytest captured holds it.

    Only after the tests of this folder: every collection takes a tenth of a second, and pytest asks for all tests.
    """
    result = yield
    if not _is_here(item):
        return result
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResourceWarning)
        gc.collect()
    told = (str(one.message) for one in caught)
    LEFT_OPEN.extend(f"{item.nodeid}: {text}" for text in told if _is_ours(text))
    return result


@pytest.fixture(scope="session", autouse=True)
def nothing_left_open() -> Iterator[None]:
    """See in the end that no test has left anything open."""
    yield
    assert LEFT_OPEN == []


def started(start: Callable[[Path], Started], directory: Path) -> Started:
    """Start brokers; without Java the test is skipped, in CI it fails."""
    try:
        return start(directory)
    except MissingToolError as error:
        if os.environ.get("CI") == "true":
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """One broker for all tests of a worker.  A test that stops or kills a broker takes `own_broker`."""
    with started(start_broker, tmp_path_factory.mktemp("kafka")) as running:
        yield running


@pytest.fixture(scope="session")
def spare_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """The broker of the tests that stop it, one after the other."""
    with started(start_broker, tmp_path_factory.mktemp("spare-kafka")) as running:
        yield running


@pytest.fixture
def own_broker(spare_broker: Broker) -> Broker:
    """A broker that nobody else uses meanwhile: it may be stopped, killed and paused, and left so."""
    spare_broker.resume()
    spare_broker.start()
    return spare_broker


@pytest.fixture(scope="session")
def secure_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureBroker]:
    """A broker with TLS, passwords and ACLs, for all tests of a worker."""
    with started(start_secure_broker, tmp_path_factory.mktemp("secure-kafka")) as running:
        yield running


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Three brokers, for the tests of one module; topics have three copies, of which two must be in step."""
    with started(start_cluster, tmp_path_factory.mktemp("kafka-cluster")) as running:
        yield running


class ServiceFactory(Protocol):
    """Makes services, which are ended with the test."""

    def __call__(self, topics: list[str], bootstrap: str = ..., **settings: Any) -> Service:
        """Return a service on these topics that is not started yet."""
        ...


@pytest.fixture
def service(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[ServiceFactory]:
    """Make services on the shared broker, or on the one that is named."""
    made: list[Service] = []

    def make(topics: list[str], bootstrap: str = "", **settings: Any) -> Service:
        where = bootstrap or request.getfixturevalue("broker").bootstrap
        made.append(Service(tmp_path / f"service-{len(made)}", where, topics, **settings))
        return made[-1]

    yield make
    for one in made:
        one.kill()


@pytest.fixture
def topic(broker: Broker, request: pytest.FixtureRequest) -> TopicFactory:
    """Create topics whose names begin with the name of the test; records of years ago are kept, too."""
    prefix = re.sub(r"[^A-Za-z0-9.-]+", "-", request.node.name)[:100]

    def create(partitions: int = 1, **configs: object) -> str:
        return create_topic(broker.bootstrap, prefix, partitions=partitions, configs={"retention_ms": -1, **configs})

    return create
