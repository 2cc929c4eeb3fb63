"""The columns that are read of every record, and the reader that is chosen for them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from streamqid.fields.compiled import CompiledReader
from streamqid.fields.general import GeneralReader
from streamqid.fields.paths import paths_of
from streamqid.fields.plain import PlainReader, can_be_named
from streamqid.fields.selfcheck import agrees
from streamqid.sampling.fingerprint import Encoder, MissingRule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.fields.reading import Definition, FieldReader
    from streamqid.sampling.secret import Secret

log = logging.getLogger(__name__)


class Wanted:
    """Named columns under a secret and a missing rule.  Owned by one thread, as are its readers.

    Parameters
    ----------
    columns
        Names, in the order of the fingerprints.
    secret, missing, markers
        As for the :class:`Encoder`, whose fingerprints these are.
    compiled
        Whether to take the compiled reader if numba is installed and it passes a check.
    """

    def __init__(
        self,
        columns: Sequence[str],
        secret: Secret,
        missing: MissingRule = MissingRule.VALUE,
        markers: Sequence[str] = (),
        *,
        compiled: bool = True,
    ) -> None:
        self.columns = tuple(columns)
        self._secret = secret
        self._encoder = Encoder(secret, missing, markers)
        self._compiled = compiled
        self._readers: dict[Definition, FieldReader] = {}

    def reader(self, definition: Definition) -> FieldReader:
        """Return the fastest reader that gives what the general one gives; it is chosen once."""
        if definition not in self._readers:
            self._readers[definition] = self._choose(definition)
        return self._readers[definition]

    def _choose(self, definition: Definition) -> FieldReader:
        general = GeneralReader(definition, self.columns, self._encoder)
        if definition.kind != "json" or not can_be_named(definition.row_path):
            return general
        plain = PlainReader(definition, self.columns, self._encoder)
        if not agrees(plain, general, self.columns, definition):
            log.warning("Fields are read by whole records, which is slower: the decoder does not skip as expected.")
            return general
        paths = paths_of(self.columns, definition.row_path) if self._compiled else None
        if paths is None:
            return plain
        try:
            fast = CompiledReader(definition, self.columns, self._encoder, self._secret, paths)
            if agrees(fast, general, self.columns, definition):
                return fast
            why = "it does not agree with the plain reader"
        except ImportError:
            why = "numba is not installed"
        except Exception as error:  # whatever a compiler may raise
            why = f"it does not compile here ({type(error).__name__})"
        log.info("Fields are read without the compiled reader: %s; for more speed pip install streamqid[fast].", why)
        return plain
