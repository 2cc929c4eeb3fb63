from __future__ import annotations

import io
import json
import os
import resource
import signal
import stat
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from streamqid.engine.alerts import Alert
from streamqid.engine.documents import Recommendation
from streamqid.errors import TransportError, UsageError
from streamqid.publish.fanout import Fanout, Only
from streamqid.publish.files import FilePublisher, StdoutPublisher
from tests.documents import recommendation
from tests.unit.publish.test_webhook import alert

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import BaseModel


def write(path: Path, *documents: Recommendation) -> None:
    with closing(FilePublisher(path)) as publisher:
        for document in documents:
            publisher.publish(document)


def ids(path: Path) -> list[str]:
    return [json.loads(line)["id"] for line in path.read_text().splitlines()]


def test_each_document_is_one_line_of_a_private_file(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    documents = [recommendation(1), recommendation(2, stream="a\nb")]
    write(path, *documents)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [Recommendation.model_validate_json(line) for line in path.read_bytes().splitlines()] == documents


def test_a_restart_writes_nothing_twice_and_nothing_older(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    first, second, third = recommendation(5, 5), recommendation(6, 6), recommendation(7, 7)
    write(path, first, recommendation(9, stream="other"), second)
    write(path, first, second, recommendation(9, stream="other"), recommendation(9, 5), third)
    assert ids(path) == [first.id, "other-id-1-9", second.id, third.id]


def test_a_line_torn_at_any_byte_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    write(path, recommendation(1), recommendation(2))
    whole = path.read_bytes()
    begins = whole.index(b"\n") + 1
    for end in range(begins, len(whole)):
        path.write_bytes(whole[:end])
        write(path, recommendation(1), recommendation(2))
        assert path.read_bytes() == whole


def test_a_file_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("dear diary")
    with pytest.raises(UsageError, match="did not write"):
        FilePublisher(path)
    assert path.read_text() == "dear diary"


def test_two_processes_do_not_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with closing(FilePublisher(path)), pytest.raises(UsageError, match="another process"):
        FilePublisher(path)


@contextmanager
def at_most(size: int) -> Iterator[None]:
    """Let no file grow beyond this size."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_costs_the_document_and_leaves_no_half_line(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with closing(FilePublisher(path)) as publisher:
        publisher.publish(recommendation(1))
        size = path.stat().st_size
        with at_most(size + 10), pytest.raises(TransportError, match=r"cannot be written \(File too large\)"):
            publisher.publish(recommendation(2))
        assert path.stat().st_size == size
        publisher.publish(recommendation(3))
    assert ids(path) == [recommendation(1).id, recommendation(3).id]


def test_a_place_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(TransportError, match=r"No such file or directory"):
        FilePublisher(tmp_path / "absent" / "out.jsonl")


def test_a_device_can_be_written_to() -> None:
    write(Path(os.devnull), recommendation(1))


WRITER = """
import sys
from pathlib import Path
from streamqid.engine.alerts import Alert
from streamqid.publish.fanout import Only
from streamqid.publish.files import FilePublisher
from tests.documents import recommendation
from tests.unit.publish.test_webhook import alert
publisher = FilePublisher(Path(sys.argv[1]))
for number in range(100_000):
    publisher.publish(recommendation(number))
"""


def test_kills_leave_each_document_once_and_in_order(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    for _ in range(5):
        before = path.stat().st_size if path.exists() else 0
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)]) as process:
            deadline = time.monotonic() + 30
            while not path.exists() or path.stat().st_size < before + 20_000:
                assert process.poll() is None
                assert time.monotonic() < deadline
            process.kill()
    write(path)
    assert ids(path) == [recommendation(number).id for number in range(len(ids(path)))]


def test_standard_output_gets_the_same_lines(tmp_path: Path) -> None:
    out = io.BytesIO()
    publisher = StdoutPublisher(out)
    publisher.publish(recommendation(1))
    publisher.publish(recommendation(2))
    write(tmp_path / "out.jsonl", recommendation(1), recommendation(2))
    assert out.getvalue() == (tmp_path / "out.jsonl").read_bytes()
    out.close()
    with pytest.raises(TransportError, match="Standard output"):
        publisher.publish(recommendation(3))


class Failing:
    def __init__(self) -> None:
        self.error: Exception | None = None

    def publish(self, document: BaseModel) -> None:
        if self.error is not None:
            raise self.error


def test_one_output_that_fails_stops_no_other(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    out, failing = io.BytesIO(), Failing()
    fanout = Fanout([failing, StdoutPublisher(out)])
    for error in (ValueError("Jane Doe"), TransportError("It is full."), None, TransportError("It is full."), None):
        failing.error = error
        fanout.publish(recommendation(1))
    assert len(out.getvalue().splitlines()) == 5
    assert fanout.failures == 3
    assert [record.getMessage() for record in caplog.records] == [
        "Failing did not take a document: ValueError",
        "Failing takes documents again.",
        "Failing did not take a document: It is full.",
        "Failing takes documents again.",
    ]


def test_an_alert_that_the_file_has_is_not_written_again(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    for _ in range(2):
        publisher = FilePublisher(path)
        only = Only(Alert, publisher)
        for document in (alert("ab1"), recommendation(5), alert("ab1"), alert("ab2")):
            only.publish(document)
        publisher.close()
    assert [Alert.model_validate_json(line).id for line in path.read_text().splitlines()] == ["ab1", "ab2"]
