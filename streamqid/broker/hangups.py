# ruff: noqa: SLF001  # reaching in is what this module is for
"""What brokers say before they hang up.

A broker that refuses a user or a mechanism answers and closes the connection.  Where the two arrive together, the
client drops the answer, and nothing says why the connection ended.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def hear_out(client: Any) -> None:
    """Let a client of kafka-python look at what came before a connection ended."""
    manager = getattr(client, "_manager", None)
    build = getattr(manager, "_build_transport", None)
    if manager is None or build is None:
        return

    async def build_patient(*arguments: Any, **named: Any) -> Any:
        transport = await build(*arguments, **named)
        if hasattr(transport, "_sock_recv"):
            transport._sock_recv = functools.partial(_before_the_end, transport._sock_recv)
        return transport

    manager._build_transport = build_patient


def _before_the_end(receive: Callable[[], tuple[bytes, Any]]) -> tuple[bytes, Any]:
    """Return what was received; the end or an error behind it comes again with the next call.

    >>> ends = lambda: (b"you are refused", ConnectionError("hung up"))
    >>> _before_the_end(ends)
    (b'you are refused', None)
    >>> _before_the_end(lambda: (b"", ConnectionError("hung up")))
    (b'', ConnectionError('hung up'))
    """
    data, error = receive()
    return data, None if data else error
