import threading
from collections.abc import Iterator

import pytest

from streamqid.sources.ahead import ahead


def test_items_come_in_their_order() -> None:
    assert list(ahead(iter(range(1000)))) == list(range(1000))
    assert list(ahead(iter([]))) == []


def test_the_next_item_is_made_while_the_present_one_is_in_use() -> None:
    second = threading.Event()

    def items() -> Iterator[int]:
        yield 1
        second.set()
        yield 2

    made = ahead(items())
    assert next(made) == 1
    assert second.wait(10)
    assert list(made) == [2]


def test_an_error_comes_at_its_place() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ValueError("broken")

    made = ahead(items())
    assert next(made) == 1
    with pytest.raises(ValueError, match="broken"):
        next(made)


def test_closing_ends_the_thread_and_the_iterator_makes_few_items_in_vain() -> None:
    made = []

    def items() -> Iterator[int]:
        for number in range(100):
            made.append(number)
            yield number

    taking = ahead(items())
    assert next(taking) == 0
    taking.close()  # type: ignore[attr-defined]
    assert "read-ahead" not in {thread.name for thread in threading.enumerate()}
    assert len(made) <= 4
