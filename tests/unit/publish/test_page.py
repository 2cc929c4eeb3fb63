"""The files of the page over HTTP."""

from __future__ import annotations

import gzip
import re
from typing import TYPE_CHECKING

import pytest

from streamqid.publish.access import Access
from streamqid.publish.http import serve
from streamqid.web.files import CHARTS, page_file
from tests.unit.publish.watching import Service, ask

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKEN = "a-token-of-the-test"  # noqa: S105


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    server = serve(Service().site, Access(port=0, token=TOKEN))
    yield server.port
    server.close()


def html(port: int) -> str:
    return ask(port, "/", Accept="text/html,*/*").body.decode()


def test_a_browser_gets_the_page_and_a_program_the_paths(port: int) -> None:
    assert ask(port, "/", Accept="text/html,*/*").headers["content-type"] == "text/html; charset=utf-8"
    assert ask(port, "/", Accept="*/*").status == 401
    assert ask(port, "/", Accept="*/*", Authorization=f"Bearer {TOKEN}").headers["content-type"] == "application/json"


def test_everything_that_the_page_names_is_there_without_a_token(port: int) -> None:
    names = set(re.findall(r'(?:src|href)="(/page/[^"]+)"', html(port)))
    script = ask(port, "/page/app.js").body.decode()
    names |= {f"/page/{name}" for name in re.findall(r'from "\./([a-z]+\.js)"', script)}
    assert len(names) > 8
    for name in (*names, f"/page/{CHARTS}"):
        answer = ask(port, name)
        assert answer.status == 200, name
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_no_file_names_another_host_or_holds_anything_inline(port: int) -> None:
    page = html(port)
    assert "<style" not in page
    assert not re.search(r"<script[^>]*>[^<]|\son[a-z]+=|style=", page)
    for name in ("app.js", "api.js", "charts.js", "style.css", "charts.css", "dom.js"):
        text = ask(port, f"/page/{name}").body.decode()
        assert "http:" not in text
        assert "https:" not in text
        assert "innerHTML" not in text


def test_a_file_comes_packed_and_only_once(port: int) -> None:
    plain, packed = ask(port, f"/page/{CHARTS}"), ask(port, f"/page/{CHARTS}", Accept_Encoding="gzip, br")
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 2
    again = ask(port, f"/page/{CHARTS}", If_None_Match=plain.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert ask(port, f"/page/{CHARTS}", If_None_Match='"other"').status == 200
    assert ask(port, "/page/style.css", "HEAD").body == b""


@pytest.mark.parametrize(
    "path", ["/page/", "/page/index.html", "/page/../files.py", "/page/%2e%2e/files.py", "/page/x"]
)
def test_no_other_file_is_handed_out(port: int, path: str) -> None:
    assert page_file(path) is None
    assert ask(port, path).status == 401
    assert ask(port, path, Authorization=f"Bearer {TOKEN}").status == 404


def test_the_page_is_refused_under_a_foreign_name_where_no_token_guards() -> None:
    server = serve(Service().site, Access(port=0))
    try:
        assert ask(server.port, "/", Accept="text/html", Host="evil.example").status == 421
    finally:
        server.close()
