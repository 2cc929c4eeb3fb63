"""How much what-if requests slow down reading: a service that reads a topic, with and without 50 requests a second.

A real broker holds made-up people in four partitions.  `streamqid run` reads all of them in a process of its own, each
record decoded because the groups of a published set are counted, and answers over HTTP.  Each window that closes brings
a new sample, which goes to the process that answers: with --width 20000 nearly two a second close.  This process asks
about column sets drawn at random, so that hardly any answer is known already.  Runs with and without requests take
turns; each is measured from the first sample on that can be asked about, until the end of the topic.

- "rec/s" is by the clock, which on a machine with other work says more about that work than about the requests.
- "CPU" is the processor time of the service's main process for a record, its HTTP threads with it; the answers are made
  in another process, at low priority.  Requests come by the clock: where other work slows reading down, each record
  carries more of them.
- "asks/s" is what was answered while the topic was read: less than 50 where other work keeps the answers waiting.
- "taken" is the share of one core that the requests take from the main process once the topic is read: so much less is
  left for reading at most, on any path.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if TYPE_CHECKING:
    from collections.abc import Iterator

PER_SECOND = 50
ASKERS = 5
"""Threads that share them, so that one slow answer holds up no other request."""
TICKS = os.sysconf("SC_CLK_TCK")
TOPIC = "people"
CONFIGURATION = """
kafka: {{bootstrap_servers: ["{bootstrap}"]}}
http: {{port: {port}}}
state: {{directory: "{folder}"}}
key: {{file: "{folder}/key"}}
streams:
  - name: people
    topics: [people]
    columns: {{ignore: [person_id]}}
    windows: {{width_records: {width}}}
    published:
      - {{name: set, columns: [age, sex, region], limits: {{separation: 0.99, unique_rows: 0.005}}}}
"""


class Service:
    """`streamqid run` from the beginning of the topic."""

    def __init__(self, bootstrap: str, port: int, folder: Path, width: int) -> None:
        self._port = port
        path = folder / "streamqid.yaml"
        path.write_text(CONFIGURATION.format(bootstrap=bootstrap, port=port, folder=folder, width=width))
        command = [sys.executable, "-m", "streamqid", "run", "--config", str(path)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def get(self, path: str) -> tuple[int, bytes]:
        """Return the status and the body of an answer."""
        with closing(http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)) as connection:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read()

    def columns(self) -> list[str]:
        """Wait for a sample that can be asked about, and return its columns."""
        while True:
            assert self._process.poll() is None, "the service has ended"
            try:
                status, body = self.get("/v1/streams/people/columns")
            except OSError:
                status = 0
            if status == 200:
                return [one["column"] for one in json.loads(body)["columns"]]
            time.sleep(0.1)

    def records(self) -> int:
        """Return how many records are counted."""
        return int(json.loads(self.get("/v1/streams")[1])[0]["records"])

    def cpu(self) -> float:
        """Return the processor time of the main process so far, with all its threads."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def close(self) -> None:
        """End the service."""
        self._process.terminate()
        self._process.wait()


@contextmanager
def asked(service: Service, columns: list[str], seconds: list[float]) -> Iterator[None]:
    """Ask at a steady pace meanwhile; how long each answer took is appended."""
    end, wrong = threading.Event(), list[bytes]()

    def go(asker: int) -> None:
        draw, begun, number = random.Random(asker + len(seconds)), time.perf_counter(), asker
        while not end.wait(max(0.0, begun + number / PER_SECOND - time.perf_counter())):
            number += ASKERS
            chosen = draw.sample(columns, draw.randint(1, len(columns)))
            before = time.perf_counter()
            status, body = service.get(f"/v1/streams/people/whatif?{urlencode([('column', one) for one in chosen])}")
            if status != 200:
                wrong.append(body)
            seconds.append(time.perf_counter() - before)

    threads = [threading.Thread(target=go, args=(asker,)) for asker in range(ASKERS)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        end.set()
        for thread in threads:
            thread.join()
    assert not wrong, wrong[0]


@contextmanager
def quiet() -> Iterator[None]:
    yield


def run(
    bootstrap: str, port: int, rows: int, width: int, seconds: list[float] | None
) -> tuple[float, float, float, float]:
    """Return records a second, CPU time of a record, CPU share once all is read, and requests answered a second."""
    with tempfile.TemporaryDirectory() as folder:
        service = Service(bootstrap, port, Path(folder), width)
        try:
            columns = service.columns()
            with quiet() if seconds is None else asked(service, columns, seconds):
                before = len(seconds or ())
                clock, cpu, first = time.perf_counter(), service.cpu(), service.records()
                assert first < 0.7 * rows, "the topic was read before anything could be asked: give it more --rows"
                while (records := service.records()) < rows:
                    time.sleep(0.1)
                clock, cpu = time.perf_counter() - clock, service.cpu() - cpu
                answered = (len(seconds or ()) - before) / clock
                time.sleep(5.0)
                rest, since = service.cpu(), time.perf_counter()
                time.sleep(15.0)
                share = (service.cpu() - rest) / (time.perf_counter() - since)
            return (records - first) / clock, cpu / (records - first), share, answered
        finally:
            service.close()


def main() -> None:
    from deploy.kafka.broker import start_broker
    from deploy.kafka.properties import free_ports

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_500_000)
    parser.add_argument("--width", type=int, default=100_000, help="records of a window in each partition")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    seconds: list[float] = []
    with tempfile.TemporaryDirectory() as folder, start_broker(Path(folder)) as broker:
        feed = ["feed", "--topic", TOPIC, "--rows", str(options.rows), "--bootstrap-servers", broker.bootstrap]
        subprocess.run([sys.executable, "-m", "streamqid", *feed], check=True, stdout=subprocess.DEVNULL)
        [port] = free_ports(1)
        print(f"{'':10} {'rec/s':>10} {'CPU, µs':>9} {'share at rest':>14} {'asks/s':>8} {'load':>6}")
        rounds = []
        for _ in range(options.rounds):
            both = []
            for name, told in (("quiet", None), ("asked", seconds)):
                found = run(broker.bootstrap, port, options.rows, options.width, told)
                both.append(found)
                rate, cpu, share, answered = found
                load = os.getloadavg()[0]
                print(f"{name:10} {rate:>10,.0f} {cpu * 1e6:>9.2f} {share:>14.1%} {answered:>8.1f} {load:>6.1f}")
            rounds.append(both)
    ratio, cpu = (statistics.median(asked[i] / quiet[i] for quiet, asked in rounds) for i in (0, 1))
    taken = statistics.median(asked[2] - quiet[2] for quiet, asked in rounds)
    middle, tail = (statistics.quantiles(seconds, n=100)[i - 1] * 1e3 for i in (50, 95))
    print(f"\nrec/s {ratio:.3f} times, CPU of a record {cpu:.3f} times, taken {taken:.1%}")
    print(f"{len(seconds):,} answers, each in {middle:.1f} ms at the median, {tail:.1f} ms at the 95th percentile")


if __name__ == "__main__":
    main()
