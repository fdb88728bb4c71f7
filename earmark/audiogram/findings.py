"""What a journal of trials tells of each dimension.

Trials without an answer, and replies that nobody could read, tell nothing of hearing: they are counted, and are in no fit.
Sounds that do not differ show whether a model leans to A or to B when it cannot know: the fit allows for that. No threshold
is told where catch trials at the easiest level are answered as by a coin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import Struct

from earmark import folder
from earmark.audiogram.dimensions import Dimension
from earmark.audiogram.trials import LABELS, Plan, Reply, Trial, plan_of, reply, trials
from earmark.journal import Record
from earmark.scoring import records as standing
from earmark.stats.jackknife import wilson
from earmark.stats.psychometric import GUESS, Curve, Outcome, counted, fit
from earmark.stats.staircase import ENOUGH, Ending
from earmark.types import STATES, replace

HEARS: Final = (
    0.75  # right, of the easiest trials: below that a listener lapses too often for its threshold to be trusted
)


class Share(Struct, frozen=True):
    """So many of so many."""

    of: int
    count: int

    def __str__(self) -> str:
        return f"{self.count} of {self.of}"


class Point(Struct, frozen=True):
    """One level: its number and what it is in the unit, how many answers there were at it, and how many were right."""

    level: int
    value: float
    asked: int
    right: int


class Finding(Struct, frozen=True):
    """What was found in one dimension, in its unit. A bound of None lies beyond the range; where nothing was measured both do."""

    dimension: str
    question: str
    unit: str
    outcome: Outcome
    threshold: float | None  # None unless measured
    low: float | None
    high: float | None
    easiest: float
    hardest: float
    human: float | None
    human_source: str
    human_differs: str
    trials: int  # answers that the curve was fitted to
    states: dict[str, int]  # of all trials
    easy: Share  # right, of trials at the easiest level that were asked now and then
    first: Share  # answers that were A, of all
    same: Share  # answers that were A, of those about sounds that do not differ
    at_easiest: Share  # right, of all at the easiest level
    at_hardest: Share
    given_up: Share  # tracks that ended for want of answers, of those that came to an end
    points: list[Point]
    curve: Curve | None  # of levels
    remarks: list[str]

    @property
    def unread(self) -> int:
        """Replies that nobody could read, or that would not say."""
        return self.states["unparsed"] + self.states["refused"]

    @property
    def failed(self) -> int:
        """Trials without a reply."""
        return self.states["request-failed"] + self.states["sound-failed"]


class Audiogram(Struct, frozen=True):
    """All that was found about a model."""

    model: str
    condition: str
    seed: int
    trials: int  # of each track
    tracks: int
    finished: bool
    earmark: str  # the version that asked
    findings: list[Finding]
    remarks: list[str]


class Played(NamedTuple):
    """A track as it went."""

    trials: list[tuple[Trial, Record]]
    ending: Ending | None  # None: not at its end


def settled(run: Path) -> dict[str, Record]:
    """The records of trials that are not asked again, by id.

    A failure that may pass is asked again where its track stands at it. Where the track has gone on, it stays a failure.
    """
    found = {record.item.id: record for record in standing(run / folder.JOURNAL)}
    return {name: record for name, record in found.items() if not _may_pass(record) or _next(name) in found}


def _may_pass(record: Record) -> bool:
    return record.failure is not None and not record.failure.final


def _next(name: str) -> str:
    track, _, number = name.rpartition("-")
    return f"{track}-{int(number) + 1:03}"


def read(run: Path) -> Audiogram:
    """An audiogram from its folder, finished or not."""
    signed = folder.signed(run)
    plan = plan_of(signed.benchmark["settings"])
    records = {record.item.id: record for record in standing(run / folder.JOURNAL)}
    tracks = {dimension.name: list(_played(plan, dimension, records)) for dimension in plan.dimensions}
    everything = [played for each in tracks.values() for played in each]
    finished = all(played.ending and not _may_pass(played.trials[-1][1]) for played in everything)
    findings = [finding(dimension, tracks[dimension.name]) for dimension in plan.dimensions]
    return Audiogram(
        signed.model["name"],
        signed.condition[0],
        plan.seed,
        plan.trials,
        plan.tracks,
        finished,
        signed.earmark,
        findings,
        list(_overall(findings)),
    )


def _overall(findings: Sequence[Finding]) -> Iterator[str]:
    """What must be known about all dimensions together."""
    outcomes = {one.outcome for one in findings}
    if outcomes == {"too few answers"}:
        yield "no threshold in any dimension: there are too few answers that could be read"
    elif outcomes <= {"not reached", "too few answers"}:
        yield "no threshold in any dimension: the model is deaf to these sounds, or does not do what is asked"
    first = Share(sum(one.first.of for one in findings), sum(one.first.count for one in findings))
    if leans := leaning(first):
        yield f"leans to {leans}: {first} answers were A, and half of them should have been"


def _played(plan: Plan, dimension: Dimension, records: Mapping[str, Record]) -> Iterator[Played]:
    for number in range(1, plan.tracks + 1):
        going = trials(plan, dimension, number)
        trial, done = next(going), []
        try:
            while (record := records.get(trial.item.id)) is not None:
                done.append((trial, record))
                trial = going.send(record)
        except StopIteration as over:
            yield Played(done, over.value)
            continue
        yield Played(done, None)


def finding(dimension: Dimension, tracks: Sequence[Played]) -> Finding:
    """What the tracks of one dimension tell."""
    asked = [(trial, reply(record)) for played in tracks for trial, record in played.trials]
    read = [(trial, told) for trial, told in asked if told.right is not None]
    fitted = [(trial, told) for trial, told in read if trial.ask.kind != "same"]
    easy = _right(told for trial, told in read if trial.ask.kind == "easy")
    same = _first(told for trial, told in read if trial.ask.kind == "same")
    answers = counted(
        [trial.ask.level for trial, _ in fitted],
        [bool(told.right) for _, told in fitted],
        [LABELS[0] in trial.item.targets for trial, _ in fitted],
        (same.of, same.count),
    )
    found = fit(answers, dimension.top)
    if found.outcome in ("measured", "below the range") and inattentive(easy):
        found = replace(found, outcome="not reached")
    counts = zip(answers.levels, answers.asked, answers.right, strict=True)
    states = Counter(told.state for _, told in asked)
    ended = [played.ending for played in tracks if played.ending]
    human = dimension.human
    measured = found.curve if found.outcome == "measured" else None
    made = Finding(
        dimension=dimension.name,
        question=dimension.question,
        unit=dimension.unit,
        outcome=found.outcome,
        threshold=dimension.value(measured.threshold) if measured else None,
        low=None if measured is None or found.low is None else dimension.value(found.low),
        high=None if measured is None or found.high is None else dimension.value(found.high),
        easiest=dimension.value(dimension.top),
        hardest=dimension.value(0),
        human=human.threshold if human else None,
        human_source=human.source if human else "",
        human_differs=human.differs if human else "no figure is known to us for such sounds",
        trials=len(fitted),
        states={state: states[state] for state in STATES},
        easy=easy,
        first=_first(told for _, told in read),
        same=same,
        at_easiest=_right(told for trial, told in fitted if trial.ask.level == dimension.top),
        at_hardest=_right(told for trial, told in fitted if trial.ask.level == 0),
        given_up=Share(len(ended), ended.count("given up")),
        points=[Point(at, dimension.value(at), n, right) for at, n, right in counts],
        curve=found.curve,
        remarks=[],
    )
    return replace(made, remarks=list(_remarks(made, dimension)))


def _right(replies: Iterable[Reply]) -> Share:
    given = list(replies)
    return Share(len(given), sum(bool(told.right) for told in given))


def _first(replies: Iterable[Reply]) -> Share:
    given = list(replies)
    return Share(len(given), sum(told.letter == LABELS[0] for told in given))


def _remarks(found: Finding, dimension: Dimension) -> Iterator[str]:
    """What must be known beside the numbers of a finding."""
    easiest, hardest = (dimension.told(value) for value in (found.easiest, found.hardest))
    share = found.at_easiest
    if found.outcome == "not reached":
        where = (
            f"at chance at the easiest level, {easiest}" if guessing(share) else f"beyond the easiest level, {easiest}"
        )
        caught = f"; of the catch trials among them {found.easy}" if inattentive(found.easy) else ""
        yield f"no threshold: {where}, {share} right{caught}"
    if found.outcome == "below the range":
        yield f"hears the hardest level, {hardest}: {found.at_hardest} right; the threshold lies below"
    if found.outcome == "too few answers":
        yield f"no threshold: {found.trials} answers that could be read are too few"
    if found.outcome == "measured" and share.of >= ENOUGH and share.count < HEARS * share.of:
        yield f"only {share} right at the easiest level: such a threshold is not to be trusted"
    if found.unread or found.failed:
        yield f"{found.unread} replies could not be read or would not say, {found.failed} trials had no reply"
    if found.given_up.count:
        yield f"{found.given_up} tracks were given up, for want of answers that could be read"


def inattentive(easy: Share) -> bool:
    """Whether catch trials at the easiest level were answered as by a coin: then no threshold of the others is to be believed.

    >>> inattentive(Share(8, 5)), inattentive(Share(8, 6)), inattentive(Share(2, 2)), inattentive(Share(0, 0))
    (True, False, False, False)
    """
    return easy.of > 0 and easy.count < HEARS * easy.of and guessing(easy)


def guessing(right: Share) -> bool:
    """Whether answers are no better than those of a coin, at 95 %.

    >>> guessing(Share(40, 22)), guessing(Share(40, 32)), guessing(Share(0, 0))
    (True, False, True)
    """
    return not right.of or wilson(right.count, right.of)[0] <= GUESS


def leaning(first: Share) -> str:
    """The letter that answers lean to, where that is more than chance (at 95 %); half of the right ones are A.

    >>> leaning(Share(100, 75)), leaning(Share(100, 50)), leaning(Share(100, 10))
    ('A', '', 'B')
    """
    if not first.of:
        return ""
    low, high = wilson(first.count, first.of)
    return LABELS[0] if low > 0.5 else LABELS[1] if high < 0.5 else ""
