"""The configuration as a whole."""

from itertools import combinations
from typing import Annotated, Self

from pydantic import Field, model_validator

from streamqid.config.connection import KafkaConfig
from streamqid.config.copies import copy_group
from streamqid.config.quantities import duration_text
from streamqid.config.section import Section, mistake
from streamqid.config.service import (
    HttpConfig,
    KeyConfig,
    LogConfig,
    PublishConfig,
    ReadyConfig,
    SolverConfig,
    StateConfig,
)
from streamqid.config.stream import StreamConfig


class Config(Section):
    """The configuration of ``streamqid run``."""

    kafka: KafkaConfig = Field(description="How to reach the brokers.")
    key: KeyConfig = Field(KeyConfig(), description="The secret behind fingerprints and samples.")
    state: StateConfig = Field(StateConfig(), description="Where samples and positions are kept across restarts.")
    http: HttpConfig = Field(HttpConfig(), description="Metrics, health and recommendations over HTTP.")
    log: LogConfig = Field(LogConfig(), description="The log on standard error.")
    ready: ReadyConfig = Field(ReadyConfig(), description="When /readyz says yes.")
    solver: SolverConfig = Field(SolverConfig(), description="The processes that solve.")
    publish: PublishConfig = Field(PublishConfig(), description="Where recommendations go, beside HTTP.")
    streams: Annotated[tuple[StreamConfig, ...], Field(min_length=1)] = Field(
        description="The streams; each has its own samples and state."
    )

    @model_validator(mode="after")
    def _streams_differ(self) -> Self:
        # A name becomes a directory, and some disks take Upper and upper for the same.
        names = [stream.name.casefold() for stream in self.streams]
        for j, name in enumerate(names):
            if name in names[:j]:
                raise mistake(f"streams[{j}].name", f"is that of streams[{names.index(name)}] too: give each its own")
        return self

    @model_validator(mode="after")
    def _key_has_its_place(self) -> Self:
        for j, stream in enumerate(self.streams):
            if self.key.file == self.state.directory / stream.name:
                raise mistake(f"streams[{j}].name", "makes its state directory the same path as key.file: change one")
        return self

    @model_validator(mode="after")
    def _reads_no_output(self) -> Self:
        publish = self.publish
        outputs = {
            "publish.topic": publish.topic,
            "publish.alerts.topic": publish.alerts.topic,
            "publish.dead_letters.topic": publish.dead_letters.topic,
        }
        for j, stream in enumerate(self.streams):
            outputs |= {f"streams[{j}].copies[{i}].to": copy.to for i, copy in enumerate(stream.copies)}
        for key, topic in outputs.items():
            for j, stream in enumerate(self.streams):
                if topic is not None and stream.reads(topic):
                    raise mistake(key, f"is {topic!r}, which streams[{j}] reads: write to a topic that no stream reads")
        for (first, one), (second, other) in combinations(outputs.items(), 2):
            if one is not None and one == other:
                raise mistake(second, f"is {first} too: give each its own")
        return self

    @model_validator(mode="after")
    def _can_copy(self) -> Self:
        if self.kafka.group_id is None and any(stream.copies for stream in self.streams):
            raise mistake("kafka.group_id", "is null, but a copy keeps its offsets under it: give a name")
        return self

    @model_validator(mode="after")
    def _groups_differ(self) -> Self:
        # The offsets of a stream and those of a copy are kept under names that begin alike.
        groups = {stream.name: f"streams[{j}].name" for j, stream in enumerate(self.streams)}
        for j, stream in enumerate(self.streams):
            for i, copy in enumerate(stream.copies):
                key = f"streams[{j}].copies[{i}].to"
                other = groups.setdefault(copy_group(stream.name, copy.to), key)
                if other != key:
                    raise mistake(key, f"makes the group of this copy the same as {other} does: rename a stream")
        return self

    @model_validator(mode="after")
    def _can_be_ready(self) -> Self:
        age, interval = self.ready.max_snapshot_age, self.state.checkpoint_interval
        if age is not None and interval is not None and age < interval:
            numbers = f"is {duration_text(age)}, less than state.checkpoint_interval, {duration_text(interval)}"
            raise mistake("ready.max_snapshot_age", f"{numbers}: it would hardly ever be ready")
        return self
