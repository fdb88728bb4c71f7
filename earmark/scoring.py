"""From a journal to numbers: every standing record is scored, counted by task and condition, and estimated.

Records are read one by one and only their counts are kept. Scores are written beside the journal; they can be made again
from it at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from earmark.errors import BadData
from earmark.journal import Record, ScoreLine, read, standing
from earmark.report.rows import Row
from earmark.stats.bags import Bags
from earmark.stats.estimate import Estimate, defined, estimate
from earmark.types import STATES, Counts, Item, Metric, Number, Response, Score, Scorer, State, replace

OF: Final = "\x1f"  # between the name of a task and that of a count


class Cell(Struct):
    """What is gathered for one row while the journal is read."""

    scorer: Scorer
    bags: Columns
    states: dict[State, int] = field(default_factory=lambda: dict.fromkeys(STATES, 0))
    worst: dict[str, float] = field(default_factory=dict)  # counts of failed items had they been wrong,
    best: dict[str, float] = field(default_factory=dict)  # and had they been right


def signature_of(scorer: Scorer) -> str:
    """The settings behind a number."""
    if isinstance(scorer, Average):
        return f"{signature_of(scorer.scorer)}|mean:{'+'.join(scorer.tasks)}"
    settings = msgspec.structs.asdict(scorer) if isinstance(scorer, Struct) else {}
    return "|".join([scorer.name, *(f"{name}:{value}" for name, value in settings.items())])


def records(journal: Path) -> Iterator[Record]:
    """The records that stand, in the order they were written."""
    return (record for record, stands in zip(read(journal), standing(journal), strict=True) if stands)


async def score(record: Record, scorer: Scorer) -> Score:
    """What one record earned; a failure earns the least, in a state of its own."""
    if record.failure:
        return Score(scorer.bounds(record.item)[0], state=record.failure.state, why=record.failure.message)
    return await scorer.score(record.item, record.response or Response(""))


class Cells:
    """Scores gathered by task, condition and scorer."""

    def __init__(self) -> None:
        self._cells: dict[tuple[str, str, str], Cell] = {}
        self._bags: dict[tuple[str, str, str], Bags] = {}

    def add(self, record: Record, scorer: Scorer, earned: Score) -> None:
        """Enter one score."""
        bags = self._bags.setdefault((record.item.task, record.condition, scorer.name), Bags())
        cell = self._cells.setdefault((record.item.task, record.condition, scorer.name), Cell(scorer, bags))
        cell.states[earned.state] += 1
        bags.add(earned.counts, record.item.group or record.item.id, record.repeat)
        if record.failure and record.failure.state != "refused":
            worst, best = scorer.bounds(record.item)
            for sums, counts in ((cell.worst, worst), (cell.best, best)):
                for name, count in counts.items():
                    sums[name] = sums.get(name, 0.0) + count

    def rows(self, seed: int, averages: Mapping[str, tuple[str, ...]]) -> list[Row]:
        """The numbers of every cell, and of every average over tasks whose cells are all there."""
        rows = [row(task, condition, cell, seed) for (task, condition, _), cell in self._cells.items()]
        views = dict.fromkeys((condition, scorer) for _, condition, scorer in self._cells)
        for name, tasks in averages.items():
            for condition, scorer in views:
                cells = {task: cell for task in tasks if (cell := self._cells.get((task, condition, scorer)))}
                if len(cells) == len(tasks):
                    rows.append(row(name, condition, averaged(cells), seed))
        return rows


def averaged(cells: Mapping[str, Cell]) -> Cell:
    """One cell whose metrics are means over tasks, each task counting alike. Counts carry the name of their task."""
    first = next(iter(cells.values()))
    states = {state: sum(cell.states[state] for cell in cells.values()) for state in STATES}
    whole = Cell(Average(first.scorer, tuple(cells)), joined({task: cell.bags for task, cell in cells.items()}), states)
    for task, cell in cells.items():
        whole.worst |= {f"{task}{OF}{name}": count for name, count in cell.worst.items()}
        whole.best |= {f"{task}{OF}{name}": count for name, count in cell.best.items()}
    return whole


class Columns(Protocol):
    """The counts of many items: `Bags`, or several of them in one."""

    @property
    def columns(self) -> Mapping[str, npt.NDArray[np.float64]]: ...
    @property
    def groups(self) -> npt.NDArray[np.uint64]: ...
    @property
    def repeats(self) -> npt.NDArray[np.int64]: ...


class Joined(Struct, frozen=True):
    """The counts of several tasks, each under its task's name."""

    columns: dict[str, npt.NDArray[np.float64]]
    groups: npt.NDArray[np.uint64]
    repeats: npt.NDArray[np.int64]


def joined(bags: Mapping[str, Columns]) -> Joined:
    """Several tasks as one: an item has the counts of its own task, and 0 of the others'."""
    sizes = [one.groups.size for one in bags.values()]
    columns = {}
    before = 0
    for (task, one), size in zip(bags.items(), sizes, strict=True):
        for name, column in one.columns.items():
            columns[f"{task}{OF}{name}"] = np.pad(column, (before, sum(sizes) - before - size))
        before += size
    groups, repeats = ([getattr(one, kind) for one in bags.values()] for kind in ("groups", "repeats"))
    return Joined(columns, np.concatenate(groups), np.concatenate(repeats))


class Average(Struct, frozen=True):
    """A scorer's metrics as means over tasks, for counts that carry the name of their task."""

    scorer: Scorer
    tasks: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.scorer.name

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return {
            name: replace(metric, value=self._mean(metric), share=None) for name, metric in self.scorer.metrics.items()
        }

    def _mean(self, metric: Metric) -> Callable[[Counts], Number]:
        def mean(counts: Counts) -> Number:
            values = [
                metric.value(
                    {
                        name.removeprefix(f"{task}{OF}"): count
                        for name, count in counts.items()
                        if name.startswith(f"{task}{OF}")
                    }
                )
                for task in self.tasks
            ]
            means: Number = np.mean(np.stack([np.asarray(value, np.float64) for value in values]), axis=0)
            return means

        return mean

    async def score(self, item: Item, response: Response) -> Score:
        return await self.scorer.score(item, response)

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        return self.scorer.bounds(item)


class Scored(NamedTuple):
    """A journal, scored."""

    rows: list[Row]
    settled: int  # records that a resumed run leaves alone


async def score_all(
    journal: Path,
    scorers: Callable[[str], tuple[Scorer, ...]],
    averages: Mapping[str, tuple[str, ...]],
    seed: int,
    tell: Callable[[Record, ScoreLine], None],
) -> Scored:
    """Score every standing record of a journal; each score is told with its record."""
    cells = Cells()
    settled = 0
    for record in records(journal):
        settled += record.failure is None or record.failure.final
        for scorer in scorers(record.item.task):
            earned = await score(record, scorer)
            cells.add(record, scorer, earned)
            tell(record, line_of(record, scorer, earned))
    return Scored(cells.rows(seed, averages), settled)


def ordered(rows: Sequence[Row], tasks: Sequence[str], conditions: Sequence[str]) -> list[Row]:
    """Rows in the order of their tasks and conditions; records come in the order in which they were answered."""
    places = {name: at for names in (tasks, conditions) for at, name in enumerate(names)}
    return sorted(rows, key=lambda row: (places.get(row.task, len(tasks)), places.get(row.condition, len(conditions))))


def line_of(record: Record, scorer: Scorer, earned: Score) -> ScoreLine:
    """One score, as it is written."""
    return ScoreLine(
        task=record.item.task,
        id=record.item.id,
        condition=record.condition,
        repeat=record.repeat,
        scorer=scorer.name,
        state=earned.state,
        answer=earned.answer,
        counts=earned.counts,
        rule=earned.rule,
        why=earned.why,
    )


def row(task: str, condition: str, cell: Cell, seed: int) -> Row:
    """The numbers of a cell."""
    columns, groups = cell.bags.columns, cell.bags.groups
    metrics = {
        name: _bounded(metric, estimate(metric, columns, groups, seed), cell)
        for name, metric in cell.scorer.metrics.items()
    }
    headline = next(iter(cell.scorer.metrics.values()))
    return Row(
        task,
        condition,
        cell.scorer.name,
        signature_of(cell.scorer),
        int(groups.size),
        {str(state): count for state, count in cell.states.items()},
        metrics,
        _chance(columns),
        _by_repeat(headline, cell.bags),
    )


def _bounded(metric: Metric, found: Estimate, cell: Cell) -> Estimate:
    if not cell.worst or found.value is None:
        return found
    sums = {name: float(column.sum()) for name, column in cell.bags.columns.items()}
    best = {
        name: sums.get(name, 0.0) - cell.worst.get(name, 0.0) + cell.best.get(name, 0.0) for name in {*sums, *cell.best}
    }
    return replace(found, worst=found.value, best=defined(metric.value(best)))


def _chance(columns: Mapping[str, Any]) -> float | None:
    return defined(columns["chance"].sum() / columns["n"].sum()) if "chance" in columns and "n" in columns else None


def _by_repeat(metric: Metric, bags: Columns) -> list[float | None]:
    repeats = bags.repeats
    if not repeats.size or repeats.max() == 0:
        return []
    columns = bags.columns
    return [
        defined(metric.value({name: float(column[repeats == number].sum()) for name, column in columns.items()}))
        for number in range(int(repeats.max()) + 1)
    ]


def scored_records(journal: Path, scores: Path) -> Iterator[tuple[Record, ScoreLine]]:
    """The standing records of a run with their scores, for a benchmark with one scorer a task."""
    return zip(records(journal), read_scores(scores), strict=True)


def read_scores(path: Path) -> Iterator[ScoreLine]:
    """The lines of scores.jsonl."""
    decoder = msgspec.json.Decoder(ScoreLine)
    try:
        with path.open("rb") as file:
            for line in file:
                yield decoder.decode(line)
    except (FileNotFoundError, msgspec.DecodeError) as error:
        raise BadData(f"{path}: cannot be read ({error}); make it again with: earmark rescore {path.parent}") from error
