from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module", autouse=True)
def _small_chunks() -> Iterator[None]:
    """Let the few hundred rows of the tests be made in several chunks, the last of them not full."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("streamqid.synthetic.population.CHUNK", 150)
        yield
