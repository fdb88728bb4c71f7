"""From a journal to scores: every standing record is scored, written down and counted.

Records are read one by one and only their counts are kept. Scores can be made again from the journal at any time.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AsyncExitStack, nullcontext
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple, TypeAlias

import msgspec

from earmark import folder
from earmark.errors import BadData
from earmark.journal import Record, ScoreLine, read, standing, taken
from earmark.plugins import find
from earmark.report import files
from earmark.report.cells import Cells
from earmark.report.gain import answered_without_ears, gains
from earmark.report.rows import Found, Metrics, Row
from earmark.stats.bags import named
from earmark.types import Benchmark, Response, Score, Scorer, Usage

AT_ONCE: Final = 32  # scores under way, of scorers that ask a judge
Scorers: TypeAlias = Callable[[str], tuple[Scorer, ...]]


def records(journal: Path) -> Iterator[Record]:
    """The records that stand, in the order they were written."""
    return (record for record, stands in zip(read(journal), standing(journal), strict=True) if stands)


async def score(record: Record, scorer: Scorer) -> Score:
    """What one record earned; a failure earns the least, in a state of its own."""
    if record.failure:
        return Score(scorer.bounds(record.item)[0], state=record.failure.state, why=record.failure.message)
    return await scorer.score(record.item, record.response or Response(""))


class Scored(NamedTuple):
    """A journal, scored."""

    cells: Cells
    settled: int  # records that a resumed run leaves alone
    judging: Usage  # what judges took


async def score_all(
    journal: Path, scorers: Scorers, slices: Sequence[str], tell: Callable[[Record, ScoreLine], None]
) -> Scored:
    """Score every standing record of a journal; each score is told with its record, in the order of the journal."""
    cells = Cells(slices)
    settled, judging = 0, Usage()

    def counted() -> Iterator[Record]:
        nonlocal settled
        for record in records(journal):
            settled += record.failure is None or record.failure.final
            yield record

    async with AsyncExitStack() as stack:
        async for record, scorer, earned in _scored(counted(), Opened(scorers, stack)):
            cells.add(record, scorer, earned)
            judging += earned.usage
            tell(record, line_of(record, scorer, earned))
    return Scored(cells, settled, judging)


class Opened:
    """The scorers of each task, opened once: a scorer that asks a judge has an `opened()` to enter."""

    def __init__(self, scorers: Scorers, stack: AsyncExitStack) -> None:
        self._scorers, self._stack = scorers, stack
        self._open: dict[str, tuple[Scorer, ...]] = {}

    async def of(self, task: str) -> tuple[Scorer, ...]:
        if task not in self._open:
            self._open[task] = tuple([await entered(scorer, self._stack) for scorer in self._scorers(task)])
        return self._open[task]


async def entered(scorer: Scorer, stack: AsyncExitStack) -> Scorer:
    """A scorer, open until the stack is left."""
    opened = getattr(scorer, "opened", None)
    if opened is None:
        return scorer
    found: Scorer = await stack.enter_async_context(opened())
    return found


async def _scored(standing_records: Iterator[Record], scorers: Opened) -> AsyncIterator[tuple[Record, Scorer, Score]]:
    """Every score in order; those of scorers that ask a judge are made several at a time."""
    ahead: deque[tuple[Record, Scorer, asyncio.Task[Score]]] = deque()
    try:
        for record in standing_records:
            for scorer in await scorers.of(record.item.task):
                if hasattr(scorer, "opened"):
                    ahead.append((record, scorer, asyncio.create_task(score(record, scorer))))
                    if len(ahead) > AT_ONCE:
                        first, by, task = ahead.popleft()
                        yield first, by, await task
                else:
                    yield record, scorer, await score(record, scorer)
        while ahead:
            first, by, task = ahead.popleft()
            yield first, by, await task
    finally:
        for _, _, task in ahead:
            task.cancel()


def ordered(rows: Sequence[Row], tasks: Sequence[str], conditions: Sequence[str]) -> list[Row]:
    """Rows in the order of their tasks, conditions and slices; records come in the order in which they were answered."""
    places = {name: at for names in (tasks, conditions) for at, name in enumerate(names)}

    def place(row: Row) -> tuple[int, int, list[str | int]]:
        parts = re.split(r"(\d+)", row.slice)  # words and numbers in turn, so that level=10 comes after level=9
        of_slice = [int(part) if at % 2 else part for at, part in enumerate(parts)]
        return places.get(row.task, len(tasks)), places.get(row.condition, len(conditions)), of_slice

    return sorted(rows, key=place)


def deaf(condition: str) -> bool:
    """Whether what is asked about cannot be heard under a condition.

    >>> deaf("silence"), deaf("transcript:ear"), deaf("noise:0")
    (True, True, False)
    """
    return _has(condition, "DEAF")


def _has(condition: str, mark: str) -> bool:
    return condition != "plain" and bool(getattr(find("conditions", condition.partition(":")[0]), mark, False))


def _words_let_through(benchmark: Benchmark, controls: Sequence[str]) -> list[str]:
    """What must be known of a control that lets words through, where a transcript carries the answer."""
    worded = [name for name in controls if _has(name, "WORDS")]
    if benchmark.needs_ears or not worded:
        return []
    return [
        f"{', '.join(worded)}: words carry the answers of {benchmark.name}, so no gain over them means that hearing adds nothing to the words; whether anything is heard, silence tells"
    ]


def _without_ears(run: Path, right: Mapping[tuple[str, str], AbstractSet[int]]) -> Iterator[tuple[str, ...]]:
    """Every item that all controls get right, once."""
    seen: set[tuple[str, str, str]] = set()
    for line in read_scores(run / folder.SCORES):
        one = (line.task, line.scorer, line.id)
        if one not in seen and named(line.id) in right.get(one[:2], ()):
            seen.add(one)
            yield one


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


def scored_records(journal: Path, scores: Path) -> Iterator[tuple[Record, ScoreLine]]:
    """The standing records of a run with their scores, for a benchmark with one scorer a task."""
    return zip(records(journal), read_scores(scores), strict=True)


def read_scores(path: Path) -> Iterator[ScoreLine]:
    """The lines of scores.jsonl. Raises BadData where it is missing or broken."""
    decoder = msgspec.json.Decoder(ScoreLine)
    try:
        with path.open("rb") as file:
            for line in file:
                yield decoder.decode(line)
    except (FileNotFoundError, msgspec.DecodeError) as error:
        raise BadData(f"{path}: cannot be read ({error}); make it again with: earmark rescore {path.parent}") from error


async def _staged(run: Path, place: Path, benchmark: Benchmark, scorers: Scorers) -> Scored:
    """Score a run's journal, its scores and samples written somewhere else until all are there."""
    encode = msgspec.json.Encoder().encode
    samples = None if benchmark.tables else files.Samples(place)
    with (place / folder.SCORES).open("wb") as lines, samples or nullcontext():

        def tell(record: Record, line: ScoreLine) -> None:
            lines.write(encode(line) + b"\n")
            if samples:
                samples.add(record, line)

        return await score_all(run / folder.JOURNAL, scorers, benchmark.slices, tell)


async def write_scores(
    run: Path, benchmark: Benchmark, seed: int, found: Found, scorers: Scorers | None = None
) -> Metrics:
    """Score a run's journal and write every report of it: the benchmark's own tables where it has some, else ours.

    Where scoring stops, as where a judge cannot be asked, the reports that were there stay as they were.
    """
    signed = folder.signed(run)
    files.sweep(run)
    with TemporaryDirectory(prefix=files.STAGED, dir=run) as place:
        scored = await _staged(run, Path(place), benchmark, scorers or benchmark.scorers)
        files.settle(Path(place), run)
    rows = scored.cells.rows(benchmark.averages, benchmark.mean_over)
    rows = ordered(rows, (*benchmark.tasks, *benchmark.averages), signed.condition)
    controls = [name for name in signed.condition if deaf(name)]
    gained = gains(scored.cells.cells, controls, benchmark.averages, seed)
    done = scored.settled >= found.questions
    all_of_it = taken(run / folder.JOURNAL)
    judging = files.judged(run) + scored.judging
    notices = [*benchmark.notices, *_words_let_through(benchmark, controls)]
    metrics = Metrics(done, rows, found, notices, dict(benchmark.averages), gained, all_of_it, judging)
    if gained:
        right = answered_without_ears(scored.cells.cells, controls)
        files.write_csv(run / "without_ears.csv", files.WITHOUT_EARS, _without_ears(run, right))
    if benchmark.tables:
        pairs = partial(scored_records, run / folder.JOURNAL, run / folder.SCORES)
        files.write_tables(run, benchmark.tables(signed.model["name"], pairs))
    files.write_summary(
        run / ("numbers.csv" if benchmark.tables else "summary.csv"), signed.model["name"], benchmark.name, rows
    )
    files.write_metrics(run, metrics)
    return metrics
