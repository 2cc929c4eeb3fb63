"""Links in the documentation lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(path for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("tests/**/*.md")])


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as they are made from headings on the web."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", page.read_text(), flags=re.S), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links(page: Path, text: str) -> list[str]:
    """Return the links of a text that lead to no file or heading of ours."""
    dead = []
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", text, flags=re.S)):
        name, _, anchor = link.partition("#")
        target = page if not name else page.parent / name
        if "://" in link:
            continue
        if not target.exists() or (anchor and anchor not in anchors(target)):
            dead.append(link)
    return dead


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_link_is_dead(page: Path) -> None:
    assert not dead_links(page, page.read_text())


def test_a_dead_link_is_found() -> None:
    page = ROOT / "README.md"
    assert dead_links(page, "[a](docs/none.md) [b](README.md#none) [c](#guarantees-and-what-is-not-guaranteed)") == [
        "docs/none.md",
        "README.md#none",
    ]
