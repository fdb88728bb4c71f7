"""Thresholds of each dimension, from a journal of trials.

Trials without an answer, and replies that nobody could read, tell nothing of hearing: they are counted, and are in no
fit. Sounds that do not differ show whether a model leans to A or to B when it cannot know: the fit allows for that. No
threshold is told where catch trials at the easiest level are answered as by a coin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import Struct

from earmark.audiogram.dimensions import Dimension
from earmark.audiogram.trials import LABELS, Plan, Trial, TrialAnswer, parse_reply, plan_of, track_trials
from earmark.journal import JOURNAL_FILE, Record
from earmark.runs.scoring import latest_records as standing
from earmark.runs.signature import load_signature
from earmark.stats.jackknife import wilson
from earmark.stats.psychometric import GUESS, Curve, Outcome, count_by_level, fit_psychometric
from earmark.stats.staircase import MAX_STREAK, Ending
from earmark.types import STATES, replace

ABOVE_CHANCE: Final = (
    0.75  # right, of the easiest trials: below that a listener lapses too often for its threshold to be trusted
)


class Proportion(Struct, frozen=True):
    """So many of so many."""

    total: int
    count: int

    def __str__(self) -> str:
        return f"{self.count} of {self.total}"


class Point(Struct, frozen=True):
    """One level: its number and what it is in the unit, how many answers there were at it, and how many were right."""

    level: int
    value: float
    asked: int
    right: int


class ThresholdResult(Struct, frozen=True):
    """Threshold of one dimension, in its unit. A bound of None lies beyond the range; if nothing was measured both do."""

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
    catch_easy: Proportion  # right, of trials at the easiest level that were asked now and then
    first_interval: Proportion  # answers that were A, of all
    catch_same: Proportion  # answers that were A, of those about sounds that do not differ
    at_easiest: Proportion  # right, of all at the easiest level
    at_hardest: Proportion
    given_up: Proportion  # tracks that ended for want of answers, of those that came to an end
    points: list[Point]
    curve: Curve | None  # of levels
    remarks: list[str]

    @property
    def unparsed(self) -> int:
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
    results: list[ThresholdResult]
    remarks: list[str]


class ReplayedTrack(NamedTuple):
    """A track as it went."""

    trials: list[tuple[Trial, Record]]
    ending: Ending | None  # None: not at its end


def completed_records(run: Path) -> dict[str, Record]:
    """The records of trials that are not asked again, by id.

    A failure that may pass is asked again where its track stands at it. Where the track has gone on, it stays a
    failure.
    """
    records = {record.item.id: record for record in standing(run / JOURNAL_FILE)}
    return {name: record for name, record in records.items() if not _may_pass(record) or _next(name) in records}


def _may_pass(record: Record) -> bool:
    return record.failure is not None and not record.failure.final


def _next(name: str) -> str:
    track, _, number = name.rpartition("-")
    return f"{track}-{int(number) + 1:03}"


def load_audiogram(run: Path) -> Audiogram:
    """An audiogram from its folder, finished or not."""
    signature = load_signature(run)
    plan = plan_of(signature.benchmark["settings"])
    records = {record.item.id: record for record in standing(run / JOURNAL_FILE)}
    tracks = {dimension.name: list(_replay(plan, dimension, records)) for dimension in plan.dimensions}
    everything = [played for each in tracks.values() for played in each]
    finished = all(played.ending and not _may_pass(played.trials[-1][1]) for played in everything)
    results = [threshold_result(dimension, tracks[dimension.name]) for dimension in plan.dimensions]
    return Audiogram(
        signature.model["name"],
        signature.condition[0],
        plan.seed,
        plan.trials,
        plan.tracks,
        finished,
        signature.earmark,
        results,
        list(_overall(results)),
    )


def _overall(results: Sequence[ThresholdResult]) -> Iterator[str]:
    """Remarks on all dimensions together."""
    outcomes = {result.outcome for result in results}
    if outcomes == {"too few answers"}:
        yield "no threshold in any dimension: there are too few answers that could be read"
    elif outcomes <= {"not reached", "too few answers"}:
        yield "no threshold in any dimension: the model is deaf to these sounds, or does not do what is asked"
    first = Proportion(
        sum(result.first_interval.total for result in results), sum(result.first_interval.count for result in results)
    )
    if leans := response_bias(first):
        yield f"leans to {leans}: {first} answers were A, and half of them should have been"


def _replay(plan: Plan, dimension: Dimension, records: Mapping[str, Record]) -> Iterator[ReplayedTrack]:
    for number in range(1, plan.tracks + 1):
        going = track_trials(plan, dimension, number)
        trial, done = next(going), []
        try:
            while (record := records.get(trial.item.id)) is not None:
                done.append((trial, record))
                trial = going.send(record)
        except StopIteration as over:
            yield ReplayedTrack(done, over.value)
            continue
        yield ReplayedTrack(done, None)


def threshold_result(dimension: Dimension, tracks: Sequence[ReplayedTrack]) -> ThresholdResult:
    """Estimate the threshold of one dimension from its tracks."""
    asked = [(trial, parse_reply(record)) for played in tracks for trial, record in played.trials]
    read = [(trial, answer) for trial, answer in asked if answer.right is not None]
    fitted = [(trial, answer) for trial, answer in read if trial.request.kind != "same"]
    easy = _right(answer for trial, answer in read if trial.request.kind == "easy")
    same = _first(answer for trial, answer in read if trial.request.kind == "same")
    answers = count_by_level(
        [trial.request.level for trial, _ in fitted],
        [bool(answer.right) for _, answer in fitted],
        [LABELS[0] in trial.item.targets for trial, _ in fitted],
        (same.total, same.count),
    )
    fit_of_answers = fit_psychometric(answers, dimension.top)
    if fit_of_answers.outcome in ("measured", "below the range") and inattentive(easy):
        fit_of_answers = replace(fit_of_answers, outcome="not reached")
    counts = zip(answers.levels, answers.asked, answers.right, strict=True)
    states = Counter(answer.state for _, answer in asked)
    ended = [played.ending for played in tracks if played.ending]
    human = dimension.human
    measured = fit_of_answers.curve if fit_of_answers.outcome == "measured" else None
    made = ThresholdResult(
        dimension=dimension.name,
        question=dimension.question,
        unit=dimension.unit,
        outcome=fit_of_answers.outcome,
        threshold=dimension.value(measured.threshold) if measured else None,
        low=None if measured is None or fit_of_answers.low is None else dimension.value(fit_of_answers.low),
        high=None if measured is None or fit_of_answers.high is None else dimension.value(fit_of_answers.high),
        easiest=dimension.value(dimension.top),
        hardest=dimension.value(0),
        human=human.threshold if human else None,
        human_source=human.source if human else "",
        human_differs=human.differs if human else "no figure is known to us for such sounds",
        trials=len(fitted),
        states={state: states[state] for state in STATES},
        catch_easy=easy,
        first_interval=_first(answer for _, answer in read),
        catch_same=same,
        at_easiest=_right(answer for trial, answer in fitted if trial.request.level == dimension.top),
        at_hardest=_right(answer for trial, answer in fitted if trial.request.level == 0),
        given_up=Proportion(len(ended), ended.count("aborted")),
        points=[Point(level, dimension.value(level), n, right) for level, n, right in counts],
        curve=fit_of_answers.curve,
        remarks=[],
    )
    return replace(made, remarks=list(_remarks(made, dimension)))


def _right(replies: Iterable[TrialAnswer]) -> Proportion:
    given = list(replies)
    return Proportion(len(given), sum(bool(answer.right) for answer in given))


def _first(replies: Iterable[TrialAnswer]) -> Proportion:
    given = list(replies)
    return Proportion(len(given), sum(answer.letter == LABELS[0] for answer in given))


def _remarks(result: ThresholdResult, dimension: Dimension) -> Iterator[str]:
    """Remarks on one threshold."""
    easiest, hardest = (dimension.format_value(value) for value in (result.easiest, result.hardest))
    share = result.at_easiest
    if result.outcome == "not reached":
        where = (
            f"at chance at the easiest level, {easiest}"
            if is_guessing(share)
            else f"beyond the easiest level, {easiest}"
        )
        caught = f"; of the catch trials among them {result.catch_easy}" if inattentive(result.catch_easy) else ""
        yield f"no threshold: {where}, {share} right{caught}"
    if result.outcome == "below the range":
        yield f"hears the hardest level, {hardest}: {result.at_hardest} right; the threshold lies below"
    if result.outcome == "too few answers":
        yield f"no threshold: {result.trials} answers that could be read are too few"
    if result.outcome == "measured" and share.total >= MAX_STREAK and share.count < ABOVE_CHANCE * share.total:
        yield f"only {share} right at the easiest level: such a threshold is not to be trusted"
    if result.unparsed or result.failed:
        yield f"{result.unparsed} replies could not be read or would not say, {result.failed} trials had no reply"
    if result.given_up.count:
        yield f"{result.given_up} tracks were given up, for want of answers that could be read"


def inattentive(easy: Proportion) -> bool:
    """True if catch trials at the easiest level were answered as by a coin: then no threshold of the others is to be
    believed.

    >>> inattentive(Proportion(8, 5)), inattentive(Proportion(8, 6)), inattentive(Proportion(2, 2)), inattentive(Proportion(0, 0))
    (True, False, False, False)
    """
    return easy.total > 0 and easy.count < ABOVE_CHANCE * easy.total and is_guessing(easy)


def is_guessing(right: Proportion) -> bool:
    """True if answers are no better than those of a coin, at 95 %.

    >>> is_guessing(Proportion(40, 22)), is_guessing(Proportion(40, 32)), is_guessing(Proportion(0, 0))
    (True, False, True)
    """
    return not right.total or wilson(right.count, right.total)[0] <= GUESS


def response_bias(first: Proportion) -> str:
    """The letter that answers lean to, where that is more than chance (at 95 %); half of the right ones are A.

    >>> response_bias(Proportion(100, 75)), response_bias(Proportion(100, 50)), response_bias(Proportion(100, 10))
    ('A', '', 'B')
    """
    if not first.total:
        return ""
    low, high = wilson(first.count, first.total)
    return LABELS[0] if low > 0.5 else LABELS[1] if high < 0.5 else ""
