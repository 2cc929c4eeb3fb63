"""The methods that can be compared, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.problems.articulation import articulation
from streamqid.problems.baselines import dpi, f2cic, fpcv, qia, sqia
from streamqid.problems.dependencies import dependencies
from streamqid.problems.ratio_methods import by_distinct, by_separation
from streamqid.problems.set_methods import by_k_anonymity, by_minimal_sets

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamqid.problems.detect_question import DetectQuestion
    from streamqid.problems.findings import Finding

DETECTORS: dict[str, Callable[[DetectQuestion], Finding]] = {
    "separation": by_separation,
    "distinct": by_distinct,
    "minimal": by_minimal_sets,
    "k-anonymity": by_k_anonymity,
    "dependencies": dependencies,
    "articulation": articulation,
}
"""The methods of the papers: what ``all`` asks for, in the order in which they are shown."""

BASELINES: dict[str, Callable[[DetectQuestion], Finding]] = {
    "sqia": sqia,
    "dpi": dpi,
    "f2cic": f2cic,
    "qia": qia,
    "fpcv": fpcv,
}
"""What Hua et al. compare with: what ``baselines`` asks for."""
