"""The service's own loop on a made-up stream that drifts, shown on the terminal."""

from __future__ import annotations

from streamqid.demo.story import DemoResult, demo

__all__ = ["DemoResult", "demo"]
