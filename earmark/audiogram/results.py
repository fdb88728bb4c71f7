"""Thresholds of each dimension, from a journal of trials.

Trials without a response and unparsed replies are counted, but not fitted. Trials with equal sounds show a bias to A or
B, which the fit allows for. There is no threshold if catch trials at the easiest level are answered at chance.
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
from earmark.runs.scoring import latest_records
from earmark.runs.signature import load_signature
from earmark.stats.jackknife import wilson
from earmark.stats.psychometric import GUESS, Curve, Outcome, PsychometricFit, count_by_level, fit_psychometric
from earmark.stats.staircase import MAX_STREAK, Ending
from earmark.types import STATES, replace

UNKNOWN: Final = "no published threshold is known for such sounds"
MIN_EASIEST: Final = 0.75  # accuracy at the easiest level, below which lapses make a threshold unreliable


class Proportion(Struct, frozen=True):
    """Count of a total."""

    total: int
    count: int

    def __str__(self) -> str:
        return f"{self.count} of {self.total}"


class Point(Struct, frozen=True):
    """One level: its number, its value in the unit, and the numbers of all and of right answers."""

    level: int
    value: float
    asked: int
    right: int


class ThresholdResult(Struct, frozen=True):
    """Threshold of one dimension, in its unit. A bound of None is beyond the range."""

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
    trials: int  # fitted answers
    states: dict[str, int]  # of all trials
    catch_easy: Proportion  # right, of the catch trials at the easiest level
    first_interval: Proportion  # answers A, of all
    catch_same: Proportion  # answers A, of the catch trials with equal sounds
    at_easiest: Proportion  # right, of all at the easiest level
    at_hardest: Proportion
    aborted: Proportion  # tracks with too many trials without an answer, of all that ended
    points: list[Point]
    curve: Curve | None  # of levels
    remarks: list[str]

    @property
    def unparsed(self) -> int:
        """Number of unparsed replies and refusals."""
        return self.states["unparsed"] + self.states["refused"]

    @property
    def failed(self) -> int:
        """Number of trials without a response."""
        return self.states["request-failed"] + self.states["sound-failed"]


class Audiogram(Struct, frozen=True):
    """Thresholds of a model in every dimension."""

    model: str
    condition: str
    seed: int
    trials: int  # of each track
    tracks: int
    finished: bool
    earmark: str  # version of Earmark
    results: list[ThresholdResult]
    remarks: list[str]


class ReplayedTrack(NamedTuple):
    """Trials of a track, replayed from the journal."""

    trials: list[tuple[Trial, Record]]
    ending: Ending | None  # None: unfinished


def load_completed(run: Path) -> dict[str, Record]:
    """Load the records of trials that are not asked again, by id.

    A temporary failure is asked again if it is the last trial of its track; otherwise it stays a failure.
    """
    records = {record.item.id: record for record in latest_records(run / JOURNAL_FILE)}
    return {name: record for name, record in records.items() if not _is_temporary(record) or _next(name) in records}


def _is_temporary(record: Record) -> bool:
    return record.failure is not None and not record.failure.final


def _next(name: str) -> str:
    track, _, number = name.rpartition("-")
    return f"{track}-{int(number) + 1:03}"


def load_audiogram(run: Path) -> Audiogram:
    """Load an audiogram from its folder, finished or not."""
    signature = load_signature(run)
    plan = plan_of(signature.benchmark["settings"])
    records = {record.item.id: record for record in latest_records(run / JOURNAL_FILE)}
    tracks = {dimension.name: list(_replay(plan, dimension, records)) for dimension in plan.dimensions}
    all_tracks = [track for replayed in tracks.values() for track in replayed]
    finished = all(track.ending and not _is_temporary(track.trials[-1][1]) for track in all_tracks)
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
        list(_bias_and_outcome_remarks(results)),
    )


def _bias_and_outcome_remarks(results: Sequence[ThresholdResult]) -> Iterator[str]:
    """Remarks on all dimensions together."""
    outcomes = {result.outcome for result in results}
    if outcomes == {"too few answers"}:
        yield "no threshold in any dimension: too few parsed answers"
    elif outcomes <= {"not reached", "too few answers"}:
        yield "no threshold in any dimension: the model does not hear these sounds, or does not follow the instructions"
    first = Proportion(
        sum(result.first_interval.total for result in results), sum(result.first_interval.count for result in results)
    )
    if letter := response_bias(first):
        yield f"response bias to {letter}: {first} answers were A, half were expected"


def _replay(plan: Plan, dimension: Dimension, records: Mapping[str, Record]) -> Iterator[ReplayedTrack]:
    for number in range(1, plan.tracks + 1):
        track = track_trials(plan, dimension, number)
        trial, replayed = next(track), []
        ending: Ending | None = None
        try:
            while (record := records.get(trial.item.id)) is not None:
                replayed.append((trial, record))
                trial = track.send(record)
        except StopIteration as stop:
            ending = stop.value
        yield ReplayedTrack(replayed, ending)


def threshold_result(dimension: Dimension, tracks: Sequence[ReplayedTrack]) -> ThresholdResult:
    """Estimate the threshold of one dimension from its tracks."""
    trials = [(trial, parse_reply(record)) for track in tracks for trial, record in track.trials]
    parsed = [(trial, answer) for trial, answer in trials if answer.right is not None]
    fitted = [(trial, answer) for trial, answer in parsed if trial.request.kind != "same"]
    easy = _count_right(answer for trial, answer in parsed if trial.request.kind == "easy")
    same = _count_first(answer for trial, answer in parsed if trial.request.kind == "same")
    fit, points = _fit_answers(dimension, fitted, same)
    if fit.outcome in ("measured", "below the range") and is_inattentive(easy):
        fit = replace(fit, outcome="not reached")
    states = Counter(answer.state for _, answer in trials)
    endings = [track.ending for track in tracks if track.ending]
    human = dimension.human
    curve = fit.curve if fit.outcome == "measured" else None
    result = ThresholdResult(
        dimension=dimension.name,
        question=dimension.question,
        unit=dimension.unit,
        outcome=fit.outcome,
        threshold=dimension.value(curve.threshold) if curve else None,
        low=dimension.value(fit.low) if curve and fit.low is not None else None,
        high=dimension.value(fit.high) if curve and fit.high is not None else None,
        easiest=dimension.value(dimension.top),
        hardest=dimension.value(0),
        human=human.threshold if human else None,
        human_source=human.source if human else "",
        human_differs=human.differs if human else UNKNOWN,
        trials=len(fitted),
        states={state: states[state] for state in STATES},
        catch_easy=easy,
        first_interval=_count_first(answer for _, answer in parsed),
        catch_same=same,
        at_easiest=_count_right(answer for trial, answer in fitted if trial.request.level == dimension.top),
        at_hardest=_count_right(answer for trial, answer in fitted if trial.request.level == 0),
        aborted=Proportion(len(endings), endings.count("aborted")),
        points=points,
        curve=fit.curve,
        remarks=[],
    )
    return replace(result, remarks=list(_remarks(result, dimension)))


def _fit_answers(
    dimension: Dimension, trials: Sequence[tuple[Trial, TrialAnswer]], same: Proportion
) -> tuple[PsychometricFit, list[Point]]:
    """Fit the psychometric function; return it with the counts at every level."""
    answers = count_by_level(
        [trial.request.level for trial, _ in trials],
        [bool(answer.right) for _, answer in trials],
        [LABELS[0] in trial.item.targets for trial, _ in trials],
        (same.total, same.count),
    )
    counts = zip(answers.levels, answers.asked, answers.right, strict=True)
    points = [Point(level, dimension.value(level), n, right) for level, n, right in counts]
    return fit_psychometric(answers, dimension.top), points


def _count_right(answers: Iterable[TrialAnswer]) -> Proportion:
    right = [bool(answer.right) for answer in answers]
    return Proportion(len(right), sum(right))


def _count_first(answers: Iterable[TrialAnswer]) -> Proportion:
    first = [answer.letter == LABELS[0] for answer in answers]
    return Proportion(len(first), sum(first))


def _remarks(result: ThresholdResult, dimension: Dimension) -> Iterator[str]:
    """Remarks on one threshold."""
    easiest, hardest = (dimension.format_value(value) for value in (result.easiest, result.hardest))
    share = result.at_easiest
    if result.outcome == "not reached":
        position = "at chance at" if is_guessing(share) else "beyond"
        catch = f"; of the catch trials {result.catch_easy}" if is_inattentive(result.catch_easy) else ""
        yield f"no threshold: {position} the easiest level, {easiest}, {share} right{catch}"
    if result.outcome == "below the range":
        yield f"hears the hardest level, {hardest}: {result.at_hardest} right; the threshold is below"
    if result.outcome == "too few answers":
        yield f"no threshold: {result.trials} parsed answers are too few"
    if result.outcome == "measured" and share.total >= MAX_STREAK and share.count < MIN_EASIEST * share.total:
        yield f"only {share} right at the easiest level: the threshold is unreliable"
    if result.unparsed or result.failed:
        yield f"{result.unparsed} replies were unparsed or refused, {result.failed} trials failed"
    if result.aborted.count:
        yield f"{result.aborted} tracks were aborted for lack of parsed answers"


def is_inattentive(easy: Proportion) -> bool:
    """True if catch trials at the easiest level were answered at chance, so that no threshold is reliable.

    >>> [is_inattentive(Proportion(total, count)) for total, count in ((8, 5), (8, 6), (2, 2), (0, 0))]
    [True, False, False, False]
    """
    return easy.total > 0 and easy.count < MIN_EASIEST * easy.total and is_guessing(easy)


def is_guessing(right: Proportion) -> bool:
    """True if answers are not significantly better than chance, at 95 %.

    >>> is_guessing(Proportion(40, 22)), is_guessing(Proportion(40, 32)), is_guessing(Proportion(0, 0))
    (True, False, True)
    """
    return not right.total or wilson(right.count, right.total)[0] <= GUESS


def response_bias(first: Proportion) -> str:
    """Return the letter that is answered more often than chance, at 95 %; half of the right answers are A.

    >>> response_bias(Proportion(100, 75)), response_bias(Proportion(100, 50)), response_bias(Proportion(100, 10))
    ('A', '', 'B')
    """
    if not first.total:
        return ""
    low, high = wilson(first.count, first.total)
    return LABELS[0] if low > 0.5 else LABELS[1] if high < 0.5 else ""
