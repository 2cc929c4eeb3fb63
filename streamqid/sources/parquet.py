"""Reading Parquet files through pyarrow, which is an optional dependency."""

from __future__ import annotations

import contextlib
import importlib
import io
from typing import TYPE_CHECKING, Any

from streamqid.errors import TableError
from streamqid.sources import arrow
from streamqid.sources.batches import BATCH_ROWS, BlockBatch
from streamqid.sources.columns import ColumnBlock
from streamqid.sources.names import checked_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamqid.sources.streams import ByteSource

_MAGIC = b"PAR1"


class ParquetSource:
    """A table as a Parquet file.  Opening it reads the schema."""

    def __init__(self, source: ByteSource) -> None:
        if source.total_bytes is None:
            raise TableError(f"Parquet cannot be read from {source.name}, as it starts at the end: give a file.")
        if not source.peek().startswith(_MAGIC):
            raise TableError(f"{source.name} is not a Parquet file: check the file, or name its format.")
        self.name = source.name
        self.total_bytes = source.total_bytes
        self._source = source
        content: Any = io.BytesIO(source.stream.read()) if source.compressed else source.name
        with self._failures():
            self._file: Any = _library("pyarrow.parquet").ParquetFile(content)
            self._schema = arrow.flat_table(self._file.schema_arrow.empty_table()).schema
        self.columns = checked_names(self._schema.names, self.name)

    def batches(self) -> Iterator[BlockBatch]:
        """Yield the rows in groups; the bytes of the file are shared out among them by rows."""
        start, total = 0, self._file.metadata.num_rows
        groups = self._file.iter_batches(batch_size=BATCH_ROWS)
        while True:
            with self._failures():
                group = next(groups, None)
            if group is None:
                return
            table = arrow.flat_table(group)
            end = start + table.num_rows
            nbytes = self.total_bytes * end // total - self.total_bytes * start // total
            yield BlockBatch(ColumnBlock(self.columns, table.columns, 0, table.num_rows), start, nbytes)
            start = end

    def close(self) -> None:
        """Close the file."""
        self._file.close(force=True)
        self._source.close()

    @contextlib.contextmanager
    def _failures(self) -> Iterator[None]:
        """Report what pyarrow cannot read without its message, which may quote data."""
        try:
            yield
        except (_library("pyarrow").ArrowException, OSError):
            raise TableError(f"{self.name} is damaged, or pyarrow cannot read it: write it again.") from None


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise TableError("Reading Parquet needs pyarrow: pip install 'streamqid[parquet]'.") from None
