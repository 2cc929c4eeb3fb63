"""The commands that look at saved state: ``streamqid state show|verify DIR``."""

from pathlib import Path
from typing import Annotated

import typer

from streamqid.cli.options import Json

Directory = Annotated[Path, typer.Argument(metavar="DIR", help="State directory of one stream.")]

state_app = typer.Typer(help="Look at saved state.", no_args_is_help=True, add_completion=False)


@state_app.command(epilog="\nExamples:\n  streamqid state show streamqid-state/people")
def show(directory: Directory, json: Json = False) -> None:
    """Show the snapshots of a stream: how far each reaches, and what it holds.

    Neither the secret nor the configuration is needed, and a service that runs on the directory is not disturbed.
    """
    from streamqid.cli.show_state import tell
    from streamqid.engine.inspection import inspect

    tell(inspect(directory), json=json)


@state_app.command(epilog="\nExamples:\n  streamqid state verify streamqid-state/people && echo can be resumed")
def verify(directory: Directory, json: Json = False) -> None:
    """Verify the checksums of all snapshots; the exit code is 3 when the newest one is damaged."""
    from streamqid.cli.show_state import tell
    from streamqid.engine.inspection import inspect
    from streamqid.errors import StateError

    report = inspect(directory)
    tell(report, json=json)
    if not report.snapshots[-1].intact:
        then = "a start falls back to an older one" if report.usable else "a start would be refused"
        msg = f"The newest snapshot in {directory} is damaged: {then}."
        raise StateError(msg)
