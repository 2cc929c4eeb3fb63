"""A real Chromium on the page of a service, and what it saw."""

from __future__ import annotations

import json
import shutil
import time
from importlib import resources
from typing import TYPE_CHECKING, Any

from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from selenium.webdriver.remote.webelement import WebElement

SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SECONDS = 20.0
PHONE = (390, 844)
SCREEN = (1200, 900)
SERIOUS = ("serious", "critical")


class Browser:
    """Opens pages and reads them."""

    def __init__(self, profile: Path) -> None:
        programs = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
        absent = [name for name, path in programs.items() if path is None]
        assert not absent, f"install {absent}: on Debian apt-get install chromium chromium-driver"
        options = ChromeOptions()
        for switch in (*SWITCHES, f"--user-data-dir={profile}"):
            options.add_argument(switch)
        options.binary_location = str(programs["chromium"])
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = Chrome(options=options, service=ChromeService(programs["chromedriver"]))

    def close(self) -> None:
        self.driver.quit()

    def open(self, port: int, view: str = "", *, size: tuple[int, int] = SCREEN, dark: bool = False) -> None:
        """Open a view in a new document, as a browser of this size that prefers light or dark."""
        self.visit(f"http://127.0.0.1:{port}/{f'#/{view}' if view else ''}", size=size, dark=dark)

    def visit(self, address: str, *, size: tuple[int, int] = SCREEN, dark: bool = False) -> None:
        """Open an address in the same way."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == PHONE}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.driver.get("about:blank")
        self.console()
        self.hosts()
        self.driver.get(address)

    def resize(self, width: int) -> None:
        """Change the width of the window in which something is shown."""
        metrics = {"width": width, "height": SCREEN[1], "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def text(self, selector: str = "body") -> str:
        """Return the texts of all elements that match, with plain spaces."""
        return " ".join(" ".join(one.text for one in self.all(selector)).replace("\u00a0", " ").split())

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        self.until(lambda: self.all(selector), f"there is no {selector}")
        return self.all(selector)[0]

    def sees(self, text: str, selector: str = "body") -> None:
        self.until(lambda: text in self.text(selector), f"{selector} does not say {text!r}, but")

    def charts(self, many: int) -> None:
        """Wait until so many charts are drawn."""
        self.until(lambda: len(self.all("[role=img] svg.main-svg .xaxislayer-above")) >= many, f"not {many} charts")

    def until(self, what: Callable[[], Any], why: str) -> None:
        end = time.monotonic() + SECONDS
        while True:
            try:
                if what():
                    return
            except Exception:  # noqa: S110 - an element that is replaced meanwhile
                pass
            assert time.monotonic() < end, f"{why}: {self.text()[:2000]}"
            time.sleep(0.05)

    def press(self, *keys: str) -> None:
        ActionChains(self.driver).send_keys(*keys).perform()

    def focused(self) -> str:
        """Name what has the focus."""
        script = "const e = document.activeElement; return e.id || e.value || e.textContent.trim();"
        return str(self.run(script))

    def console(self) -> list[str]:
        """Return what was written to the console since the last time."""
        entries: list[dict[str, Any]] = self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        return [str(entry["message"]) for entry in entries if entry["level"] != "INFO"]

    def hosts(self) -> set[str]:
        """Return the hosts that were asked for anything since the last time."""
        entries: list[dict[str, str]] = self.driver.get_log("performance")  # type: ignore[no-untyped-call]
        events = [json.loads(entry["message"])["message"] for entry in entries]
        urls = [one["params"]["request"]["url"] for one in events if one["method"] == "Network.requestWillBeSent"]
        return {url.split("/")[2] for url in urls if not url.startswith(("data:", "about:", "blob:"))}

    def barriers(self) -> list[str]:
        """Return the serious findings of axe-core."""
        axe = resources.files("axe_core_python").joinpath("axe.min.js").read_text("utf-8")
        if not self.run("return typeof axe === 'object'"):
            self.run(axe)
        script = "const done = arguments[0]; axe.run({resultTypes: ['violations']}).then(done);"
        found = self.driver.execute_async_script(script)
        assert len(found["passes"]) >= 5, "axe-core looked at the page"
        return [
            f"{one['id']}: {[node['html'][:120] for node in one['nodes']]}"
            for one in found["violations"]
            if one["impact"] in SERIOUS
        ]
