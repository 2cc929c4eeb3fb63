"""Hysteresis: from verdicts on single windows to the state that is acted on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.engine.documents import VerdictState

if TYPE_CHECKING:
    from collections.abc import Sequence

SAFE, AT_RISK, UNSAFE, UNKNOWN = VerdictState.SAFE, VerdictState.AT_RISK, VerdictState.UNSAFE, VerdictState.UNKNOWN
KNOWN = {SAFE, AT_RISK}


def settled(before: VerdictState, states: Sequence[VerdictState], windows: int) -> VerdictState:
    """Return the settled state after a window.

    `unsafe` counts at once, for the evidence is certain.  To leave it, or to become safe from at risk, takes so many
    windows in a row.  A window without evidence neither clears a set that is unsafe nor, alone, makes another unknown.

    Parameters
    ----------
    before
        The settled state before this window.
    states
        The states of single windows, the newest last.
    windows
        How many windows in a row it takes.
    """
    newest, row = states[-1], list(states[-windows:])
    complete = len(row) == windows
    if newest is UNSAFE or before is UNKNOWN:
        return newest
    if newest is UNKNOWN:
        return UNKNOWN if before is not UNSAFE and complete and set(row) == {UNKNOWN} else before
    if before is UNSAFE:
        if not (complete and set(row) <= KNOWN):
            return UNSAFE
        return SAFE if set(row) == {SAFE} else AT_RISK
    if before is AT_RISK and newest is SAFE:
        return SAFE if complete and set(row) == {SAFE} else AT_RISK
    return newest
