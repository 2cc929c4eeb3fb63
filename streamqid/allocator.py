"""What is asked of the memory allocator."""

from __future__ import annotations

_KEPT_BYTES = 31 << 20


def keep_freed_memory() -> None:
    """Let the allocator keep the blocks that are given back, instead of asking the system for fresh pages each time.

    glibc raises its thresholds to the largest block that was ever given back, up to 32 MiB; elsewhere this is idle.
    """
    bytes(_KEPT_BYTES)
