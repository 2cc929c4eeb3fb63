"""The commands that read no table: plan, generate, demo and schema.

No annotation that typer reads is a string.
"""

import json as notation
from pathlib import Path
from typing import Annotated, Literal

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
) -> None:
    """Show what streamqid does, on data that it makes up."""
    from streamqid.demo import demo as run

    run(rows=rows, seed=seed, directory=directory, json=json)


def schema(
    answer: Annotated[
        Literal["keys", "mask", "check", "scan", "detect", "plan"] | None,
        typer.Argument(help="The answer of this command; by default of any."),
    ] = None,
) -> None:
    """Print the JSON Schema of the answers that --json gives."""
    from pydantic.json_schema import models_json_schema

    from streamqid.problems.answer import CheckAnswer, Document, KeyAnswer, MaskAnswer, PlanAnswer, ScanAnswer
    from streamqid.problems.findings import DetectAnswer

    models: dict[str, type[Document]] = {
        "keys": KeyAnswer,
        "mask": MaskAnswer,
        "check": CheckAnswer,
        "scan": ScanAnswer,
        "detect": DetectAnswer,
        "plan": PlanAnswer,
    }
    if answer is None:
        found, document = models_json_schema([(model, "serialization") for model in models.values()])
        document = {"title": "Any answer of streamqid", "anyOf": list(found.values()), **document}
    else:
        document = models[answer].model_json_schema(mode="serialization")
    document = {"$schema": "https://json-schema.org/draft/2020-12/schema", **document}
    typer.echo(notation.dumps(document, indent=2, ensure_ascii=False).encode())
