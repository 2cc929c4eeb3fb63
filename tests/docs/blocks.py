"""Blocks of code in pages of the documentation."""

from __future__ import annotations

import re


def blocks(text: str) -> list[tuple[str, str]]:
    """Return the kind and the content of each block of code."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(block: str) -> list[tuple[str, str]]:
    """Return each command of a block, and what the page shows after it."""
    parts = re.split(r"^\$ (.+)\n", block, flags=re.MULTILINE)
    assert parts[0] == ""
    return list(zip(parts[1::2], parts[2::2], strict=True))
