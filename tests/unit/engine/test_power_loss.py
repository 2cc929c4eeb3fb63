"""Power fails after any file operation, and what was not synchronised is dropped or torn: a snapshot always loads."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamqid.engine.directory import DirectoryStore
from streamqid.errors import StateError
from streamqid.sampling.snapshot import pack, unpack
from tests.unit.engine.power_loss import Operation, ends, recording

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.unit.engine.power_loss import Tree


def blob(number: int) -> bytes:
    return pack({"number": number}, [np.arange(20)])


@pytest.fixture
def done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Operation]:
    """Five checkpoints of one process in a new directory, then two of the next one."""
    place = tmp_path / "root" / "above" / "state"
    place.parents[1].mkdir()
    with recording(monkeypatch) as operations:
        for numbers in (range(1, 6), range(6, 8)):
            with closing(DirectoryStore(place)) as store:
                store.load()
                for number in numbers:
                    store.save(blob(number))
                    operations.append(Operation("said", said=number))
    return operations


def laid_out(tree: Tree, old: Path, new: Path) -> None:
    for path in sorted(tree):
        content, place = tree[path], new / path.relative_to(old)
        place.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            place.mkdir(exist_ok=True)
        else:
            place.write_bytes(content)


def losses(done: Sequence[Operation], old: Path, room: Path) -> tuple[int, int]:
    """Return how many ends of the disk were tried, and after how many less is found than was promised."""
    tried = lost = 0
    for said, tree in ends(done):
        place = room / str(tried)
        laid_out(tree, old, place)
        tried += 1
        try:
            with closing(DirectoryStore(place / "above" / "state")) as store:
                found = store.load()
        except StateError:
            lost += 1
            continue
        number = 0 if found is None else unpack(found)[0]["number"]
        lost += number < (said or 0)
    return tried, lost


def test_no_end_of_the_disk_loses_a_snapshot_that_was_promised(done: list[Operation], tmp_path: Path) -> None:
    tried, lost = losses(done, tmp_path / "root", tmp_path / "after")
    print(f"{len(done)} operations, {tried} ends of the disk, {lost} losses")
    assert tried > 100
    assert lost == 0


@pytest.mark.parametrize("left_out", ["sync file", "sync directory", "sync the directory above"])
def test_a_store_that_left_out_a_step_would_be_caught(done: list[Operation], tmp_path: Path, left_out: str) -> None:
    above = left_out.endswith("above")
    kind = "sync directory" if above else left_out
    first = done[: done.index(Operation("said", said=1)) + 1]
    careless = [one for one in first if one.kind != kind or (above and one.path.name == "state")]
    assert len(careless) < len(first)
    _, lost = losses(careless, tmp_path / "root", tmp_path / "after")
    assert lost > 0
