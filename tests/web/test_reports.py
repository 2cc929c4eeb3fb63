"""The reports that are sent to colleagues, opened from the disk by a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from streamqid.cli import main
from tests.web.browser import PHONE, SCREEN

if TYPE_CHECKING:
    from tests.web.browser import Browser

ADULT = Path(__file__).parents[1] / "data" / "adult.csv.gz"
ONLY = "age,education,race,sex,income"
REPORTS = {
    "scan": (["scan", "--only", ONLY], "The identifying set and its parts"),
    "detect": (["detect", "--only", ONLY, "--method", "separation,minimal"], "What the sets are made of"),
    "audit": (["audit", "--quasi", "age,sex,race", "--k", "5"], "Size of groups"),
}


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_opens_from_the_disk_and_asks_nobody(browser: Browser, tmp_path: Path, name: str) -> None:
    (command, *options), heading = REPORTS[name]
    file = tmp_path / "report.html"
    assert main([command, str(ADULT), *options, "--seed", "1", "--html", str(file)]) == 0
    assert file.stat().st_size < 6_000_000
    for size, dark in ((SCREEN, False), (PHONE, True)):
        browser.visit(file.as_uri(), size=size, dark=dark)
        browser.sees(heading)
        verdict, picture = browser.one("p.verdict"), browser.one("figure svg")
        assert verdict.location["y"] < browser.one("h2").location["y"] < picture.location["y"]
        assert picture.size["width"] > 200
        assert browser.hosts() == {""}, "nothing but the file"
        assert browser.console() == []
        assert browser.barriers() == []
    assert browser.run("return document.documentElement.scrollWidth") <= PHONE[0]
