"""Rows of a report: one for each task, condition and scorer."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from earmark.journal import UsageTotals
from earmark.stats.compare import Difference
from earmark.stats.estimate import Estimate
from earmark.stats.repeats import Repeats
from earmark.types import Usage


def title_of(task: str, part: str, scorer: str) -> str:
    """Name a row by its task, its slice, and its scorer where several of one name score the task.

    >>> title_of("pitch", "", "choice"), title_of("pitch", "user=1", "choice mmau")
    ('pitch', 'pitch (user=1, choice mmau)')
    """
    more = [part] * bool(part) + [scorer] * (" " in scorer)
    return f"{task} ({', '.join(more)})" if more else task


class Row(Struct, frozen=True):
    """The numbers of one task under one condition by one scorer."""

    task: str
    condition: str
    scorer: str  # its name or, where several of one name score a task, that and what tells it apart: "choice mmau"
    signature: str
    n: int  # everything that was asked, failures too
    states: dict[str, int]
    metrics: dict[str, Estimate]  # the headline first
    guess_rate: float | None = None
    p_guess: float | None = None  # of the headline against guessing, one-sided
    slice: str = ""  # such as "user=001"; empty: all of the task
    settings: dict[str, Any] = {}  # of the scorer
    better: Literal["higher", "lower"] = "higher"  # of the headline
    repeats: Repeats | None = None  # of the headline, where everything was asked several times

    @property
    def title(self) -> str:
        """Title of the row."""
        return title_of(self.task, self.slice, self.scorer)

    @property
    def is_slice(self) -> bool:
        """True if it is about the items of one tag alone."""
        return "=" in self.slice

    @property
    def failed(self) -> int:
        """Items without an answer."""
        return self.states.get("request-failed", 0) + self.states.get("sound-failed", 0)

    @property
    def headline(self) -> tuple[str, Estimate]:
        """The first metric, by name."""
        return next(iter(self.metrics.items()))


class DatasetCounts(Struct, frozen=True):
    """Item counts of a benchmark when it was run."""

    questions: int  # items under every condition, with repeats
    skipped: dict[str, dict[str, int]] = {}  # by task and reason: never asked, never counted
    prompts: str = ""  # a digest of every prompt's words


class ListeningGain(Struct, frozen=True, omit_defaults=True):
    """What listening adds to one number; positive where hearing helps, also where less is better."""

    task: str
    scorer: str
    metric: str
    control: str  # the best one
    difference: Difference  # from the best control (first) to plain (second), as if it had been known to be the best
    value: float | None = None  # over the best control, whichever that is
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None  # adjusted over all tasks and averages, or all slices by one tag
    slice: str = ""
    controls: dict[str, float | None] = {}  # the number of every control
    by_chance: dict[str, int] = {}  # unread and refused answers of controls, which earn what guessing gets
    solved_by_controls: int | None = (
        None  # items that every control gets right; None where items are not right or wrong
    )
    solved_by_guessing: float | None = (
        None  # how many of them guessing would get, with the same answers under every control or not
    )

    @property
    def title(self) -> str:
        """Title of the gain."""
        return title_of(self.task, self.slice, self.scorer)


class Metrics(Struct, frozen=True):
    """The whole of metrics.json."""

    finished: bool  # nothing is left to ask
    rows: list[Row]
    dataset: DatasetCounts
    warnings: list[str] = []
    averages: dict[str, tuple[str, ...]] = {}  # over tasks, by name
    gains: list[ListeningGain] = []  # of listening, where the run heard plainly and under a control
    usage: UsageTotals = UsageTotals()
    judge_usage: Usage = Usage()  # what judges took, every scoring together
