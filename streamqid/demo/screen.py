"""What the demo prints: for people line by line as rows arrive, or JSON documents for programs."""

from __future__ import annotations

import math
import shutil
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from streamqid.demo.page import Page
from streamqid.demo.scenario import PUBLISHED
from streamqid.engine.alerts import Alert
from streamqid.engine.documents import Recommendation, VerdictState
from streamqid.problems.sentences import names, percent

if TYPE_CHECKING:
    from pydantic import BaseModel

    from streamqid.demo.result import DemoResult
    from streamqid.demo.scenario import Scenario
    from streamqid.engine.documents import Proposal, Verdict
    from streamqid.engine.questions import PublishedSet
    from streamqid.problems.answer import KeyAnswer

KEY_WIDTH = 28
LINE = f"{{:>9}}  {{:>6}}  {{:<{KEY_WIDTH}}} {{:>9}}  {{:>8}}  {{}}"
STYLES = {
    VerdictState.SAFE: "green",
    VerdictState.AT_RISK: "yellow",
    VerdictState.UNSAFE: "bold red",
    VerdictState.UNKNOWN: "dim",
}


class JsonLines:
    """One JSON document a line for all that is published, and nothing else."""

    def begin(self, address: str) -> None:
        """Say nothing."""

    def publish(self, document: BaseModel) -> None:
        """Print a document."""
        sys.stdout.write(document.model_dump_json() + "\n")
        sys.stdout.flush()

    def crashed(self, at: int, restored: int) -> None:
        """Say nothing."""

    def apply(self, proposal: Proposal, published: PublishedSet) -> None:
        """Say nothing."""

    def compare(self) -> None:
        """Say nothing."""

    def end(self, result: DemoResult, kept: Path | None) -> None:
        """Say nothing."""

    def stay(self, address: str) -> None:
        """Say nothing."""


class Screen:
    """The story for people."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._page = Page()

    def begin(self, address: str) -> None:
        """Say what will happen, and where else it can be seen."""
        rows, panes = self._scenario.rows, names(PUBLISHED.columns)
        self._page.say(f"streamqid demo: {rows:,} made-up records about people (seed {self._scenario.seed})", "bold")
        self._page.line(f"The page of the service, while this runs: {address}", "bold cyan")
        self._page.line("")
        self._page.say(
            "The loop of the service reads them once and keeps a sample of keyed fingerprints, no values. It asks "
            "which columns tell people apart (the key), and how sure that is: two random people differ on the key "
            "at least that often, and the width is what is still open."
        )
        self._page.line("")
        self._page.say(
            f"Published today: {panes}. Limit: two random people differ on them in at most "
            f"{percent(PUBLISHED.limits[0].value)} of cases, judged in each of ten panes (stretches of time). "
            "Half-way the source begins to record the region more finely, and nobody says so."
        )
        self._page.line("")
        self._page.line(LINE.format("rows", "pairs", "key", "at least", "width", "published"), "bold")

    def publish(self, document: BaseModel) -> None:
        """Print one line for a recommendation, why a verdict changed, and what an alert says to do."""
        if isinstance(document, Alert) and document.proposal is not None:
            self._page.say(f"*** Alert. What to do: {document.proposal.sentence} ***", "bold red", indent=11)
        if not isinstance(document, Recommendation) or document.key is None:
            return
        verdict = document.verdicts[0]
        bound = document.key.separation
        lower = 0.0 if bound is None or bound.lower is None else bound.lower
        line = LINE.format(
            f"{document.records:,}",
            f"{document.key.sample:,}",
            _short(document.key),
            f"{math.floor(lower * 1e5) / 1e3:.3f} %",
            f"{math.ceil((1.0 - lower) * 1e5 - 1e-6) / 1e3:.3f} %",
            "",
        )
        self._page.line(line, "", (verdict.settled.replace("_", " "), STYLES[verdict.settled]))
        if any(change.about == f"published set {verdict.name}" for change in document.changes):
            self._page.say(verdict.sentence, STYLES[verdict.settled], indent=11)

    def crashed(self, at: int, restored: int) -> None:
        """Say what the crash cost."""
        self._page.say(
            f"*** Crash in the middle of a batch, after {at:,} rows: the loop and its memory are gone. A new loop "
            f"restores the checkpoint at {restored:,} rows. It is sent every row again, and drops those it has. ***",
            "bold magenta",
            indent=11,
        )

    def apply(self, proposal: Proposal, published: PublishedSet) -> None:
        """Say what is published instead, and by which rows that is judged."""
        self._page.say(
            f"*** The proposal is applied: {names(published.columns)} is published from now on. It was chosen from "
            "the rows so far, so only windows that begin later are evidence about it. ***",
            "bold magenta",
            indent=11,
        )

    def compare(self) -> None:
        """Say what takes a moment."""
        self._page.line("")
        self._page.say("The same rows once more in other batches, without a crash, to compare ...", "dim")

    def end(self, result: DemoResult, kept: Path | None) -> None:
        """Sum up what was seen, and say what to try next."""
        last = result.recommendations[-1]
        same = result.digest == result.reference_digest
        self._page.line("")
        self._page.line("What you saw", "bold")
        if last.key is not None:
            self._page.item("key", last.key.guarantee)
        self._page.item("published", f"{names(PUBLISHED.columns)} was {_course(result.verdicts)}.")
        if result.verdicts:
            self._page.item("", result.verdicts[-1].sentence)
        for alert in result.alerts[:1]:
            self._page.item("proposal", "" if alert.proposal is None else alert.proposal.sentence)
        if result.applied:
            applied = result.applied[-1]
            self._page.item("applied", f"{names(applied.columns)} was {_course(result.applied)}.")
            self._page.item("", applied.sentence)
        self._page.item(
            "crash",
            f"{result.tally.duplicates:,} rows came twice and were counted once. Digest of all samples after the "
            f"crash: {result.digest}; without one: {result.reference_digest}"
            f" ({'the same, bit for bit' if same else 'NOT the same'}).",
        )
        if not result.story_holds:
            self._page.item(
                "note",
                "the set was to be safe in every pane before the drift and unsafe in every one after it, and what was "
                "proposed to be safe. It did not come out so: each verdict may err with its probability, and short "
                "panes leave wide intervals. Try more rows, or another seed.",
            )
        if kept is not None:
            self._page.item("state", f"the last snapshots are in {kept}.")
        self._page.line("")
        self._page.line("What to try next", "bold")
        for command in (
            *_into_path(),
            "streamqid generate --rows 100000 --drift default --out people.csv",
            "streamqid scan people.csv --ignore person_id",
            "streamqid check people.csv --columns age,sex,region",
            "streamqid demo --keep",
            "streamqid demo --seed 2",
        ):
            self._page.line(f"  {command}", "cyan")

    def stay(self, address: str) -> None:
        """Say how to end it."""
        self._page.line("")
        self._page.line(f"The page stays open: {address} (Ctrl-C ends it)", "bold cyan")


def _into_path() -> list[str]:
    """Return the command after which a shell finds the program, if it does not find it yet."""
    folder = Path(sys.executable).parent
    if shutil.which("streamqid"):
        return []
    inside = folder.is_relative_to(Path.cwd())
    return [f'export PATH="{f"$PWD/{folder.relative_to(Path.cwd())}" if inside else folder}:$PATH"']


def _short(key: KeyAnswer) -> str:
    """Name a key that is promised; of others only the size, since the next rows may bring other columns."""
    if not key.met:
        return f"not sure yet: {len(key.columns)} columns"
    return textwrap.shorten(names(key.columns), KEY_WIDTH, placeholder=" ...")


def _course(verdicts: list[Verdict]) -> str:
    """Tell in how many panes the set had which state, in order."""
    states = {v.window.last_pane: v.state for v in verdicts if v.window is not None}
    course: list[tuple[VerdictState, int]] = []
    for pane in sorted(states):
        state, count = course[-1] if course else (None, 0)
        if state is states[pane]:
            course[-1] = (states[pane], count + 1)
        else:
            course.append((states[pane], 1))
    told = [f"{state.replace('_', ' ')} in {count} pane{'s' * (count > 1)}" for state, count in course]
    return ", then ".join(told) or "never judged"
