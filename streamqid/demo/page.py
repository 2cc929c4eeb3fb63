"""Lines of text on standard output: at most 80 columns, and colours only on a terminal."""

from __future__ import annotations

import sys
import textwrap

from rich.console import Console
from rich.text import Text

WIDTH = 80
LABEL_WIDTH = 12


class Page:
    """Prints each line at once, without spaces at its end."""

    def __init__(self) -> None:
        self._console = Console(highlight=False)
        self._width = min(self._console.width, WIDTH)

    def line(self, text: str, style: str = "", *more: tuple[str, str]) -> None:
        """Print one line as it is; ``more`` are texts with styles of their own that follow."""
        line = Text.assemble((text, style), *more)
        line.rstrip()
        with self._console.capture() as printed:
            self._console.print(line, soft_wrap=True)
        # By standard output itself: a live view below takes lines from there, and a reader that left is told by it.
        sys.stdout.write(printed.get())
        sys.stdout.flush()

    def say(self, text: str, style: str = "", indent: int = 0) -> None:
        """Print a paragraph."""
        for line in self._wrapped(text, indent):
            self.line(" " * indent + line, style)

    def item(self, label: str, text: str) -> None:
        """Print a paragraph beside a label."""
        for number, line in enumerate(self._wrapped(text, LABEL_WIDTH)):
            self.line(f"  {'' if number else label}".ljust(LABEL_WIDTH), "bold", (line, "not bold"))

    def _wrapped(self, text: str, indent: int) -> list[str]:
        # No line begins with the sign of the number before it.
        together, width = text.replace(" %", "\u00a0%"), max(self._width - indent, LABEL_WIDTH)
        return [line.replace("\u00a0", " ") for line in textwrap.wrap(together, width, break_on_hyphens=False)]
