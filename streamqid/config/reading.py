"""How the records of a stream are read, sampled and cut into windows."""

import math
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from streamqid.config.quantities import Duration, Size, duration_text
from streamqid.config.section import Count, Name, Names, Ratio, Section, Share, mistake
from streamqid.sampling.fingerprint import MissingRule
from streamqid.sources.nesting import MAX_DEPTH


class FormatConfig(Section):
    """What a message looks like."""

    kind: Literal["json", "csv"] = Field("json", description="One JSON object (json) or one line of CSV (csv) each.")
    row_path: Name | None = Field(
        None, description="Dotted path to the row inside the JSON, such as payload.after of a change event."
    )
    columns: Names = Field((), description="Names of the fields of a CSV line, in their order.")
    delimiter: str = Field(",", min_length=1, max_length=1, description="Character between the fields of a CSV line.")
    max_record_bytes: Size = Field(1 << 20, ge=1, description="A larger record counts as bad.")
    max_depth: int = Field(
        MAX_DEPTH, ge=1, le=MAX_DEPTH, description="A record with more objects within each other counts as bad."
    )
    max_fields: Count = Field(1000, description="A record with more fields counts as bad.")
    max_batch_bytes: Size = Field(
        64 << 20, ge=1, description="A batch that is larger when decompressed halts its partition."
    )

    @model_validator(mode="after")
    def _kind_fits(self) -> Self:
        if self.kind == "csv" and not self.columns:
            raise mistake("columns", "must name the fields of a line of CSV")
        if self.kind == "csv" and self.row_path is not None:
            raise mistake("row_path", "is for kind json only")
        if self.kind == "json" and self.columns:
            raise mistake("columns", "is for kind csv only; the key columns of the stream chooses among the fields")
        if len(set(self.columns)) < len(self.columns):
            raise mistake("columns", f"names {len(self.columns)} fields, but only {len(set(self.columns))} differ")
        if self.delimiter in '"\r\n':
            raise mistake("delimiter", "must not be a quote or a line end")
        if self.max_batch_bytes < self.max_record_bytes:
            numbers = f"is {self.max_batch_bytes}, less than max_record_bytes, {self.max_record_bytes}"
            raise mistake("max_batch_bytes", f"{numbers}: a batch holds at least one record")
        return self


class ColumnsConfig(Section):
    """Which columns are looked at; nested fields have dotted names such as address.zip."""

    only: Names = Field((), description="Look at these columns only; empty: all, those that appear later included.")
    ignore: Names = Field((), description="Leave these columns out.")
    max_columns: int = Field(
        128,
        ge=1,
        le=10_000,
        description="Most columns that take part unless they are named: of more, those with the lowest keyed hashes.",
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        both = set(self.only) & set(self.ignore)
        if both:
            raise mistake("ignore", f"names the column {min(both)!r}, which only names too: name it once")
        if len(set(self.only)) > self.max_columns:
            raise mistake("only", f"names {len(set(self.only))} columns, more than max_columns, {self.max_columns}")
        return self


class MissingConfig(Section):
    """How missing values compare."""

    rule: MissingRule = Field(
        MissingRule.VALUE,
        description="Null, empty and absent are values like any other (value), equal each other (equal), or differ "
        "from all (distinct).",
    )
    markers: Names = Field((), description='Texts that mean missing, such as "?"; for the rules equal and distinct.')


class SamplingConfig(Section):
    """How much is kept.  Saved state can only be continued with the same sizes."""

    epsilon: Share = Field(0.001, description="The samples suffice for keys with this ε …")
    delta: Share = Field(0.01, description="… and this probability δ of a broken promise …")
    beta: Ratio = Field(0.8, description="… and for masking with this β.")
    rows: Count | None = Field(None, description="Rows in each of the two samples, instead of what ε, δ and β need.")
    distinct: bool = Field(
        False, description="Whether samples grow with the root of the records, as keys by distinct ratio need."
    )
    groups: Count = Field(
        1 << 14, description="Groups of each counted set that are held in a pane; up to so many the counts are exact."
    )
    memory: Size = Field(
        1 << 30, ge=1, description="Most bytes for all samples, counts and panes of the stream; samples shrink to fit."
    )


AHEAD_SECONDS = 86_400.0


class WindowsConfig(Section):
    """Panes of time, and the windows of panes in which published sets are judged."""

    by: Literal["records", "record", "ingest", "column"] = Field(
        "records",
        description="Cut panes by offset (records), by the latest timestamp in the batch of a record (ingest), by its "
        "own timestamp (record), or by a time in a column (column).  The last two decompress every batch.",
    )
    column: Name | None = Field(None, description="The column with the time, when by is column.")
    unit: Literal["seconds", "milliseconds"] = Field(
        "milliseconds",
        description="What numbers in that column count: seconds or milliseconds since 1970; texts are read as ISO "
        "8601.",
    )
    ahead: Annotated[Duration, Field(ge=0)] | None = Field(
        AHEAD_SECONDS,
        description="A time in that column which lies further than this after the record's own timestamp is no time: "
        "the record joins no pane, as one without a timestamp of its own; null believes every time, and one record "
        "from the far future then closes all panes.",
    )
    width: Duration = Field(3600.0, gt=0, description="How long a pane is, unless by is records.")
    width_records: Count = Field(1_000_000, description="Offsets of each partition in a pane, when by is records.")
    window_panes: Count = Field(1, description="How many panes make a window.")
    settle_windows: int = Field(
        2,
        ge=1,
        le=100,
        description="How many windows in a row it takes until a published set is no longer unsafe, or at risk.",
    )
    panes_kept: int = Field(8, ge=2, le=1000, description="How many panes are held, open ones included.")
    lateness: Duration = Field(
        0.0, ge=0, description="A pane stays open for so long after a newer time was seen; not when by is records."
    )

    @property
    def late_panes(self) -> int:
        """How many panes stay open behind the newest one."""
        return math.ceil(self.lateness / self.width)

    @model_validator(mode="after")
    def _holds_a_window(self) -> Self:
        if self.by == "column" and self.column is None:
            raise mistake("column", "must name the column with the time, since by is column")
        if self.by != "column" and self.column is not None:
            raise mistake("column", f"is given, but by is {self.by}: write by: column")
        if self.by != "column" and self.ahead != AHEAD_SECONDS:
            raise mistake("ahead", f"is given, but by is {self.by}: only times in a column are held to it")
        if self.by == "records" and self.lateness:
            raise mistake("lateness", f"is {duration_text(self.lateness)}, but by is records: offsets are never late")
        needed = self.window_panes + 1 + self.late_panes
        if self.panes_kept < needed:
            parts = f"{self.window_panes} of a closed window, 1 open and {self.late_panes} of lateness"
            raise mistake("panes_kept", f"is {self.panes_kept}, but {needed} panes are needed: {parts}")
        return self
