"""Pictures of the page for the README, taken of the demo while it runs: ``make screenshots``."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

IMAGES = Path(__file__).parent / "images"
SHOTS = (
    ("What to do:", "overview", "/", (1000, 690)),
    ("The page stays open", "stream", "/#/stream", (1000, 1250)),
)
"""Behind which words of the demo a picture is taken, its name, the view and its size."""
ROWS = 12_000_000
"""Enough to take a picture before the next act."""
SWITCHES = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"),
    "--virtual-time-budget=6000",
)


def take(chromium: str, address: str, name: str, size: tuple[int, int]) -> None:
    with tempfile.TemporaryDirectory() as profile:
        command = [chromium, *SWITCHES, f"--user-data-dir={profile}", f"--window-size={size[0]},{size[1]}"]
        target = IMAGES / f"{name}.png"
        subprocess.run([*command, f"--screenshot={target}", address], check=True, capture_output=True, timeout=300)
    print(f"{target.relative_to(Path.cwd())} ({target.stat().st_size // 1024} KiB)")


def main() -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("There is no chromium: install it (on Debian: apt-get install chromium).")
    IMAGES.mkdir(exist_ok=True)
    command = [str(Path(sys.executable).with_name("streamqid")), "demo", "--keep", "--rows", str(ROWS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None
        address, left = "", list(SHOTS)
        try:
            for line in demo.stdout:
                address = address or "".join(re.findall(r"http://\S+(?=/)", line)[:1])
                if left and left[0][0] in line:
                    _, name, view, size = left.pop(0)
                    take(chromium, address + view, name, size)
                if not left:
                    break
        finally:
            demo.send_signal(signal.SIGINT)


if __name__ == "__main__":
    main()
