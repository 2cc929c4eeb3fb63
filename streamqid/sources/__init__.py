"""Where records come from: tables in files and in memory, and logs."""

from __future__ import annotations

from streamqid.sources.frames import from_object
from streamqid.sources.table import open_table

__all__ = ["from_object", "open_table"]
