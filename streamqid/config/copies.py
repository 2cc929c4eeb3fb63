"""Copies of a stream with the published columns only."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from streamqid.config.section import Name, Names, Section, Topic, mistake

Action = Literal["stop", "drop", "pass"]


def copy_group(stream: str, to: str) -> str:
    """Return what follows ``kafka.group_id`` in the group and transactional id of a copy."""
    return f"{stream}.copy.{to}"


class CopyConfig(Section):
    """A topic that every record is copied to, exactly once, with the published columns only."""

    to: Topic = Field(description="Topic of the copy, with at least as many partitions; create it beforehand.")
    set: Name | None = Field(None, description="Publish the columns of this published set, as long as it is safe.")
    columns: Names = Field((), description="Or publish these columns, which nobody judges.")
    recommended: bool = Field(
        False,
        description="Or publish what the newest masking of the stream recommends, as long as its promise holds; a new "
        "column is taken up only together with all that were published before.",
    )
    hidden: Literal["remove", "replace"] = Field(
        "remove",
        description="Leave out all other fields (remove), or write the constant for those that format.columns, "
        "columns.only and columns.ignore name (replace).",
    )
    constant: Annotated[str, Field(max_length=1000)] | int | float | bool | None = Field(
        None, description="What is written for a hidden field; null is an empty field of a CSV line."
    )
    key: Literal["drop", "keep"] = Field(
        "drop",
        description="What becomes of keys, which often hold an identifier.  With keep, null values are copied, and "
        "deletions as null values.",
    )
    when_unsafe: Action = Field(
        "stop",
        description="While it is unsafe: copy nothing and go on there later (stop), never copy those records (drop), "
        "or copy them nevertheless (pass).",
    )
    when_unsure: Action = Field(
        "stop", description="The same while it is at risk or unknown, such as before the first verdict."
    )

    @model_validator(mode="after")
    def _says_what(self) -> Self:
        given = [self.set is not None, bool(self.columns), self.recommended]
        if sum(given) != 1:
            which = "is missing" if not any(given) else "is not the only one of the three"
            raise mistake("set", f"{which}: give exactly one of set, columns and recommended")
        if self.columns and self.when_unsure != "pass":
            unjudged = "must be pass, since nobody judges columns; or publish a set with them and name it"
            raise mistake("when_unsure", unjudged)
        if self.constant is not None and self.hidden == "remove":
            raise mistake("constant", "is for hidden: replace only")
        return self
