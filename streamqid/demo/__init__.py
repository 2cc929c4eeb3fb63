"""The service's own loop on a made-up stream that drifts, shown on the terminal."""

from __future__ import annotations

from streamqid.demo.result import DemoResult
from streamqid.demo.story import demo

__all__ = ["DemoResult", "demo"]
