"""The value that every estimate of streamqid is: never a bare number."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Estimate(BaseModel):
    """An estimate with the interval that holds the true value with the stated confidence.

    A side of the interval that the sample cannot support is ``None``; nothing is promised on that side.
    An exact value has ``lower == estimate == upper`` and confidence 1.
    """

    model_config = ConfigDict(frozen=True)

    estimate: float
    lower: float | None
    upper: float | None
    confidence: float

    @classmethod
    def exact(cls, value: float) -> Estimate:
        """Return the estimate of a value that was computed over the whole table."""
        return cls(estimate=value, lower=value, upper=value, confidence=1.0)
