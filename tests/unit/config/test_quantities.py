from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError

from streamqid.config.quantities import bytes_of, duration_text, seconds_of, size_text


@given(st.integers(0, 10**9))
def test_a_duration_is_read_as_it_was_written(milliseconds: int) -> None:
    assert seconds_of(duration_text(milliseconds / 1000)) == pytest.approx(milliseconds / 1000)


@given(st.integers(0, 1 << 49))
def test_a_size_is_read_as_it_was_written(size: int) -> None:
    assert bytes_of(size_text(size)) == size


@pytest.mark.parametrize(
    "value", ["5", 5, 1.5, "", "s", "-5s", "5 weeks", "5M", "1e3s", None, True, [], "nan s", "9" * 40]
)
def test_a_duration_without_a_known_unit_is_refused(value: object) -> None:
    with pytest.raises(PydanticCustomError, match="must be a duration"):
        seconds_of(value)


@pytest.mark.parametrize("value", ["", "MiB", "1.5MiB", "-1", "64mib", 1.5, None, False, {}, "9" * 40])
def test_a_size_that_is_no_whole_number_of_bytes_is_refused(value: object) -> None:
    with pytest.raises(PydanticCustomError, match="must be a size"):
        bytes_of(value)
