"""The commands that read no table: plan, generate, demo and schema.

No annotation that typer reads is a string.
"""

import contextlib
import json as notation
from pathlib import Path
from typing import Annotated

import typer

from streamqid.cli.options import Delta, Epsilon, Json


def plan(
    columns: Annotated[int, typer.Option(metavar="M", help="Number of columns.")],
    rows: Annotated[int | None, typer.Option(metavar="N", help="Number of rows, if it is known.")] = None,
    epsilon: Epsilon = 0.001,
    delta: Delta = 0.01,
    beta: Annotated[float | None, typer.Option(help="Plan the minimum β-separation set and masking too.")] = None,
    json: Json = False,
) -> None:
    """Tell the sample that each question needs, and its bytes, before anything runs."""
    from streamqid import planning
    from streamqid.cli.show import tell

    tell(planning.plan(columns, rows, epsilon, delta, beta), json=json)


def demo(
    rows: Annotated[int, typer.Option(metavar="N", help="Rows to make up.")] = 2_000_000,
    seed: Annotated[int, typer.Option(help="Other numbers make up other people.")] = 1,
    directory: Annotated[Path | None, typer.Option(help="Keep the files here.")] = None,
    json: Json = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the page open afterwards, until Ctrl-C.")] = False,
    live: Annotated[bool, typer.Option("--live", help="Show stream and published set below the story.")] = False,
) -> None:
    """Show what streamqid does, on data that it makes up; prints the address of its page."""
    from streamqid.demo import demo as run

    with contextlib.ExitStack() as stack:
        look = None
        if live:
            from streamqid.cli.live import LiveView

            look = stack.enter_context(LiveView()).look
        run(rows=rows, seed=seed, directory=directory, json=json, keep=keep, look=look)


def schema(
    answer: Annotated[str | None, typer.Argument(help="The answer of this command; by default of any.")] = None,
) -> None:
    """Print the JSON Schema of the answers that --json gives."""
    from pydantic.json_schema import models_json_schema

    from streamqid.cli.schemas import models

    asked = models(answer)
    if answer is None:
        found, document = models_json_schema([(model, "serialization") for model in asked])
        document = {"title": "Any answer of streamqid", "anyOf": list(found.values()), **document}
    else:
        document = asked[0].model_json_schema(mode="serialization")
    document = {"$schema": "https://json-schema.org/draft/2020-12/schema", **document}
    typer.echo(notation.dumps(document, indent=2, ensure_ascii=False).encode())
