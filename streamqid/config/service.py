"""What concerns the process as a whole: its key, state, outputs and limits."""

import ipaddress
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from streamqid.config.quantities import Duration
from streamqid.config.section import Count, Ratio, Section, Topic, Variable, mistake


class KeyConfig(Section):
    """The secret behind fingerprints and samples."""

    file: Path = Field(
        Path("streamqid-state/key"),
        description="File with 64 hexadecimal digits, which only its owner may read.  Who has it can test guesses "
        "against the state; without it the state is worthless.  Back it up apart from the state.",
    )
    create: bool = Field(True, description="Whether to make the file, with mode 0600, when it does not exist.")


class StateConfig(Section):
    """Where samples and positions are kept across restarts."""

    directory: Path = Field(
        Path("streamqid-state"), description="Directory on a local disk; each stream has its own in it."
    )
    checkpoint_records: Count | None = Field(1_000_000, description="Save after so many records; null: by time only.")
    checkpoint_interval: Annotated[Duration, Field(gt=0)] | None = Field(
        30.0, description="Save after so long, if there were records; null: by records only."
    )
    keep: int = Field(3, ge=1, le=100, description="How many snapshots of a stream are kept.")

    @model_validator(mode="after")
    def _saves(self) -> Self:
        if self.checkpoint_records is None and self.checkpoint_interval is None:
            raise mistake("checkpoint_interval", "and checkpoint_records are both null: the state would not be saved")
        return self


class HttpConfig(Section):
    """The HTTP server: the page, what it shows as JSON (/openapi.json), /metrics, /healthz and /readyz."""

    address: str = Field("127.0.0.1", description="Address to listen on, as a number.")
    port: int = Field(8477, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    token_file: Path | None = Field(
        None, description="File with a token that every request for a fact must carry as Bearer."
    )
    token_env: Variable | None = Field(None, description="Environment variable with that token.")
    insecure: bool = Field(
        False, description="Whether other machines may ask without a token, when the address lets them."
    )

    @property
    def local(self) -> bool:
        """Whether only this machine can reach the address."""
        return ipaddress.ip_address(self.address).is_loopback

    @model_validator(mode="after")
    def _protected(self) -> Self:
        try:
            local = self.local
        except ValueError:
            raise mistake("address", "must be the number of an address, such as 127.0.0.1 or 0.0.0.0") from None
        if self.token_file is not None and self.token_env is not None:
            raise mistake("token_env", "and token_file are both given: give one of them")
        if not local and not self.insecure and self.token_file is None and self.token_env is None:
            reason = "can be reached by other machines: give token_file or token_env, or write insecure: true"
            raise mistake("address", reason)
        return self


class LogConfig(Section):
    """The log on standard error."""

    level: Literal["debug", "info", "warning", "error"] = Field("info", description="debug, info, warning or error.")
    format: Literal["text", "json"] = Field("text", description="Lines for people (text) or for programs (json).")


class ReadyConfig(Section):
    """When /readyz says yes."""

    max_lag: Count | None = Field(1_000_000, description="Most records that may wait in a stream; null: any number.")
    max_snapshot_age: Annotated[Duration, Field(gt=0)] | None = Field(
        600.0, description="Oldest that records which are not saved yet may be; null: any age."
    )


class SolverConfig(Section):
    """The processes that solve."""

    deadline: Duration = Field(120.0, gt=0, description="After so long a solve is given up; that answer is missing.")


class DeadLettersConfig(Section):
    """Pointers to records that could not be read: topic, partition, offset and reason, never the record."""

    topic: Topic | None = Field(None, description="Topic for the pointers; null writes none.")
    per_second: float = Field(10.0, gt=0, le=1e6, description="Most pointers per second and stream; more are counted.")
    alarm_share: Ratio = Field(
        0.5, description="When a larger share of the records is bad, the stream says so and writes no pointers."
    )


_ADDRESS = r"^https?://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?([/?][!-~]*)?$"


class WebhookConfig(Section):
    """An address that each alert is posted to."""

    url: Annotated[str, StringConstraints(pattern=_ADDRESS, max_length=2000)] | None = Field(
        None, description="Where alerts are posted, such as http://alertmanager:9093/api/v2/alerts; null: nowhere."
    )
    format: Literal["alertmanager", "plain"] = Field(
        "plain", description="The alert as its document (plain), or as Alertmanager's API v2 takes it (alertmanager)."
    )
    token_file: Path | None = Field(None, description="File with a token that is sent as Bearer.")
    timeout: Duration = Field(10.0, gt=0, le=600, description="How long an answer is waited for.")
    retries: int = Field(5, ge=0, le=100, description="How often an alert is sent again, later each time.")
    dead_letter_file: Path | None = Field(
        None,
        description="File to which alerts that were not taken are added as lines of JSON; beyond 16 MiB it becomes the "
        "one with .1 behind its name. Null: the log only.",
    )


class AlertsConfig(Section):
    """Where alerts and drift events go, beside HTTP: what is told once, when it happens."""

    topic: Topic | None = Field(None, description="Kafka topic for alerts and drift events; null: none.")
    webhook: WebhookConfig = Field(WebhookConfig(), description="An address that each alert is posted to.")


class PublishConfig(Section):
    """Where recommendations go, beside HTTP."""

    topic: Topic | None = Field(None, description="Kafka topic for recommendations, keyed by stream; null: none.")
    file: Path | None = Field(None, description="File to which each recommendation is added as a line of JSON.")
    stdout: bool = Field(False, description="Whether each recommendation is written to standard output as well.")
    alerts: AlertsConfig = Field(AlertsConfig(), description="Published sets that turn unsafe, and drift.")
    dead_letters: DeadLettersConfig = Field(DeadLettersConfig(), description="Pointers to unreadable records.")
