"""What the service is told about one stream."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from streamqid.engine.counting import Counters
from streamqid.engine.panes import PaneRule
from streamqid.engine.projection import Projection
from streamqid.engine.questions import AskKey, AskMask, PublishedSet
from streamqid.engine.schedule import Pace
from streamqid.errors import UsageError
from streamqid.problems.answer import Rule
from streamqid.sampling.fingerprint import Encoder, MissingRule
from streamqid.sampling.sampler import Sampler
from streamqid.sampling.windows import Panes

if TYPE_CHECKING:
    from streamqid.engine.counting import Counting
    from streamqid.engine.intake import Intake
    from streamqid.engine.questions import Limit
    from streamqid.engine.sample_questions import Ask
    from streamqid.sampling.capacity import Capacity
    from streamqid.sampling.secret import Secret

DEFAULT_PANES = PaneRule(1_000_000, "records")


@dataclass(frozen=True, slots=True)
class Stream:
    """The configuration of one stream; a pure value.

    Parameters
    ----------
    secret, capacity, missing, markers, projection, panes, event_time, max_columns
        Decide what is sampled and how it is stored.  Saved state can only be continued under the same ones.
    event_time
        What the source takes for the time of a record, in words that differ where the times do.
    max_columns
        How many columns take part at most, as in ``Sampler``; None for all.
    counting
        What is counted over every record, each of which is decoded then; None reads candidates only.  A set that is new
        to a saved state is counted in the panes that begin then.
    panes_kept
        How many panes are held, those that are still open included.
    window_panes
        How many panes make the window in which published sets are judged.
    late_panes
        How many panes a pane stays open after a newer one was begun.
    settle_windows
        How many windows in a row it takes until a published set is no longer unsafe, or no longer at risk.
    key, mask, problems, published
        What is asked each time: of the landmark sample, and the published sets of the newest window.
    pace
        When to solve and when to save.  Does not change any answer.
    """

    name: str
    secret: Secret
    capacity: Capacity
    missing: MissingRule = MissingRule.VALUE
    markers: tuple[str, ...] = ()
    projection: Projection = field(default_factory=Projection)
    panes: PaneRule = DEFAULT_PANES
    event_time: tuple[str, ...] = ()
    max_columns: int | None = None
    counting: Counting | None = None
    panes_kept: int = 8
    window_panes: int = 1
    late_panes: int = 0
    settle_windows: int = 2
    key: AskKey | None = field(default_factory=AskKey)
    mask: AskMask | None = field(default_factory=AskMask)
    problems: tuple[Ask, ...] = ()
    published: tuple[PublishedSet, ...] = ()
    pace: Pace = field(default_factory=Pace)

    def __post_init__(self) -> None:
        sizes = [self.window_panes, *(one.window_panes for one in self.published if one.window_panes is not None)]
        if min(sizes) < 1 or self.late_panes < 0 or max(sizes) + self.late_panes >= self.panes_kept:
            msg = (
                f"{self.panes_kept} panes do not hold a closed window of {max(sizes)} and "
                f"{self.late_panes + 1} open ones: keep more panes, or judge in a smaller window."
            )
            raise UsageError(msg)
        if self.settle_windows < 1:
            msg = f"A state settles after at least one window, not {self.settle_windows}."
            raise UsageError(msg)
        for column in self.counting.columns if self.counting is not None else ():
            if not self.projection.keep([column]):
                msg = f"The groups of {column!r} are counted, but the column is left out: keep it, or do not count it."
                raise UsageError(msg)
        asked = [question for question in (self.key, self.mask) if question is not None]
        if not self.projection.only and any(question.rule is not Rule.CERTIFIED for question in asked):
            msg = "The rules paper and tuples must know the columns beforehand: name them, or ask by certified."
            raise UsageError(msg)
        beyond = [ask.name for ask in self.problems if ask.named]
        if beyond and not self.projection.only:
            msg = f"The problem {beyond[0]} must know the columns beforehand: name them, or do not ask for it."
            raise UsageError(msg)
        if len({ask.name for ask in self.problems}) < len(self.problems):
            msg = "A stream is asked the same problem twice: ask once."
            raise UsageError(msg)
        names = [published.name for published in self.published]
        if len(names) != len(set(names)):
            msg = "Two published sets have the same name: give each its own."
            raise UsageError(msg)

    def new_sampler(self) -> Sampler:
        """Return the empty landmark sampler."""
        return Sampler(self.secret, self.capacity, self.missing, self.max_columns)

    def new_panes(self) -> Panes:
        """Return no panes yet."""
        return Panes(self.secret, self.capacity, self.missing, self.panes_kept, self.max_columns)

    def new_encoder(self) -> Encoder:
        """Return what turns values into fingerprints."""
        return Encoder(self.secret, self.missing, self.markers)

    def new_counters(self, intake: Intake) -> Counters | None:
        """Return counts of nothing yet, which read by this intake; None where only candidates are read."""
        if self.counting is None:
            return None
        return Counters(self.counting, intake, self.secret, self.missing, self.markers)

    @property
    def counted(self) -> tuple[tuple[str, ...], ...]:
        """The column sets whose groups are counted over every record."""
        return () if self.counting is None else self.counting.sets

    @property
    def sampling_digest(self) -> str:
        """Names the part of the configuration that saved state depends on."""
        return _digest(self._sampling())

    @property
    def digest(self) -> str:
        """Names the part of the configuration that answers depend on."""
        sets = [asdict(one) | {"limits": list(map(_limit, one.limits))} for one in self.published]
        asked = [self.key and asdict(self.key), self.mask and asdict(self.mask), *sets]
        others = [{ask.name: asdict(ask)} for ask in self.problems]
        sampled = [*self._sampling(), *([] if self.counting is None else [asdict(self.counting)])]
        return _digest(
            [sampled, self.panes_kept, self.window_panes, self.late_panes, self.settle_windows, asked, *others]
        )

    def _sampling(self) -> list[Any]:
        return [
            self.name,
            self.secret.key_id,
            asdict(self.capacity),
            self.missing,
            sorted(self.markers),
            [self.projection.only, self.projection.ignore],
            asdict(self.panes),
            *([] if self.max_columns is None else [{"max_columns": self.max_columns}]),
            *([{"event_time": self.event_time}] if self.event_time else []),
        ]


def _limit(limit: Limit) -> dict[str, Any]:
    """Return the fields of a limit; those that only closeness has do not change the digest of others."""
    only = ("sensitive", "t")
    return {name: value for name, value in asdict(limit).items() if name not in only or value is not None}


def _digest(configuration: Any) -> str:
    text = msgspec.json.encode(configuration, order="deterministic")
    return hashlib.blake2b(text, digest_size=16, person=b"streamqid.config").hexdigest()
