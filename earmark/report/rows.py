"""Rows of a report, one per task, condition and scorer, and the content of metrics.json."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from earmark.journal import UsageTotals
from earmark.report.label_bias import LabelBias
from earmark.report.latency import LatencyRow
from earmark.stats.difference import Difference
from earmark.stats.estimate import Estimate
from earmark.stats.repeats import Repeats
from earmark.types import Average, Signature, Usage


def title_of(task: str, part: str, scorer: str) -> str:
    """Name a row by its task, its slice, and its scorer if several of one name score the task.

    >>> title_of("pitch", "", "choice"), title_of("pitch", "user=1", "choice mmau")
    ('pitch', 'pitch (user=1, choice mmau)')
    """
    details = [part] * bool(part) + [scorer] * (" " in scorer)
    return f"{task} ({', '.join(details)})" if details else task


class Row(Struct, frozen=True):
    """Scores of one task under one condition by one scorer."""

    task: str
    condition: str
    scorer: str  # its name, with details if several of one name score a task: "choice mmau"
    signature: Signature | str  # a text in files of older versions
    n: int  # items that were asked, failures included
    states: dict[str, int]
    metrics: dict[str, Estimate]  # the headline first
    guess_rate: float | None = None
    p_guess: float | None = None  # of the headline against guessing, one-sided
    slice: str = ""  # such as "user=001"; empty: the whole task
    settings: dict[str, Any] = {}  # of the scorer
    file: str = ""  # of the scorer, if it was given by its path
    better: Literal["higher", "lower"] = "higher"  # of the headline
    repeats: Repeats | None = None  # of the headline, if items were asked several times

    @property
    def title(self) -> str:
        """Title of the row."""
        return title_of(self.task, self.slice, self.scorer)

    @property
    def is_slice(self) -> bool:
        """True for the items of one tag value."""
        return "=" in self.slice

    @property
    def failed(self) -> int:
        """Number of items without a response."""
        return self.states.get("request-failed", 0) + self.states.get("sound-failed", 0)

    @property
    def headline(self) -> tuple[str, Estimate]:
        """Name and estimate of the first metric."""
        return next(iter(self.metrics.items()))


class DatasetCounts(Struct, frozen=True):
    """Item counts of a benchmark at the time of the run."""

    questions: int  # items under every condition, with repeats
    skipped: dict[str, dict[str, int]] = {}  # by task and reason: neither asked nor counted
    prompts: str = ""  # digest of the text of all prompts


class ListeningGain(Struct, frozen=True, omit_defaults=True):
    """Gain of a score over the best control; positive where audio helps, also if lower is better."""

    task: str
    scorer: str
    metric: str
    control: str  # the best control
    difference: Difference  # plain (candidate) minus the best control (baseline), ignoring the selection
    value: float | None = None  # corrected for the selection, as are the bounds and p
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None  # adjusted over all tasks and averages, or over all slices of a tag
    slice: str = ""
    controls: dict[str, float | None] = {}  # score under each control
    by_chance: dict[str, int] = {}  # unparsed and refused answers of controls, scored with the guess rate
    solved_by_controls: int | None = None  # items right under every control; None without a binary metric
    solved_by_guessing: float | None = None  # expected number of these by guessing

    @property
    def title(self) -> str:
        """Title of the gain."""
        return title_of(self.task, self.slice, self.scorer)


class ScoredFiles(Struct, frozen=True):
    """The files that the numbers of metrics.json are of."""

    scores: str = ""  # digest of scores.jsonl
    journal: int = 0  # bytes of responses.jsonl that were scored


class Headline(Struct, frozen=True):
    """The number of a run: one metric of one row."""

    row: int  # index of the row in metrics.json
    metric: str


class Metrics(Struct, frozen=True):
    """Content of metrics.json."""

    finished: bool  # every item was asked
    rows: list[Row]
    dataset: DatasetCounts
    warnings: list[str] = []
    averages: dict[str, Average | tuple[str, ...]] = {}  # of runs before 0.3 the tasks alone
    gains: list[ListeningGain] = []  # of runs with plain and a control
    usage: UsageTotals = UsageTotals()
    judge_usage: Usage = Usage()  # of judges, summed over all scorings
    headline: Headline | None = None  # the number of the run; None: no row speaks for all of it
    latency: list[LatencyRow] = []  # seconds and tokens of the answers, by task and condition
    scored: ScoredFiles = ScoredFiles()
    label_bias: list[LabelBias] = []  # labels that are given far more often than they are right

    @property
    def average_tree(self) -> dict[str, Average]:
        """Every average over tasks or other averages."""
        return {
            name: average if isinstance(average, Average) else Average(average)
            for name, average in self.averages.items()
        }
