"""Programs that tests start and that pip does not bring."""

from __future__ import annotations

import os
import shutil

import pytest


def program(*names: str, package: str) -> str:
    """Return the path of a program, which may have several names; without it a test is skipped, in CI it fails."""
    found = next((path for path in map(shutil.which, names) if path is not None), None)
    if found is None:
        reason = f"{names[0]} is absent: install it (on Debian: {package})."
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return found
