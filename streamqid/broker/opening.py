"""A client that is being built on a thread of its own, since that may take as long as the brokers like."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from streamqid.errors import TransportError

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamqid.broker.client import Client


class Opening:
    """Builds a client; afterwards either ``client`` or ``error`` is there."""

    client: Client

    def __init__(self, build: Callable[[], Client]) -> None:
        self.error: TransportError | None = None
        self._build = build
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._abandoned = False
        threading.Thread(target=self._run, name="kafka-opening", daemon=True).start()

    def wait(self, seconds: float) -> bool:
        """Return whether it is over, waiting so long at most."""
        return self._done.wait(seconds)

    def abandon(self) -> None:
        """Close the client if there is one, now or later."""
        with self._lock:
            self._abandoned = True
            if self._done.is_set() and self.error is None:
                self.client.close()

    def _run(self) -> None:
        try:
            client = self._build()
        except TransportError as error:
            self._fail(error)
        except Exception as error:
            # Whatever it is, the one who waits must hear of it.
            self._fail(TransportError(f"The client of the brokers could not be built ({type(error).__name__})."))
        else:
            with self._lock:
                self.client = client
                self._done.set()
                if self._abandoned:
                    client.close()

    def _fail(self, error: TransportError) -> None:
        self.error = error
        self._done.set()
