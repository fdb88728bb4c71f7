"""From a journal to numbers: every standing record is scored, counted by task and condition, and estimated.

Records are read one by one and only their counts are kept. Scores are written beside the journal; they can be made again
from it at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct, field

from earmark.errors import BadData
from earmark.journal import Record, ScoreLine, read, standing
from earmark.report.rows import Row
from earmark.stats.bags import Bags
from earmark.stats.estimate import Estimate, defined, estimate
from earmark.types import STATES, Metric, Response, Score, Scorer, replace


class Cell(Struct):
    """What is gathered for one row while the journal is read."""

    scorer: Scorer
    bags: Bags = field(default_factory=Bags)
    states: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STATES, 0))
    worst: dict[str, float] = field(default_factory=dict)  # counts of failed items had they been wrong,
    best: dict[str, float] = field(default_factory=dict)  # and had they been right


def signature_of(scorer: Scorer) -> str:
    """The settings behind a number."""
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

    def add(self, record: Record, scorer: Scorer, earned: Score) -> None:
        """Enter one score."""
        cell = self._cells.setdefault((record.item.task, record.condition, scorer.name), Cell(scorer))
        cell.states[earned.state] += 1
        cell.bags.add(earned.counts, record.item.group or record.item.id, record.repeat)
        if record.failure and record.failure.state != "refused":
            worst, best = scorer.bounds(record.item)
            for sums, counts in ((cell.worst, worst), (cell.best, best)):
                for name, count in counts.items():
                    sums[name] = sums.get(name, 0.0) + count

    def rows(self, seed: int) -> list[Row]:
        """The numbers of every cell."""
        return [row(task, condition, cell, seed) for (task, condition, _), cell in self._cells.items()]


class Scored(NamedTuple):
    """A journal, scored."""

    rows: list[Row]
    settled: int  # records that a resumed run leaves alone


async def score_all(
    journal: Path,
    scorers: Callable[[str], tuple[Scorer, ...]],
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
    return Scored(cells.rows(seed), settled)


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
        len(cell.bags),
        cell.states,
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


def _by_repeat(metric: Metric, bags: Bags) -> list[float | None]:
    repeats = bags.repeats
    if not repeats.size or repeats.max() == 0:
        return []
    columns = bags.columns
    return [
        defined(metric.value({name: float(column[repeats == number].sum()) for name, column in columns.items()}))
        for number in range(int(repeats.max()) + 1)
    ]


def read_scores(path: Path) -> Iterator[ScoreLine]:
    """The lines of scores.jsonl."""
    decoder = msgspec.json.Decoder(ScoreLine)
    try:
        with path.open("rb") as file:
            for line in file:
                yield decoder.decode(line)
    except (FileNotFoundError, msgspec.DecodeError) as error:
        raise BadData(f"{path}: cannot be read ({error}); make it again with: earmark rescore {path.parent}") from error
