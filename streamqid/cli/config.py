"""The commands about the configuration of the service.

No annotation that typer reads is a string.
"""

import json as notation
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from streamqid.config import StreamConfig

config_app = typer.Typer(name="config", rich_markup_mode="rich")
File = Annotated[Path, typer.Argument(metavar="FILE", help="A configuration in YAML.")]


@config_app.callback(invoke_without_command=True)
def config(context: typer.Context) -> None:
    """Check, show and describe the configuration of the service."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@config_app.command(epilog="\nExample:\n  streamqid config check config.yaml")
def check(
    file: File,
    no_secrets: Annotated[
        bool, typer.Option("--no-secrets", help="Do not look whether the secrets are there.")
    ] = False,
) -> None:
    """Say whether a configuration can be used, and the memory that each stream will take."""
    from streamqid.cli.text import count, one_line
    from streamqid.config import load
    from streamqid.config.checking import check_secrets, hints

    loaded = load(file).config
    if not no_secrets:
        check_secrets(loaded)
    names = ", ".join(loaded.kafka.bootstrap_servers)
    secrets = "secrets not looked at" if no_secrets else "secrets readable"
    typer.echo(one_line(f"{file.name} is valid: {count(len(loaded.streams), 'stream')}, brokers {names}, {secrets}."))
    for stream in loaded.streams:
        typer.echo(f"  {stream.name}: {_sizes(stream)}")
    for hint in hints(loaded):
        typer.echo(f"  Hint: {one_line(hint)}")


@config_app.command(epilog="\nExample:\n  STREAMQID_LOG__LEVEL=debug streamqid config show config.yaml")
def show(file: File) -> None:
    """Print every value that is in effect with its origin; secrets are not shown."""
    from streamqid.config import load
    from streamqid.config.origins import shown

    typer.echo(shown(load(file)), nl=False)


@config_app.command(
    epilog="\nExamples:\n  streamqid config schema > streamqid.schema.json\n"
    "  streamqid config schema --as yaml > config.yaml"
)
def schema(
    form: Annotated[
        Literal["json", "yaml", "markdown"],
        typer.Option("--as", help="JSON Schema for editors, a commented file with all defaults, or documentation."),
    ] = "json",
) -> None:
    """Describe every option."""
    from streamqid.config import documentation, writing

    if form == "json":
        typer.echo(notation.dumps(documentation.schema(), indent=2, ensure_ascii=False).encode())
    else:
        typer.echo((writing.reference() if form == "yaml" else documentation.markdown()).encode(), nl=False)


def _sizes(stream: "StreamConfig") -> str:
    """Say how large the samples of a stream are, and the memory that they take."""
    from streamqid.cli.text import count, nbytes

    sizes = stream.sizes
    floor, ceiling = sizes.capacity.floor, sizes.capacity.ceiling or 0
    grows = f", growing to {ceiling:,} at most," if ceiling > floor else ""
    panes = f"the whole and {count(stream.windows.panes_kept, 'pane')}"
    memory = f"at most {nbytes(sizes.nbytes)} with {count(sizes.columns, 'column')}"
    return f"{count(floor, 'row')}{grows} in each of two samples, for {panes}; {memory}"
