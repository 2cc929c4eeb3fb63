"""Ask a running service how it is, for health checks of containers.

No annotation that typer reads is a string.
"""

import json as notation
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from streamqid.cli.text import one_line
from streamqid.errors import UsageError

OK = 200
MAX_BYTES = 1 << 20


def health(
    url: Annotated[str | None, typer.Argument(help="Where the service listens.", metavar="[URL]")] = None,
    config: Annotated[Path | None, typer.Option(help="Ask the service of this configuration, on this machine.")] = None,
    ready: Annotated[bool, typer.Option("--ready", help="Ask whether it is ready, not only alive.")] = False,
    timeout: Annotated[float, typer.Option(metavar="SECONDS", help="How long to wait.", min=0.1)] = 5.0,
) -> None:
    """Tell whether a running service is well: exit code 0 if it is, 1 if not."""
    if (url is None) == (config is None):
        raise UsageError("Give either the URL of the service or its --config.")
    host, port = _of_url(url) if url is not None else _of_config(config or Path())
    reasons = _ask(host, port, "/readyz" if ready else "/healthz", timeout)
    for reason in reasons:
        typer.echo(one_line(reason))
    if reasons:
        raise typer.Exit(1)
    typer.echo("ready" if ready else "alive")


def _of_url(url: str) -> tuple[str, int]:
    try:
        parts = urlsplit(url)
        scheme, host, port = parts.scheme, parts.hostname, parts.port
    except ValueError:
        scheme, host, port = "", None, None
    if host is None or scheme != "http":
        raise UsageError("The URL of a service looks like http://127.0.0.1:8477: give such a one.")
    return host, port or 80


def _of_config(path: Path) -> tuple[str, int]:
    from streamqid.config.loading import load

    listens = load(path).config.http
    if listens.port == 0:
        raise UsageError("The configuration lets the service take any free port: give its URL.")
    anywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
    return anywhere.get(listens.address, listens.address), listens.port


def _ask(host: str, port: int, path: str, timeout: float) -> list[str]:
    """Return why the service is not well; nothing if it is."""
    import http.client

    connection = http.client.HTTPConnection(host, port, timeout=timeout)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read(MAX_BYTES)
    except (OSError, http.client.HTTPException) as error:
        cause = getattr(error, "strerror", None) or type(error).__name__
        return [f"Nothing answers as a streamqid service at {host}:{port} ({cause})."]
    finally:
        connection.close()
    if answer.status == OK:
        return []
    try:
        reasons = [str(reason) for reason in notation.loads(body)["reasons"]]
    except (ValueError, KeyError, TypeError):
        reasons = []
    return reasons or [f"The service at {host}:{port} answers {answer.status} to {path}."]
