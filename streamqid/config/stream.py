"""One stream, and the configuration as a whole."""

import difflib
import re
from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from streamqid.config.asking import (
    ClosenessConfig,
    LimitsConfig,
    ProblemsConfig,
    PublishedSetConfig,
    ScheduleConfig,
    SmallGroupsConfig,
)
from streamqid.config.copies import CopyConfig
from streamqid.config.problems import named_by
from streamqid.config.reading import ColumnsConfig, FormatConfig, MissingConfig, SamplingConfig, WindowsConfig
from streamqid.config.section import Section, Topics, mistake
from streamqid.config.sizes import Sizes, sizes_of
from streamqid.problems.answer import Measure, Rule


class StreamConfig(Section):
    """Topics that are read as one table."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")] = Field(
        description="What to call the stream: letters, digits, dots, dashes and underscores.  Its state is kept under "
        "this name."
    )
    topics: Topics = Field((), description="Names of the topics; or give a pattern.")
    pattern: str | None = Field(
        None, min_length=1, description="Regular expression that the whole name of a topic matches, instead of topics."
    )
    format: FormatConfig = Field(FormatConfig(), description="What a message looks like.")
    columns: ColumnsConfig = Field(ColumnsConfig(), description="Which columns are looked at.")
    missing: MissingConfig = Field(MissingConfig(), description="How missing values compare.")
    sampling: SamplingConfig = Field(SamplingConfig(), description="How much is kept.")
    windows: WindowsConfig = Field(WindowsConfig(), description="Panes and windows.")
    problems: ProblemsConfig = Field(ProblemsConfig(), description="What is asked of all records since the start.")
    published: tuple[PublishedSetConfig, ...] = Field(
        (),
        description="Column sets that are published today, each judged in every window.",
        examples=[
            PublishedSetConfig(
                name="research",
                columns=("zip", "age"),
                limits=LimitsConfig(
                    separation=0.9,
                    small_groups=SmallGroupsConfig(k=5, share=0.05),
                    closeness=(ClosenessConfig(sensitive="diagnosis", t=0.3, share=0.05),),
                ),
            )
        ],
    )
    copies: tuple[CopyConfig, ...] = Field(
        (),
        description="Topics that every record is copied to with the published columns only.",
        examples=[CopyConfig(to="people-published", set="research")],
    )
    schedule: ScheduleConfig = Field(ScheduleConfig(), description="When to solve.")
    on_gap: Literal["halt", "skip"] = Field(
        "halt",
        description="When records were deleted before they were read: stop at that partition (halt), or go on after "
        "them (skip).",
    )
    on_recreated: Literal["halt", "restart"] = Field(
        "halt",
        description="When a topic was deleted and made anew: leave the new one unread (halt), or read it as well "
        "(restart).",
    )
    path: Literal["auto", "header", "full", "plain"] = Field(
        "auto",
        description="How batches are read: candidates only (header), every record, which counts all bad records and "
        "the groups of all published sets (full), by the plain client (plain), or as the sets ask for (auto).  The "
        "samples are the same.",
    )

    @property
    def counted(self) -> tuple[tuple[str, ...], ...] | None:
        """The column sets that are counted over every record; None if not every record is read."""
        sets = tuple(one.columns for one in self.published if one.count or self.path == "full")
        return sets if sets or self.path == "full" else None

    @property
    def named_columns(self) -> tuple[str, ...]:
        """Columns that are known before the first record, without those that are ignored; empty if unknown."""
        named = self.columns.only or self.format.columns
        return tuple(name for name in dict.fromkeys(named) if name not in self.columns.ignore)

    @property
    def sizes(self) -> Sizes:
        """How large the samples are; raises a mistake when memory does not hold any, so validation does."""
        columns = len(self.named_columns) or self.columns.max_columns
        return sizes_of(self.sampling, self.problems, columns, self.windows.panes_kept, len(self.counted or ()))

    def reads(self, topic: str) -> bool:
        """Whether records of this topic belong to the stream."""
        return topic in self.topics or (self.pattern is not None and re.fullmatch(self.pattern, topic) is not None)

    @model_validator(mode="after")
    def _reads_something(self) -> Self:
        if bool(self.topics) == (self.pattern is not None):
            both = "and pattern are both given" if self.topics else "is missing, and there is no pattern"
            raise mistake("topics", f"{both}: give one of them")
        if len(set(self.topics)) < len(self.topics):
            raise mistake("topics", f"has {len(self.topics)} names, but only {len(set(self.topics))} differ")
        try:
            re.compile(self.pattern or "")
        except (re.error, OverflowError, RecursionError):
            raise mistake("pattern", "is not a regular expression") from None
        return self

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        key, mask = self.problems.key, self.problems.mask
        if key is None and mask is None and not self.problems.others and not self.published:
            raise mistake("problems", "asks for neither key nor mask, and no set is published: ask for something")
        for where in self.problems.others:
            if where != "articulation" and not self.named_columns:
                what = "is asked, whose promise is for all sets of named columns"
                raise mistake(f"problems.{where}", f"{what}: give columns.only")
        for where, problem in (("key", key), ("mask", mask)):
            if problem is not None and problem.rule is not Rule.CERTIFIED and not self.named_columns:
                needs = "which needs named columns: give columns.only"
                raise mistake(f"problems.{where}.rule", f"is {problem.rule}, {needs}")
        grows = self.sampling.distinct or self.sampling.rows is not None
        if key is not None and key.measure is Measure.DISTINCT and not grows:
            raise mistake("sampling.distinct", "must be true, or rows be given, for a key by the measure distinct")
        if self.path == "header" and any(published.count for published in self.published):
            raise mistake("path", "is header, but a published set is to be counted over all records: write path: auto")
        names = [published.name for published in self.published]
        twice = next((j for j, name in enumerate(names) if name in names[:j]), None)
        if twice is not None:
            raise mistake(f"published[{twice}].name", "is the name of another set too: give each its own")
        return self

    @model_validator(mode="after")
    def _holds_their_windows(self) -> Self:
        most = self.windows.panes_kept - 1 - self.windows.late_panes
        for j, published in enumerate(self.published):
            if published.window_panes is not None and published.window_panes > most:
                held = f"is {published.window_panes}, but windows.panes_kept holds a closed window of {most} at most"
                raise mistake(f"published[{j}].window_panes", held)
        return self

    @model_validator(mode="after")
    def _copies_what_is_there(self) -> Self:
        names = [published.name for published in self.published]
        for j, copy in enumerate(self.copies):
            if copy.set is not None and copy.set not in names:
                raise mistake(f"copies[{j}].set", "is not the name of a published set of this stream")
            if copy.recommended and self.problems.mask is None:
                raise mistake(f"copies[{j}].recommended", "is true, but problems.mask is null: ask for a masking")
            if copy.hidden == "replace" and not (self.columns.only or self.format.columns):
                named = "is replace, which needs named columns: give columns.only"
                raise mistake(f"copies[{j}].hidden", named)
            if copy.to in [other.to for other in self.copies[:j]]:
                raise mistake(f"copies[{j}].to", "is the topic of another copy too: give each its own")
        return self

    @model_validator(mode="after")
    def _knows_its_columns(self) -> Self:
        if self.format.columns and self.windows.column not in (None, *self.format.columns):
            raise mistake("windows.column", _unknown(str(self.windows.column), self.format.columns))
        named = self.columns.only or self.format.columns
        for key, names in (("columns.only", self.columns.only), ("columns.ignore", self.columns.ignore)):
            for name in names:
                if self.format.columns and name not in self.format.columns:
                    raise mistake(key, _unknown(name, self.format.columns))
        for key, name in self._mentioned():
            if name in self.columns.ignore:
                raise mistake(key, f"names the column {name!r}, which columns.ignore leaves out")
            if named and name not in named:
                raise mistake(key, _unknown(name, named))
        if named and not self.named_columns:
            raise mistake("columns.ignore", "leaves no column: ignore fewer")
        return self

    @model_validator(mode="after")
    def _fits_in_memory(self) -> Self:
        _ = self.sizes
        return self

    def _mentioned(self) -> Iterator[tuple[str, str]]:
        """Yield each column that a question names, after the key that names it."""
        for where, problem in (("key", self.problems.key), ("mask", self.problems.mask)):
            yield from ((f"problems.{where}.weights", name) for name in (problem.weights if problem else ()))
        if self.problems.mask is not None:
            yield from (("problems.mask.must_publish", name) for name in self.problems.mask.must_publish)
            yield from (("problems.mask.must_hide", name) for name in self.problems.mask.must_hide)
        for where, other in self.problems.others.items():
            yield from ((f"problems.{where}.{key}", name) for key, name in named_by(other))
        for j, published in enumerate(self.published):
            yield from ((f"published[{j}].columns", name) for name in published.columns)
            for i, close in enumerate(published.limits.closeness):
                yield f"published[{j}].limits.closeness[{i}].sensitive", close.sensitive
        for j, copy in enumerate(self.copies):
            yield from ((f"copies[{j}].columns", name) for name in copy.columns)


def _unknown(name: str, columns: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name, columns, n=1)
    return f"names the column {name!r}, which is not among those that are named" + (
        f": did you mean {near[0]!r}?" if near else ""
    )
