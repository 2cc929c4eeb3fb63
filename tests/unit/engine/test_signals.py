from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from streamqid.engine.directory import DirectoryStore
from streamqid.engine.signals import stopping
from streamqid.sampling.snapshot import unpack

if TYPE_CHECKING:
    from pathlib import Path

SERVICE = """
    import sys
    from contextlib import closing
    from pathlib import Path
    from streamqid.clock import SystemClock
    from streamqid.engine.directory import DirectoryStore
    from streamqid.engine.loop import Loop
    from streamqid.engine.signals import stopping
    from streamqid.engine.stream import Stream
    from streamqid.sampling.capacity import Capacity
    from streamqid.sampling.secret import Secret
    from streamqid.synthetic import GeneratorSource, Population

    class Printer:
        def publish(self, document):
            print("published", flush=True)

    with closing(DirectoryStore(Path(sys.argv[1]))) as store:
        stream = Stream("people", Secret.from_seed(1), Capacity(100))
        source = GeneratorSource(Population(1), 10**12, 1000)
        loop = Loop(stream, source, store, Printer(), SystemClock())
        with stopping(loop.stop):
            loop.run()
    print("stopped in good order", flush=True)
"""


def test_sigterm_ends_an_endless_stream_with_a_checkpoint(tmp_path: Path) -> None:
    command = [sys.executable, "-c", textwrap.dedent(SERVICE), str(tmp_path / "state")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
        assert service.stdout is not None
        assert service.stdout.readline() == "published\n"
        service.send_signal(signal.SIGTERM)
        rest = service.communicate(timeout=60)[0]
    assert service.returncode == 0
    assert rest.endswith("stopped in good order\n")
    with closing(DirectoryStore(tmp_path / "state")) as store:
        header, _ = unpack(store.load() or b"")
    ((*_, next_offset, records, _pane),) = header["origins"]
    assert records == next_offset > 0
    assert records % 1000 == 0


def test_the_second_signal_acts_as_before() -> None:
    told: list[str] = []
    # Who starts the tests in the background may have them ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with stopping(lambda: told.append("stop")):
        # A signal to the process may be taken by another thread and so come late; this one comes at once.
        signal.raise_signal(signal.SIGINT)
        assert told == ["stop"]
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    signal.signal(signal.SIGINT, before)
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_handlers_are_put_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stopping(lambda: None):
        assert signal.getsignal(signal.SIGINT) != before
    assert signal.getsignal(signal.SIGINT) == before
