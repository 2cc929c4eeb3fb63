"""The broker's jars, fetched once and kept, and the command line that runs a class of theirs."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from deploy.kafka.tools import BrokerError, check_java, find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

POM = Path(__file__).with_name("pom.xml")
# The first compiler tier and the serial collector halve the start; a test never runs long enough to miss the rest.
JVM = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xshare:auto", "-Xms64m")
LOG_LEVEL = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"


def home() -> Path:
    """Return the directory of everything that is kept between starts; another pom.xml gets another one."""
    root = os.environ.get("STREAMQID_KAFKA_HOME")
    kept = Path(root).resolve() if root else POM.resolve().parents[2] / ".kafka"
    return kept / hashlib.sha256(POM.read_bytes()).hexdigest()[:12]


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Let one process at a time make the thing of this name."""
    directory = home()
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """Return the kept file or directory of this name; if it is absent, make it elsewhere and move it there whole."""
    target = home() / name
    if target.exists():
        return target
    with locked(name):
        if not target.exists():
            unfinished = home() / f"{name}.unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.unlink(missing_ok=True)
            make(unfinished)
            unfinished.rename(target)
    return target


def jars() -> list[Path]:
    """Return the class path, in an order that does not change: the class archive depends on it."""
    return sorted(made_once("jars", _fetch).glob("*.jar"))


def java(main: str, *arguments: str, options: tuple[str, ...] = ()) -> list[str]:
    """Return the command that runs a class of the broker's jars."""
    class_path = ":".join(map(str, jars()))
    return [find("java"), *JVM, LOG_LEVEL, *options, "-cp", class_path, main, *arguments]


def _fetch(directory: Path) -> None:
    check_java()
    command = [find("mvn"), "-q", "-B", "-f", str(POM), "dependency:copy-dependencies"]
    done = subprocess.run(
        [*command, f"-DoutputDirectory={directory}"], check=False, capture_output=True, text=True, cwd=POM.parent
    )
    if done.returncode != 0:
        msg = f"Maven could not fetch the jars of Kafka:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        raise BrokerError(msg)
