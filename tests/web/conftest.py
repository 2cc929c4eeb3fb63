from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamqid.publish.access import Access
from streamqid.publish.http import serve
from tests.unit.publish.watching import Service
from tests.web.browser import Browser

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    browser = Browser(tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def people() -> Iterator[int]:
    """The port of a service whose set has turned unsafe."""
    service = Service()
    service.run()
    server = serve(service.site, Access(port=0))
    yield server.port
    server.close()
    service.answering.close()
