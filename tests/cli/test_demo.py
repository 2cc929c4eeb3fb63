from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from streamqid import demo as package
from streamqid.demo import demo, scenario
from streamqid.demo.scenario import PUBLISHED, Scenario
from streamqid.demo.site import DemoSite
from streamqid.engine.alerts import Alert, DriftEvent
from streamqid.engine.documents import Recommendation, VerdictState
from streamqid.engine.questions import Limit, PublishedSet, Quantity
from streamqid.engine.state import State
from streamqid.errors import StateError, UsageError
from streamqid.synthetic import truth
from tests.unit.publish.watching import ask

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = 40_000
PROGRAM = str(Path(sys.executable).parent)


def run_demo(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "streamqid", "demo", *arguments]
    clean = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "FORCE_COLOR")}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=clean | environment)


@pytest.mark.parametrize(
    "environment", [{"PATH": PROGRAM}, {"PATH": "", "NO_COLOR": "1", "COLUMNS": "200", "LC_ALL": "C", "TERM": "dumb"}]
)
def test_the_program_tells_the_story_in_plain_lines(environment: dict[str, str]) -> None:
    done = run_demo("--rows", str(ROWS), **environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    assert "\x1b" not in done.stdout
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert not any(line != line.rstrip() for line in lines)
    for part in (
        "Safe: two random rows",
        "Crash in the middle",
        "Unsafe: two random rows",
        "*** Alert.",
        "What to try next",
    ):
        assert part in done.stdout
    assert ('export PATH="' in done.stdout) is (environment["PATH"] == "")
    text = " ".join(done.stdout.split())
    assert "then unsafe in 3 panes" in text
    assert "Drop region" in text
    assert "The proposal is applied: {age, sex}" in text
    assert "{age, sex} was safe in 3 panes." in text
    assert "the same, bit for bit" in text
    assert "did not come out" not in text
    digests = re.findall(r"\b[0-9a-f]{16}\b", text)
    assert len(digests) == 2
    assert len(set(digests)) == 1


def test_a_terminal_gets_colours() -> None:
    done = run_demo("--rows", "2000", FORCE_COLOR="1", TERM="xterm-256color")
    assert done.returncode == 0
    assert "\x1b[1;31munsafe" in done.stdout


def test_nobody_has_to_read_it_to_the_end() -> None:
    command = [sys.executable, "-m", "streamqid", "demo", "--rows", "2000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        assert program.stdout.readline().startswith("streamqid demo")
        program.stdout.close()
        assert program.wait(timeout=60) == 141
        assert program.stderr.read() == ""


def test_json_is_one_document_a_line(run: Callable[..., Any], valid: Callable[..., bool]) -> None:
    done = run_demo("--rows", str(ROWS), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = ("recommendation", "alert", "drift")
    schemas = {kind: json.loads(run("schema", kind).out) for kind in kinds}
    assert {line["kind"] for line in lines} == set(kinds)
    assert all(valid(line, schemas[line["kind"]]) for line in lines)
    assert not valid(next(line for line in lines if line["kind"] == "alert"), schemas["drift"])
    documents = [Recommendation.model_validate(line) for line in lines if line["kind"] == "recommendation"]
    (at_the_end,) = [one for one in documents if one.records == ROWS and len(one.verdicts[0].columns) == 3]
    assert at_the_end.verdicts[0].state == VerdictState.UNSAFE
    assert documents[-1].records == ROWS * 13 // 10
    assert documents[-1].verdicts[0].settled == VerdictState.SAFE
    alerts = [Alert.model_validate(line) for line in lines if line["kind"] == "alert"]
    assert [alert.status.value for alert in alerts] == ["firing", "resolved"]
    events = [DriftEvent.model_validate(line) for line in lines if line["kind"] == "drift"]
    assert next(event.change for event in events if event.about == "measure") == "rose"


def test_the_answers_tighten_and_the_set_turns_unsafe(capsys: pytest.CaptureFixture[str]) -> None:
    result = demo(rows=600_000, json=True)
    assert capsys.readouterr().out.count('"kind":"recommendation"') == len(result.recommendations)
    assert result.story_holds
    assert result.digest == result.reference_digest
    assert result.tally.restored
    assert result.tally.duplicates == 225_000
    bounds = [d.key.separation.lower for d in result.recommendations if d.key and d.key.separation]
    assert None not in bounds
    assert bounds[-1] > bounds[0]  # type: ignore[operator]
    samples = [d.key.sample for d in result.recommendations if d.key]
    assert samples[-1] > samples[0]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_story_is_true(seed: int) -> None:
    plot = Scenario(200_000, seed)
    segments = truth(plot.population, plot.rows, [PUBLISHED.columns])["segments"]
    assert isinstance(segments, list)
    before, _, after = (segment["sets"][0]["separation"] for segment in segments)
    assert before < PUBLISHED.limits[0].value < after


@pytest.mark.parametrize("seed", range(5))
def test_other_seeds_and_odd_sizes_tell_it_too(seed: int) -> None:
    assert demo(rows=5_000 + 997 * seed, seed=seed, json=True).story_holds


def test_a_story_that_does_not_come_out_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    never_safe = PublishedSet("demographics", ("age", "sex", "region"), (Limit(Quantity.SEPARATION, 0.5),))
    for module in (scenario, package.screen):
        monkeypatch.setattr(module, "PUBLISHED", never_safe)
    assert not demo(rows=2_000).story_holds
    assert "It did not come out so" in " ".join(capsys.readouterr().out.split())


def test_a_state_that_differs_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(State, "digest", lambda state: str(id(state)))
    with pytest.raises(StateError, match="report this bug"):
        demo(rows=2_000)


def test_the_state_stays_in_a_given_directory_and_holds_no_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "state"
    demo(rows=5_000, directory=place)
    assert "the last snapshots are in" in capsys.readouterr().out
    snapshots = sorted(place.glob("*.state"))
    assert len(snapshots) == 3
    for snapshot in snapshots:
        data = snapshot.read_bytes()
        assert b"marital_status" in data
        for value in (b"divorced", b"hypertension", b"physician", b"secondary", b"2025-"):
            assert value not in data
    with pytest.raises(UsageError, match="already holds the state"):
        demo(rows=5_000, directory=place)


@pytest.mark.usefixtures("signals_arrive")
def test_the_page_can_be_opened_while_the_demo_runs_and_stays_if_asked() -> None:
    command = [sys.executable, "-m", "streamqid", "demo", "--rows", "20000", "--keep"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        lines = iter(program.stdout)
        address = next(line.split()[-1] for line in lines if "while this runs" in line)
        port = int(address.strip("/").rpartition(":")[2])
        assert ask(port, "/", Accept="text/html").status == 200
        assert any(line.startswith(f"The page stays open: {address}") for line in lines)
        [published] = json.loads(ask(port, "/v1/published").body)
        assert published["verdicts"][0]["settled"] == "safe"
        [history] = json.loads(ask(port, "/v1/drift").body)
        assert [(one["state"], one["status"]) for one in history["past"]] == [("unsafe", "resolved")]
        told = json.loads(ask(port, "/v1/streams/demo/whatif?column=age&column=sex&column=region&over=newest").body)
        assert told["state"] == "unsafe"
        assert ask(port, "/readyz").status == 200
        program.send_signal(signal.SIGINT)
        assert program.wait(timeout=30) == 0
        assert program.stderr.read() == ""


def test_what_is_shown_live_does_not_grow_old_while_the_page_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []

    def look() -> None:
        looks.append(len(looks))
        if len(looks) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("streamqid.demo.site.LOOK_SECONDS", 0.001)
    DemoSite.stay(look)
    assert looks == [0, 1, 2]


def test_two_demos_have_a_page_each() -> None:
    with DemoSite(Scenario(2_000, 1).stream) as one, DemoSite(Scenario(2_000, 1).stream) as other:
        assert one.address != other.address
        for address in (one.address, other.address):
            assert ask(int(address.strip("/").rpartition(":")[2]), "/v1/streams").status == 200


def test_there_is_no_page_beside_json() -> None:
    with pytest.raises(UsageError, match="no page beside --json"):
        demo(json=True, keep=True)
    with pytest.raises(UsageError, match="no page beside --json"):
        demo(json=True, look=lambda _: None)


def test_on_a_terminal_the_picture_stands_below_the_story() -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "streamqid", "demo", "--live", "--rows", "20000"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "NO_COLOR": "1"}
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environment) as program:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # the end of a terminal that nobody has open any more
            while more := os.read(ours, 65536):
                shown += more
        assert program.wait(timeout=60) == 0
    os.close(ours)
    text = shown.decode()
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", text), "NO_COLOR"
    before, *pictures = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text).split("Stream  Records")
    assert len(pictures) > 20
    assert "Published today" in before
    after = "".join(pictures)
    for part in ("unsafe  demographics", "What to do: Drop region", "*** The proposal is applied", "What you saw"):
        assert part in after


def test_too_few_rows_are_refused() -> None:
    with pytest.raises(UsageError, match="at least 1,000 rows"):
        demo(rows=999)
    done = run_demo("--rows", "10")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
