"""The command that runs the service: ``streamqid run --config FILE``."""

import contextlib
from pathlib import Path
from typing import Annotated

import typer


def run(
    config: Annotated[Path, typer.Option(metavar="FILE", help="The configuration: see config/reference.yaml.")],
    live: Annotated[
        bool, typer.Option("--live", help="Show streams and published sets on the terminal while it runs.")
    ] = False,
) -> None:
    """Watch Kafka topics: keep samples across restarts, solve on a schedule, publish what is found.

    Ends with 0 after SIGTERM or Ctrl-C, when its state is saved.
    """
    from streamqid.engine.signals import Stop, stopping

    stop = Stop()
    with stopping(stop.ask):
        # The rest takes a second to import, and a signal that comes meanwhile must end the service in good order too.
        from streamqid.app import Service
        from streamqid.config import load
        from streamqid.publish import logs

        loaded = load(config)
        with contextlib.ExitStack() as stack:
            look = None
            if live:
                from streamqid.cli.live import LiveView

                # Before the log is opened, so that its lines pass above the picture.
                look = stack.enter_context(LiveView()).look
            logs.configure(loaded.config.log.level, loaded.config.log.format)
            stack.enter_context(Service(loaded.config, stop)).run(look)
