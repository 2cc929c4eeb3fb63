"""Made-up microdata on a Kafka topic, to try the service with.

No annotation that typer reads is a string.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from streamqid.cli.generate import drift_of
from streamqid.cli.text import count, plain
from streamqid.errors import UsageError

if TYPE_CHECKING:
    from streamqid.broker.connect import Connection

LOCAL = "127.0.0.1:9092"


def feed(
    *,
    topic: Annotated[str, typer.Option(metavar="NAME", help="The topic; it is created if it does not exist.")],
    rows: Annotated[int, typer.Option(metavar="N", help="Number of rows.")] = 100_000,
    rate: Annotated[
        float | None, typer.Option(metavar="R", help="Rows per second; as fast as it goes by default.")
    ] = None,
    bootstrap_servers: Annotated[str | None, typer.Option(metavar="HOST:PORT", help=f"Default: {LOCAL}.")] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Connect as this configuration says, with its TLS and log-in.")
    ] = None,
    partitions: Annotated[int, typer.Option(metavar="N", help="Partitions of a new topic.", min=1)] = 4,
    seed: Annotated[int, typer.Option(help="The same number gives the same rows.")] = 0,
    drift: Annotated[
        list[str] | None,
        typer.Option(metavar="CHANGE", help="A change on the way, as generate takes it; repeatable."),
    ] = None,
) -> None:
    """Write made-up microdata to a topic as JSON, one row a message, and wait until all of it is confirmed."""
    from streamqid.broker.feeding import create_topic
    from streamqid.broker.feeding import feed as write
    from streamqid.synthetic import Population, jsonl

    if rate is not None and rate <= 0:
        msg = "The rate is a positive number of rows per second."
        raise UsageError(msg)
    population = Population(seed, drifts=tuple(drift_of(text, rows) for text in drift or ()))
    population.check_rows(rows)
    connection = _connection(bootstrap_servers, config)
    created = create_topic(connection, topic, partitions)
    written = write(connection, topic, _lines(jsonl(population, rows)), rate=rate)
    known = "created, " if created else ""
    typer.echo(f"Wrote {count(written, 'row')} to topic {plain(topic)} ({known}seed {seed}).", err=True)


def _lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        yield from piece.splitlines()


def _connection(servers: str | None, config: Path | None) -> "Connection":
    from streamqid.broker.connect import Connection
    from streamqid.config import load
    from streamqid.config.building import connection_of

    if servers is not None and config is not None:
        msg = "The brokers are named twice: give either --bootstrap-servers or --config."
        raise UsageError(msg)
    if config is not None:
        return connection_of(load(config).config)
    return Connection(tuple((servers or LOCAL).split(",")))
