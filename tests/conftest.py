"""What all tests share: hypothesis profiles and the places of the data."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

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
