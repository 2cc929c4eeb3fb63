"""The command line: ``streamqid``, or ``python -m streamqid``.

What each exit code means is in ``streamqid.cli.app``, which ``streamqid --help`` shows.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from typing import TYPE_CHECKING

from streamqid.cli.text import one_line
from streamqid.errors import StreamqidError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

DEBUG = "STREAMQID_DEBUG"
COMPLETE = "_STREAMQID_COMPLETE"
"""By this a shell asks how a line could go on."""
DEFECT, REFUSED, INTERRUPTED, NO_READER = 70, 74, 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    A mistake is told in one sentence on standard error.  An exception that nobody foresaw tells no more than its
    type, since its message could quote a value of a record; STREAMQID_DEBUG=1 shows all of it.
    """
    try:
        _never_fail_to_encode()
        code = _run(sys.argv[1:] if arguments is None else list(arguments))
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return NO_READER
    except StreamqidError as error:
        return _fail(str(error), error.exit_code)
    except MemoryError as error:
        return _fail("the memory is used up: sample fewer rows, or allow fewer bytes with --memory.", DEFECT, error)
    except OSError as error:
        _discard_output()
        return _fail(
            f"the system refused ({error.strerror or 'unknown cause'}): check disk and rights.", REFUSED, error
        )
    except Exception as error:
        kind = type(error).__name__
        advice = f"please report it; run again with {DEBUG}=1 for the traceback"
        return _fail(f"internal error ({kind}): {advice}", DEFECT, error)
    return code


def _run(arguments: list[str]) -> int:
    """Parse the arguments and run the command; typer's own way to run it would handle errors differently."""
    import typer

    from streamqid.cli.app import app

    command = typer.main.get_command(app)
    try:
        if COMPLETE in os.environ:
            command.main(prog_name="streamqid")
        with command.make_context("streamqid", arguments) as context:
            command.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    except typer.TyperException as error:
        # Newer versions of typer put the kind of the error before what is wrong.
        return _fail(error.format_message().replace(": Value error, ", ": ", 1), error.exit_code)
    return 0


def _fail(sentence: str, code: int, error: BaseException | None = None) -> int:
    """Say what is wrong on standard error, with the traceback of a defect if debugging; return the exit code."""
    with contextlib.suppress(OSError, AttributeError):
        if error is not None and os.environ.get(DEBUG) == "1":
            traceback.print_exception(error, file=sys.stderr)
        sys.stderr.write(f"streamqid: {one_line(sentence)}\n")
    return code


def _never_fail_to_encode() -> None:
    """Let a terminal that lacks a character show its code instead of ending the program."""
    with contextlib.suppress(AttributeError):
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _discard_output() -> None:
    """Send what is still buffered nowhere, so that Python does not fail again while it shuts down."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
