from __future__ import annotations

import errno
import logging
import os
import resource
import signal
import stat
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from streamqid.engine.directory import DirectoryStore
from streamqid.engine.inspection import inspect
from streamqid.errors import SnapshotVersionError, StateError
from streamqid.sampling import snapshot
from streamqid.sampling.snapshot import pack


def blob(number: int) -> bytes:
    return pack({"number": number}, [np.arange(100)])


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "state"


def saved(place: Path, count: int) -> list[Path]:
    """Save so many snapshots; return those that are still there, oldest first."""
    with closing(DirectoryStore(place)) as store:
        for number in range(1, count + 1):
            store.save(blob(number))
    return sorted(place.glob("*.state"))


def loaded(place: Path) -> bytes | None:
    with closing(DirectoryStore(place)) as store:
        return store.load()


def run_python(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_nothing_was_saved_yet(place: Path) -> None:
    assert loaded(place) is None


def test_the_newest_is_loaded_and_three_are_kept(place: Path) -> None:
    names = [path.name for path in saved(place, 5)]
    assert names == [f"snapshot-{number:010d}.state" for number in (3, 4, 5)]
    assert loaded(place) == blob(5)


def test_order_is_by_number_and_not_by_time(place: Path) -> None:
    for age, path in enumerate(saved(place, 3)):
        os.utime(path, (1000 - age, 1000 - age))
    assert loaded(place) == blob(3)


def test_only_the_owner_can_read_it(place: Path) -> None:
    before = os.umask(0)
    try:
        saved(place, 2)
    finally:
        os.umask(before)
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in place.iterdir()} == {0o600}


def test_a_directory_that_others_may_enter_is_told(place: Path, caplog: pytest.LogCaptureFixture) -> None:
    place.mkdir()
    place.chmod(0o755)
    assert loaded(place) is None
    assert "0700" in caplog.text


@pytest.mark.parametrize("damage", ["truncate", "flip", "empty", "zeros"])
def test_a_damaged_newest_falls_back_and_is_put_aside(
    place: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    newest = saved(place, 3)[-1]
    data = bytearray(newest.read_bytes())
    data[len(data) // 2] ^= 1
    damaged = {"truncate": data[:-9], "flip": data, "empty": bytearray(), "zeros": bytearray(len(data))}
    changed = bytes(damaged[damage])
    newest.write_bytes(changed)
    with caplog.at_level(logging.WARNING):
        assert loaded(place) == blob(2)
    assert newest.name in caplog.text
    assert not newest.exists()
    assert newest.with_name(newest.name + ".corrupt").read_bytes() == changed


def test_numbers_go_on_after_a_fall_back(place: Path) -> None:
    saved(place, 3)[-1].write_bytes(b"torn")
    with closing(DirectoryStore(place)) as store:
        assert store.load() == blob(2)
        store.save(blob(4))
        assert store.load() == blob(4)
    assert (place / "snapshot-0000000004.state").exists()


def test_no_intact_snapshot_is_never_a_fresh_start(place: Path) -> None:
    for path in saved(place, 3):
        path.write_bytes(path.read_bytes()[:50])
    for _ in range(2):  # the second time all of them have been put aside already
        with pytest.raises(StateError, match=r"No snapshot in .* is intact"):
            loaded(place)


def test_an_unknown_version_is_refused_and_stays(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    newest = saved(place, 2)[-1]
    monkeypatch.setattr(snapshot, "VERSION", 9)
    newest.write_bytes(blob(3))
    with pytest.raises(SnapshotVersionError):
        loaded(place)
    assert newest.exists()


@pytest.mark.parametrize("step", ["open", "fsync", "rename"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_refusing_disk_leaves_the_old_snapshot(
    place: Path, step: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(place, 1)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    with closing(DirectoryStore(place)) as store:
        with monkeypatch.context() as patch:
            patch.setattr(Path if step == "rename" else os, step, refuse)
            with pytest.raises(StateError, match=os.strerror(code)):
                store.save(blob(2))
        assert not list(place.glob("*.tmp"))
        assert store.load() == blob(1)
        store.save(blob(3))
        assert store.load() == blob(3)


def test_a_snapshot_is_on_disk_before_it_has_its_name_and_so_is_the_name(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    sync, rename = os.fsync, Path.rename

    def seen_sync(descriptor: int) -> None:
        steps.append("directory" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        sync(descriptor)

    def seen_rename(path: Path, target: Path) -> Path:
        steps.append("rename")
        return rename(path, target)

    with closing(DirectoryStore(place)) as store:
        monkeypatch.setattr(os, "fsync", seen_sync)
        monkeypatch.setattr(Path, "rename", seen_rename)
        store.save(blob(1))
    assert steps == ["file", "rename", "directory"]


def test_a_file_that_may_not_grow_leaves_the_old_snapshot(place: Path) -> None:
    """A real EFBIG from the kernel in the middle of a write."""
    saved(place, 1)
    program = """
        import resource, sys
        from pathlib import Path
        from streamqid.engine.directory import DirectoryStore
        from streamqid.errors import StateError
        store = DirectoryStore(Path(sys.argv[1]))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
        try:
            store.save(bytes(1 << 20))
        except StateError as error:
            print(error)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    """
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
    done = run_python(program, place)
    assert "could not be saved" in done.stdout, done.stderr
    assert not list(place.glob("*.tmp"))
    assert loaded(place) == blob(1)


def test_a_kill_in_the_middle_of_a_write_costs_nothing(place: Path) -> None:
    saved(place, 2)
    program = """
        import os, signal, sys
        from pathlib import Path
        from streamqid.engine.directory import DirectoryStore
        os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
        DirectoryStore(Path(sys.argv[1])).save(bytes(1 << 20))
    """
    assert run_python(program, place).returncode == -signal.SIGKILL
    assert len(list(place.glob("*.tmp"))) == 1
    assert loaded(place) == blob(2)
    assert not list(place.glob("*.tmp"))


def test_a_second_process_is_refused_until_the_first_lets_go(place: Path) -> None:
    program = """
        import sys
        from pathlib import Path
        from streamqid.engine.directory import DirectoryStore
        from streamqid.errors import StateError
        try:
            DirectoryStore(Path(sys.argv[1]))
        except StateError as error:
            print(error)
            sys.exit(error.exit_code)
    """
    store = DirectoryStore(place)
    refused = run_python(program, place)
    assert refused.returncode == 3
    assert refused.stdout.count("\n") == 1
    assert "in use by another process" in refused.stdout
    store.close()
    store.close()
    assert run_python(program, place).returncode == 0


def test_what_is_no_regular_file_is_refused_and_not_waited_for(place: Path) -> None:
    (newest,) = saved(place, 1)
    newest.unlink()
    os.mkfifo(newest)
    with pytest.raises(StateError, match="not a regular file"):
        loaded(place)
    with pytest.raises(StateError, match="not a regular file"):
        inspect(place)


def test_a_lock_that_was_removed_lets_no_second_process_write(place: Path) -> None:
    with closing(DirectoryStore(place)) as first:
        first.save(blob(1))
        (place / "lock").unlink()
        first.save(blob(2))
        with pytest.raises(StateError, match="in use by another process"):
            DirectoryStore(place)
        (place / "lock").unlink()
        with closing(DirectoryStore(place)) as second:
            second.save(blob(3))
            with pytest.raises(StateError, match="in use by another process"):
                first.save(blob(4))
        assert first.load() == blob(3)


def test_a_directory_that_was_put_in_its_place_is_locked_as_well(place: Path) -> None:
    with closing(DirectoryStore(place)) as store:
        place.rename(place.with_name("aside"))
        with pytest.raises(StateError, match="could not be saved"):
            store.save(blob(1))
        place.mkdir(mode=0o700)
        store.save(blob(1))
        with pytest.raises(StateError, match="in use by another process"):
            DirectoryStore(place)


def test_a_place_that_is_no_directory_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StateError, match="cannot be used"):
        DirectoryStore(tmp_path / "file")


def test_a_snapshot_that_cannot_be_read_is_not_taken_for_damaged(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    newest = saved(place, 2)[-1]

    def refuse(_: Path) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(StateError, match="Permission denied"):
        loaded(place)
    assert newest.exists()
