"""The command that runs the service: ``streamqid run --config FILE``."""

from pathlib import Path
from typing import Annotated

import typer


def run(
    config: Annotated[Path, typer.Option(metavar="FILE", help="The configuration: see config/reference.yaml.")],
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
        logs.configure(loaded.config.log.level, loaded.config.log.format)
        with Service(loaded.config, stop) as service:
            service.run()
