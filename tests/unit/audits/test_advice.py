"""What an audit says to do next."""

from __future__ import annotations

import streamqid

ROWS = {"a": [1, 1, 2], "b": ["x", "y", "y"]}


def test_only_limits_that_compare_shares_are_said_to_move() -> None:
    by_size = streamqid.audit(ROWS, quasi=["a"], k=2).advice
    by_share = streamqid.audit(ROWS, quasi=["a"], sensitive=["b"], k=2, t=0.1).advice
    assert any(one.endswith("(up to 1 row), and audit again.") for one in by_size)
    assert any("every change moves the shares that groups are compared with" in one for one in by_share)
