"""Prometheus and Alertmanager as processes, with the files of deploy/ but for addresses and intervals."""

from __future__ import annotations

import contextlib
import json
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

import yaml

from deploy.kafka.properties import free_ports
from tests.conftest import ROOT
from tests.kafka.service import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

DEPLOY = ROOT / "deploy"
EVERY = "1s"
"""How often the test scrapes, evaluates and groups; the shipped files have longer intervals."""

Series = dict[str, Any]


class Server:
    """A process that listens on a free port and tells by an address when it is ready; a ``with`` block ends it."""

    def __init__(self, directory: Path, command: Sequence[str], config: Mapping[str, Any]) -> None:
        directory.mkdir(parents=True)
        (self.port,) = free_ports(1)
        self.address = f"127.0.0.1:{self.port}"
        self._log = directory / "log"
        file = directory / "config.yml"
        file.write_text(yaml.safe_dump(dict(config)))
        self._command = [*command, f"--config.file={file}", f"--web.listen-address={self.address}"]

    def __enter__(self) -> Self:
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log)
        try:
            wait_for(self._is_ready, f"{self._command[0]} is ready")
        except AssertionError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _is_ready(self) -> bool:
        assert self._process.poll() is None, self._log.read_text()
        with contextlib.suppress(OSError), self._open("/-/ready") as answer:
            return bool(answer.status == 200)
        return False

    def _open(self, path: str) -> Any:
        return urllib.request.urlopen(f"http://{self.address}{path}", timeout=10)

    def ask(self, path: str, **parameters: object) -> Any:
        """Return the data of an answer; what the server refuses is a failure, with its reason."""
        try:
            with self._open(f"{path}?{urllib.parse.urlencode(parameters, doseq=True)}") as answer:
                return json.loads(answer.read())["data"]
        except urllib.error.HTTPError as refused:
            with refused:
                reason = refused.read().decode()
        raise AssertionError(f"{parameters}: {reason}")


class Prometheus(Server):
    """Scrapes the service and evaluates the shipped rules, byte for byte: they lie where they are shipped."""

    def __init__(self, command: str, directory: Path, service_port: int, alertmanager: Alertmanager) -> None:
        config = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())
        config["global"] = {"scrape_interval": EVERY, "evaluation_interval": EVERY}
        config["rule_files"] = [str(DEPLOY / "prometheus" / files) for files in config["rule_files"]]
        (scrape,) = config["scrape_configs"]
        scrape["static_configs"] = [{"targets": [f"127.0.0.1:{service_port}"]}]
        (told,) = config["alerting"]["alertmanagers"]
        told["static_configs"] = [{"targets": [alertmanager.address]}]
        super().__init__(directory, [command, f"--storage.tsdb.path={directory / 'data'}"], config)

    def query(self, expr: str) -> list[Series]:
        """Return the series of an instant query."""
        return list(self.ask("/api/v1/query", query=expr)["result"])

    def query_range(self, expr: str, start: float, end: float) -> list[Series]:
        """Return the series of a query over time."""
        asked = {"query": expr, "start": start, "end": end, "step": "1s"}
        return list(self.ask("/api/v1/query_range", **asked)["result"])

    def label_values(self, label: str, selector: str) -> list[str]:
        """Return the values of a label in the series of a selector."""
        return list(self.ask(f"/api/v1/label/{label}/values", **{"match[]": selector}))

    def rules(self) -> Iterator[dict[str, Any]]:
        """Yield every rule with its health and, if it is one, its state as an alert."""
        for group in self.ask("/api/v1/rules")["groups"]:
            yield from group["rules"]

    def evaluated_at(self, alert: str) -> float:
        """Return when an alerting rule was last evaluated."""
        (rule,) = (rule for rule in self.rules() if rule["name"] == alert)
        return datetime.fromisoformat(rule["lastEvaluation"]).timestamp()


class Alertmanager(Server):
    """Calls a webhook with the shipped grouping and receiver, but at once and at the address of the test."""

    def __init__(self, command: str, directory: Path, webhook: str) -> None:
        config = yaml.safe_load((DEPLOY / "alertmanager" / "alertmanager.yml").read_text())
        config["route"] |= {"group_wait": EVERY, "group_interval": EVERY}
        (receiver,) = config["receivers"]
        (hook,) = receiver["webhook_configs"]
        hook["url"] = webhook
        # Without an address for others of its kind it stays alone.
        alone = "--cluster.listen-address="
        super().__init__(directory, [command, f"--storage.path={directory / 'data'}", alone], config)
