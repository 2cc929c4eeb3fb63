"""The files of the page, held in memory: ours, and the script for charts from the installed package."""

from __future__ import annotations

import gzip
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

PREFIX: Final = "/page/"
INDEX: Final = "index.html"
CHARTS: Final = "plotly.min.js"
TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The Content-Security-Policy of the page: nothing inline, nothing from elsewhere."""

STYLES_GO_HERE: Final = "<!-- styles of the charts -->"
_STYLE_ID = re.compile(rb'getElementById\("([0-9a-f]{64})"\)')


@dataclass(frozen=True, slots=True)
class PageFile:
    """One file, as it is and packed by gzip; ``tag`` names its content."""

    body: bytes
    packed: bytes
    content_type: str
    tag: str


def page_file(path: str) -> PageFile | None:
    """Return the file at a path; None when there is none."""
    if path == "/":
        return _files()[INDEX]
    name = path.removeprefix(PREFIX)
    if name in (path, INDEX):
        return None
    return _charts() if name == CHARTS else _files().get(name)


@cache
def _files() -> dict[str, PageFile]:
    """Read our own files; only what lies in the folder has a name, so no path leads out of it."""
    found = {}
    for entry in resources.files(__package__).joinpath("static").iterdir():
        body = entry.read_bytes()
        if entry.name == INDEX:
            body = body.replace(STYLES_GO_HERE.encode(), _styles_taken().encode())
        found[entry.name] = _file(entry.name, body)
    return found


@cache
def _charts() -> PageFile:
    return _file(CHARTS, _script().read_bytes())


def _script() -> Traversable:
    return resources.files("plotly").joinpath("package_data", CHARTS)


def _styles_taken() -> str:
    """Return elements with the ids of the inline styles of the script, which it then takes to be there already.

    The policy of the page would refuse these styles anyway.  They are for maps, of which the page has none.
    """
    ids = sorted({found.decode() for found in _STYLE_ID.findall(_script().read_bytes())})
    return "".join(f'<meta id="{one}" name="style-of-charts" content="none">' for one in ids)


def _file(name: str, body: bytes) -> PageFile:
    digest = hashlib.blake2b(body, digest_size=12).hexdigest()
    return PageFile(body, gzip.compress(body, 6, mtime=0), TYPES[name[name.rindex(".") :]], f'"{digest}"')
