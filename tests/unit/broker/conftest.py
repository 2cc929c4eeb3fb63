"""The package imports kafka-python without its warning; so it comes before tests that import kafka themselves."""

from __future__ import annotations

import streamqid.broker  # noqa: F401
