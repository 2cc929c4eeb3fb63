"""What all tests share: hypothesis profiles and the places of the data."""

from __future__ import annotations

import itertools
import operator
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]

# No verdict may depend on how busy the machine is: no deadline, no complaint about slow generation.
settings.register_profile(
    "ci", derandomize=True, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "explore",
    derandomize=False,
    deadline=None,
    print_blob=True,
    max_examples=1000,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("STREAMQID_HYPOTHESIS_PROFILE", "ci"))


UNTRACED = [ROOT / "tests" / name for name in ("acceptance", "statistical")]
"""Folders whose tests repeat the same lines thousands of times: to watch each line would nearly double their time."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave lines of code to the tests of single modules to reach; these others look at answers."""
    for item in items:
        if any(folder in item.path.parents for folder in UNTRACED):
            item.add_marker(pytest.mark.no_cover)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Directory of the larger public tables; without it a test is skipped, in CI it fails."""
    directory = Path(os.environ.get("STREAMQID_DATA", ROOT.parent / "shared" / "data"))
    if not directory.is_dir():
        reason = "The directory of the larger tables is absent: name it with STREAMQID_DATA."
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return directory


@pytest.fixture(scope="session")
def adult_path() -> Path:
    """UCI Adult: 32,561 rows, 15 columns."""
    return ROOT / "tests" / "data" / "adult.csv.gz"


@pytest.fixture
def signals_arrive() -> Iterator[None]:
    """Undo what ``nohup`` and a shell's ``&`` do: what they start ignores signals, and so does all that it starts."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGHUP, signal.SIGTERM)}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show what tests noted, of those that passed too and from all workers."""
    noted = [
        (report.nodeid, value)
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "call"
        for name, value in report.user_properties
        if name == "noted"
    ]
    for test, lines in itertools.groupby(noted, key=operator.itemgetter(0)):
        terminalreporter.write_sep("-", f"noted by {test}")
        for _, line in lines:
            terminalreporter.write_line(str(line))
