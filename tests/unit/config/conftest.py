"""Configurations that are as small as they can be."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from streamqid.config.document import parse
from streamqid.config.loading import validated

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamqid.config import Config

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture
def configured() -> Callable[..., Config]:
    """Make a configuration of one stream; the arguments are YAML for the stream and for the top level."""

    def make(stream: str = "{}", top: str = "{}") -> Config:
        values: dict[str, Any] = {"kafka": {"bootstrap_servers": "localhost:9092"}}
        for section, keys in parse(top.encode(), "top").items():
            values[section] = {**values.get(section, {}), **keys}
        one = {"name": "people", "topics": ["people"], **parse(stream.encode(), "stream")}
        return validated({**values, "streams": [one]})

    return make


@pytest.fixture
def repository() -> Path:
    return REPOSITORY
