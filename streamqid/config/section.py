"""What all parts of the configuration have in common."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, field_validator
from pydantic_core import PydanticCustomError


class Section(BaseModel):
    """A part of the configuration: immutable, unknown keys refused.

    The description of a field is the only text about it: reference, documentation and schema are made from it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, hide_input_in_errors=True)

    @field_validator("*")
    @classmethod
    def _is_path(cls, value: Any) -> Any:
        if isinstance(value, Path) and "\0" in str(value):
            raise mistake("", "holds a character that no path has")
        return value


def mistake(key: str, sentence: str) -> PydanticCustomError:
    """Return the error of a section whose ``key`` is wrong; the sentence goes on after the path of the key.

    The sentence may hold numbers and names of columns and topics, and no other value: it could be a secret that was
    written in the wrong place.
    """
    return PydanticCustomError("mistake", "{sentence}", {"key": key, "sentence": sentence})


def _split(value: Any) -> Any:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(","))
    return tuple(value) if isinstance(value, list) else value


LONGEST_NAME = 1000
"""Characters of a column's name."""
Name = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME)]
"""Name of a column: a dotted path where the field is nested."""
Names = Annotated[tuple[Name, ...], BeforeValidator(_split, json_schema_input_type=tuple[Name, ...] | str)]
"""Names as a list, or as one text with commas between them (the only way in a variable)."""
Topic = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{1,249}$")]
Topics = Annotated[tuple[Topic, ...], BeforeValidator(_split, json_schema_input_type=tuple[Topic, ...] | str)]
Server = Annotated[str, StringConstraints(pattern=r"^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):[0-9]{1,5}$")]
Servers = Annotated[
    tuple[Server, ...],
    Field(min_length=1),
    BeforeValidator(_split, json_schema_input_type=tuple[Server, ...] | str),
]
Variable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
"""Name of an environment variable."""
Share = Annotated[float, Field(ge=1e-9, lt=1.0)]
Ratio = Annotated[float, Field(ge=1e-9, le=1.0)]
Weights = dict[Name, Annotated[float, Field(gt=0)]]
Count = Annotated[int, Field(ge=1, le=1 << 53)]
