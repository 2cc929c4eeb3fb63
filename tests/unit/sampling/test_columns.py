"""The rule about columns that producers make up needs room for one column."""

from __future__ import annotations

import pytest

from streamqid.sampling.columns import ColumnLimit
from streamqid.sampling.secret import Secret


def test_at_least_one_column_takes_part() -> None:
    with pytest.raises(ValueError, match="at least one column must be allowed, not 0"):
        ColumnLimit(0, Secret.from_seed(1))
    assert len(ColumnLimit(1, Secret.from_seed(1)).shown(["a", "b"])) == 1
