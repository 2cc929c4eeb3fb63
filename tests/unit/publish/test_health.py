from __future__ import annotations

from streamqid.engine.documents import Recommendation
from streamqid.engine.events import Trouble, TroubleKind
from streamqid.engine.state import State
from streamqid.publish.board import Board
from streamqid.publish.health import HealthReport, Limits
from streamqid.records import Origin
from streamqid.synthetic import GeneratorSource
from tests.unit.publish.watching import PEOPLE, ROWS, STREAM, Service


def recommendation(number: int, stream: str = "people") -> Recommendation:
    return Recommendation(
        id=str(number),
        stream=stream,
        records=number,
        skipped_offsets=0,
        positions=[],
        key=None,
        mask=None,
        verdicts=[],
    )


def test_a_loop_that_does_not_turn_is_not_alive_whatever_the_broker_does() -> None:
    service = Service()
    service.tap.wrong.append(Trouble(TroubleKind.UNREACHABLE, "No broker answers: start one."))
    assert service.health.live().ok
    service.clock.advance(61)
    report = service.health.live()
    assert report.reasons == ["The loop of stream people has not turned for 61 seconds."]
    service.pulse.turned(State(STREAM))
    assert service.health.live().ok
    assert not service.health.ready().ok


def test_ready_needs_the_state_and_no_trouble() -> None:
    service = Service()
    assert service.health.ready().reasons == ["Stream people has not restored its state yet."]
    service.pulse.restored(State(STREAM), saved=False)
    assert service.health.ready().ok
    service.tap.wrong.append(Trouble(TroubleKind.MISSING, "The topic people does not exist: create it."))
    assert service.health.ready().reasons == ["Stream people: The topic people does not exist: create it."]


def test_ready_needs_a_lag_within_its_limit() -> None:
    service = Service(limits=Limits(lag_offsets=10))
    service.pulse.restored(State(STREAM), saved=False)
    assert service.health.ready().ok
    service.tap.behind[Origin("people", 2)] = 1
    assert service.health.ready().reasons == ["Stream people is 11 offsets behind, 10 are allowed."]


def test_only_records_that_are_not_saved_make_a_snapshot_old() -> None:
    service = Service(limits=Limits(turn_seconds=1e9, snapshot_seconds=30))
    state, pulse = State(STREAM), service.pulse
    pulse.restored(state, saved=False)
    batch = next(iter(GeneratorSource(PEOPLE, ROWS, 500).batches()))
    service.clock.advance(100)
    pulse.turned(state)
    assert service.health.ready().ok, "there was nothing to save"
    pulse.applied(batch, state.apply(batch))
    pulse.turned(state)
    service.clock.advance(31)
    pulse.turned(state)
    sentence = "Stream people has not saved its newest records for 31 seconds, 30 are allowed."
    assert service.health.ready().reasons == [sentence]
    pulse.saved(1, 0.1)
    service.clock.advance(100)
    pulse.turned(state)
    assert service.health.ready().ok


def test_a_checkpoint_covers_the_records_that_were_applied_in_the_same_turn() -> None:
    service = Service(limits=Limits(turn_seconds=1e9, snapshot_seconds=30))
    loop = service.run()
    service.clock.advance(100)
    service.pulse.turned(loop.state)
    assert service.health.ready().ok


def test_the_board_holds_the_newest_of_each_stream() -> None:
    board = Board(history=3)
    assert board.latest("people") is None
    for number in range(5):
        board.publish(recommendation(number))
    board.publish(recommendation(7, "others"))
    board.publish(HealthReport(ok=True, reasons=[]))
    assert [one.records for one in board.history("people")] == [4, 3, 2]
    assert board.latest("others") == recommendation(7, "others")


def test_the_same_recommendation_again_takes_the_place_of_the_first() -> None:
    board = Board()
    board.put(recommendation(1))
    board.put(recommendation(1).model_copy(update={"previous": "0"}))
    assert [one.previous for one in board.history("people")] == ["0"]
