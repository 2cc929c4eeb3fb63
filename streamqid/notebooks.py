"""How notebooks show a document: told by the package to documents that lie below and know nothing of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def plain(document: Any) -> str | None:
    """Return no markup, so that a notebook shows the plain text."""
    del document
    return None


view: Callable[[Any], str | None] = plain
"""Returns the markup of a document, or None; ``streamqid`` sets it."""
