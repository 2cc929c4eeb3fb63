"""Every error that streamqid raises on purpose.

    StreamqidError              exit code 1
    ├─ UsageError(ValueError)   exit code 2: the caller asked for something that cannot be
    │   ├─ TableError           exit code 2: the table cannot be read as asked
    │   └─ ConfigError          exit code 2: the configuration cannot be used
    ├─ StateError               exit code 3
    │   ├─ SnapshotCorruptError
    │   ├─ SnapshotVersionError
    │   └─ MergeError
    └─ TransportError           exit code 4: a broker or another service does not do what is asked

A message is one sentence that says what is wrong and what to do.  It never holds a value of a record.
"""

from __future__ import annotations


class StreamqidError(Exception):
    """Root of all errors of streamqid; ``exit_code`` is what the command line returns for it."""

    exit_code = 1


class UsageError(StreamqidError, ValueError):
    """An argument is out of range, unknown or contradicts another.  What to do: correct the argument."""

    exit_code = 2


class TableError(UsageError):
    """A table cannot be read.  What to do: as the message says, for instance name the format."""


class ConfigError(UsageError):
    """A configuration cannot be used.  What to do: correct the key that the message names."""


class StateError(StreamqidError):
    """Saved state cannot be used."""

    exit_code = 3


class SnapshotCorruptError(StateError):
    """The bytes are not what was written.  What to do: restore an older snapshot."""


class SnapshotVersionError(StateError):
    """The snapshot has a version that this program does not read.  What to do: use the program that wrote it."""

    def __init__(self, found: int, supported: tuple[int, ...]) -> None:
        self.found = found
        self.supported = supported
        readable = ", ".join(map(str, supported))
        super().__init__(
            f"The snapshot has format version {found}, this streamqid reads {readable}: "
            "open it with the version of streamqid that wrote it, or start a new state directory."
        )


class MergeError(StateError):
    """Two samples do not belong together.  What to do: merge samples of one secret and one capacity only."""


class TransportError(StreamqidError):
    """A broker or another service cannot be reached or refuses.  What to do: as the message says."""

    exit_code = 4
