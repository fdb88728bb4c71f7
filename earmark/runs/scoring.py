"""From a journal to scores: every standing record is scored, written down and counted.

Records are read one by one and only their counts are kept. Scores can be made again from the journal at any time.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AsyncExitStack, nullcontext
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from earmark.data.cache import name_full_disk, read_hash64
from earmark.data.plain import encode_line, repair
from earmark.engine.barrier import Barrier, Tracebacks
from earmark.engine.load import load_condition
from earmark.errors import BadData
from earmark.journal import (
    JOURNAL_FILE,
    NO_USAGE,
    SCORES_FILE,
    Record,
    ScoreLine,
    UsageCounter,
    UsageTotals,
    add_totals,
    latest_mask,
    read_journal,
)
from earmark.report import files
from earmark.report.aggregates import Aggregates
from earmark.report.headline import find_headline
from earmark.report.label_bias import LabelCounter, label_bias_notice
from earmark.report.latency import CSV_HEAD, LatencyCounter, LatencyRow
from earmark.report.rows import DatasetCounts, ListeningGain, Metrics, Row, ScoredFiles
from earmark.report.samples import SampleWriters, is_right, item_value
from earmark.runs.journal_chunks import JournalChunk, read_chunk, split_journal
from earmark.runs.open_scorers import NOT_ASKED, OpenScorer, OpenScorers, Scorers
from earmark.runs.score_notices import score_notices, transcript_control_notes
from earmark.runs.signature import load_signature
from earmark.stats.count_table import hash64
from earmark.text.choice_parser import reading_note
from earmark.text.choices import ORDER_TAG
from earmark.text.echo import NOTE
from earmark.text.thoughts import without_thoughts
from earmark.types import Benchmark, Condition, Prompt, Response, Score, Scorer, Usage, replace

BROKEN: Final = "scorer broke"  # the rule of a score that a bug of a scorer took
LARGE_JOURNAL: Final = 4 << 20  # bytes of a journal that may be worth more than one process
MAX_CONCURRENT_SCORES: Final = 32  # scores under way, of scorers that ask a judge


def latest_records(journal: Path) -> Iterator[Record]:
    """The records that stand, in the order they were written."""
    return (record for record, stands in zip(read_journal(journal), latest_mask(journal), strict=True) if stands)


async def score_record(record: Record, scorer: Scorer) -> Score:
    """Score one record, its thoughts left out; a failure earns the least, in a state of its own."""
    if record.failure:
        return Score(scorer.bounds(record.item)[0], state=record.failure.state, explanation=record.failure.message)
    response = without_thoughts(record.response or Response(""))
    verdicts = record.all_verdicts
    return await scorer.score(record.item, replace(response, verdicts=verdicts) if verdicts else response)


class JournalCounts(Struct):
    """Counts over a journal, kept while it is read."""

    n_records: int = 0  # that stand
    n_completed: int = 0  # of them, those that a resumed run leaves alone
    n_failed: int = 0  # of them, failures of items that could be asked
    echoes: int = 0  # answers that repeat the text of their prompt

    def add(self, record: Record) -> None:
        """Count a standing record."""
        self.n_records += 1
        self.n_completed += record.failure is None or record.failure.final
        self.n_failed += record.failure is not None and record.item.state == "ask"
        self.echoes += record.response is not None and NOTE in record.response.notes

    def __add__(self, other: JournalCounts) -> JournalCounts:
        return JournalCounts(*(getattr(self, name) + getattr(other, name) for name in self.__struct_fields__))


class ScoredJournal(Struct):
    """A journal, scored, or a chunk of one."""

    cells: Aggregates
    counts: JournalCounts
    usage: UsageTotals  # of all its records
    judging: Usage = Usage()  # what judges took
    broken: int = 0  # scores that a bug of a scorer took
    not_asked: int = 0  # scores that a judge has yet to give
    latency: LatencyCounter = msgspec.field(default_factory=LatencyCounter)
    labels: LabelCounter = msgspec.field(default_factory=LabelCounter)

    def extend(self, other: ScoredJournal) -> None:
        """Add the chunk that comes next."""
        self.cells.extend(other.cells)
        self.counts += other.counts
        self.usage = add_totals(self.usage, other.usage)
        self.judging += other.judging
        self.broken += other.broken
        self.not_asked += other.not_asked
        self.latency.extend(other.latency)
        self.labels.extend(other.labels)


async def score_journal(
    journal: Path,
    scorers: Scorers | OpenScorers,
    slices: Sequence[str],
    tell: Callable[[Record, ScoreLine], None],
    chunks: Sequence[JournalChunk] | None = None,
) -> ScoredJournal:
    """Score every standing record of a journal; each score is told with its record, in the order of the journal.

    `chunks` are those of the journal, where it has been split already.
    """
    total, tracebacks = start_scores(slices), Tracebacks(journal.parent)
    async with AsyncExitStack() as stack:
        opened = scorers if isinstance(scorers, OpenScorers) else OpenScorers(scorers, stack)
        for chunk in split_journal(journal) if chunks is None else chunks:
            total.extend(await score_chunk(journal, chunk, opened, slices, tell, tracebacks))
    return total


def start_scores(slices: Sequence[str]) -> ScoredJournal:
    """Return the scores of no record."""
    return ScoredJournal(Aggregates(slices), JournalCounts(), UsageTotals())


async def score_chunk(
    journal: Path,
    chunk: JournalChunk,
    opened: OpenScorers,
    slices: Sequence[str],
    tell: Callable[[Record, ScoreLine], None],
    tracebacks: Tracebacks,
) -> ScoredJournal:
    """Score the standing records of a chunk of a journal."""
    scored, usage = start_scores(slices), UsageCounter()

    def count_records() -> Iterator[Record]:
        for record, stands in read_chunk(journal, chunk):
            usage.add(record)
            if stands:
                scored.counts.add(record)
                scored.latency.add(record)
                yield record

    async for record, by, earned in _score_stream(count_records(), opened, tracebacks):
        scored.cells.add(record, by.scorer, earned, by.label)
        if earned.usage != NO_USAGE:
            scored.judging += earned.usage
        scored.broken += earned.rule == BROKEN
        scored.not_asked += earned.rule == NOT_ASKED
        line = score_line(record, by.label, by.scorer, earned)
        scored.labels.add(record, line)
        tell(record, line)
    scored.usage = usage.totals
    return scored


async def _try_score(record: Record, scorer: Scorer, tracebacks: Tracebacks, barrier: Barrier) -> Score:
    """The score of one record; one at which a scorer breaks is unscored, and said to be."""
    with barrier:
        return await score_record(record, scorer)
    return Score(
        {}, state="judge-failed", rule=BROKEN, explanation=tracebacks.add(barrier, f"{record.title}, {scorer.name}")
    )


async def _score_stream(
    standing_records: Iterator[Record], scorers: OpenScorers, tracebacks: Tracebacks
) -> AsyncIterator[tuple[Record, OpenScorer, Score]]:
    """Every score in order; those of scorers that ask a judge are made several at a time."""
    ahead: deque[tuple[Record, OpenScorer, asyncio.Task[Score]]] = deque()
    barrier = Barrier()  # of the scores that are made one at a time
    try:
        for record in standing_records:
            for by in scorers.opened(record.item.task) or await scorers.of(record.item.task):
                if by.kept and not record.failure:
                    yield record, by, by.kept.find(record, by.label)
                elif by.asks:
                    task = asyncio.create_task(_try_score(record, by.scorer, tracebacks, Barrier()))
                    ahead.append((record, by, task))
                    if len(ahead) > MAX_CONCURRENT_SCORES:
                        first, its, task = ahead.popleft()
                        yield first, its, await task
                else:
                    yield record, by, await _try_score(record, by.scorer, tracebacks, barrier)
        while ahead:
            first, its, task = ahead.popleft()
            yield first, its, await task
    finally:
        for _, _, task in ahead:
            task.cancel()


def sort_rows(rows: Sequence[Row], tasks: Sequence[str], conditions: Sequence[str]) -> list[Row]:
    """Rows in the order of their tasks, conditions and slices; records come in the order of their answers."""
    places = {name: index for names in (tasks, conditions) for index, name in enumerate(names)}

    def place(row: Row) -> tuple[int, int, list[str | int]]:
        parts = re.split(r"(\d+)", row.slice)  # words and numbers in turn, so that level=10 comes after level=9
        of_slice = [int(part) if position % 2 else part for position, part in enumerate(parts)]
        return places.get(row.task, len(tasks)), places.get(row.condition, len(conditions)), of_slice

    return sorted(rows, key=place)


def _average_rows(benchmark: Benchmark, cells: Aggregates, until: float | None) -> list[Row]:
    if not benchmark.averages:
        return []
    from earmark.report.averages import average_rows  # noqa: PLC0415 - of benchmarks with averages

    return average_rows(benchmark.averages, cells.whole, until)


def _gains(benchmark: Benchmark, cells: Aggregates, controls: Sequence[str], seed: int) -> list[ListeningGain]:
    if not controls or not any(row_key.condition == "plain" for row_key in cells.by_row):
        return []
    from earmark.report.gain import listening_gains  # noqa: PLC0415 - of runs with a control

    return listening_gains(cells.by_row, controls, benchmark.averages, seed)


def load_controls(conditions: Iterable[str]) -> dict[str, Condition]:
    """Those conditions under which what is asked about cannot be heard, by name.

    >>> list(load_controls(["plain", "silence", "transcript:whisper_tiny", "noise:0"]))
    ['silence', 'transcript:whisper_tiny']
    """
    nothing = Benchmark(version=0, tasks=(), items=tuple, prompt=lambda _: Prompt(()), scorers=lambda _: ())
    loaded = [load_condition(name, 0, nothing) for name in conditions]
    return {each.name: each.condition for each in loaded if each and each.condition.removes_audio}


def read_scored_records(journal: Path, scores: Path) -> Iterator[tuple[Record, ScoreLine]]:
    """The standing records of a run with their scores, for a benchmark with one scorer a task."""
    return zip(latest_records(journal), read_scores(scores), strict=True)


def read_scores(path: Path) -> Iterator[ScoreLine]:
    """The lines of scores.jsonl. Raises BadData where it is missing or broken."""
    decoder = msgspec.json.Decoder(ScoreLine)
    try:
        with path.open("rb") as file:
            for line in file:
                yield decoder.decode(line)
    except (FileNotFoundError, msgspec.DecodeError) as error:
        raise BadData(f"{path}: cannot be read ({error}); make it again with: earmark rescore {path.parent}") from error


def _find_solved(run: Path, right: Mapping[tuple[str, str], AbstractSet[int]]) -> Iterator[tuple[str, ...]]:
    """Every item that all controls get right, once."""
    seen: set[tuple[str, str, str]] = set()
    for line in read_scores(run / SCORES_FILE):
        solved = (line.task, line.scorer, line.id)
        if solved not in seen and hash64(line.id) in right.get(solved[:2], ()):
            seen.add(solved)
            yield solved


def score_line(record: Record, label: str, scorer: Scorer, earned: Score) -> ScoreLine:
    """One score, as it is written, by a scorer's label."""
    metric = next(iter(scorer.metrics.values()))
    value = item_value(metric, earned.counts)
    return ScoreLine(
        task=record.item.task,
        id=record.item.id,
        condition=record.condition,
        repeat=record.repeat,
        scorer=label,
        state=earned.state,
        answer=repair(earned.answer),
        counts=earned.counts,
        rule=earned.rule,
        why=repair(earned.explanation),
        value=value,
        right=is_right(metric, value, earned.counts),
    )


async def _score_into(run: Path, place: Path, benchmark: Benchmark, scorers: Scorers | OpenScorers) -> ScoredJournal:
    """Score a run's journal, its scores and samples written somewhere else until all are there."""
    journal, samples = run / JOURNAL_FILE, None if benchmark.extra_tables else SampleWriters(place)
    with name_full_disk(run / SCORES_FILE), (place / SCORES_FILE).open("wb") as lines, samples or nullcontext():

        def tell(record: Record, line: ScoreLine) -> None:
            lines.write(encode_line(line))
            if samples:
                samples.add(record, line)

        if journal.exists() and journal.stat().st_size >= LARGE_JOURNAL:
            from earmark.runs.score_workers import score_large  # noqa: PLC0415 - for few runs

            return await score_large(journal, scorers, benchmark, tell, lines, samples)
        return await score_journal(journal, scorers, benchmark.slices, tell)


def _write_side_tables(journal: Path, place: Path, latency: Sequence[LatencyRow], *, positions: bool) -> None:
    """Write latency.csv and, of a run that asked choices in several orders, how often each label was the answer."""
    if latency:
        files.write_csv(place / "latency.csv", CSV_HEAD, map(msgspec.structs.astuple, latency))
    if positions:
        from earmark.report.positions import HEAD, position_rows  # noqa: PLC0415 - of few runs

        rows = position_rows(read_scored_records(journal, place / SCORES_FILE))
        files.write_csv(place / "choice_orders.csv", HEAD, rows)


class ScoredRun(NamedTuple):
    """A run, scored."""

    metrics: Metrics
    n_records: int  # that stand
    n_failed: int  # of them, failures of items that could be asked


async def write_scores(
    run: Path, benchmark: Benchmark, seed: int, dataset: DatasetCounts, scorers: Scorers | OpenScorers | None = None
) -> Metrics:
    """Score a run's journal and write every report of it, as `score_run` does; return the numbers."""
    return (await score_run(run, benchmark, seed, dataset, scorers)).metrics


async def score_run(
    run: Path, benchmark: Benchmark, seed: int, dataset: DatasetCounts, scorers: Scorers | OpenScorers | None = None
) -> ScoredRun:
    """Score a run's journal and write every report of it: the benchmark's own tables where it has some, else ours.

    Where scoring stops, the reports that were there stay; a killed process leaves what finishes the change.
    """
    files.remove_leftovers(run)
    journal_bytes = (run / JOURNAL_FILE).stat().st_size
    with TemporaryDirectory(prefix=files.STAGING_PREFIX, dir=run) as staged:
        place = Path(staged)
        scored = await _score_into(run, place, benchmark, scorers or benchmark.scorers)
        scored_files = ScoredFiles(read_hash64(place / SCORES_FILE), journal_bytes)
        metrics = replace(_write_reports(run, place, benchmark, seed, scored, dataset), scored=scored_files)
        files.write_metrics(place, metrics)
        files.publish_files(place, run)
    return ScoredRun(metrics, scored.counts.n_records, scored.counts.n_failed)


def _write_reports(
    run: Path, place: Path, benchmark: Benchmark, seed: int, scored: ScoredJournal, dataset: DatasetCounts
) -> Metrics:
    """Write the tables of a scored journal into a place, and return its numbers."""
    signature = load_signature(run)
    until = signature.benchmark["settings"].get("until")
    rows = scored.cells.to_rows(benchmark.mean_over, until) + _average_rows(benchmark, scored.cells, until)
    rows = sort_rows(rows, (*benchmark.tasks, *benchmark.averages), signature.condition)
    controls = load_controls(signature.condition)
    gained = _gains(benchmark, scored.cells, list(controls), seed)
    part = [f"shard {signature.shard} of the items; earmark merge joins the shards of a run"] * bool(signature.shard)
    notices = [*part, *benchmark.warnings, *transcript_control_notes(benchmark, controls)]
    label_bias = scored.labels.to_rows(controls)
    notices += [*label_bias_notice(label_bias), *score_notices(scored)]
    notices += reading_note((row.signature, row.states["unparsed"]) for row in rows)
    headline = find_headline(rows, signature.condition, tuple(benchmark.averages))
    asked = dataset.questions
    if until:
        from earmark.runs.until import describe_stop  # noqa: PLC0415 - of few runs

        asked, notice = describe_stop(run, rows, headline, until, asked)
        notices.insert(0, notice)
    if gained:
        from earmark.report.gain import find_solved_by_controls  # noqa: PLC0415

        right = find_solved_by_controls(scored.cells.by_row, list(controls))
        files.write_csv(place / "solved_by_controls.csv", files.SOLVED_BY_CONTROLS, _find_solved(place, right))
    latency = scored.latency.to_rows()
    _write_side_tables(run / JOURNAL_FILE, place, latency, positions=ORDER_TAG in benchmark.slices)
    if benchmark.extra_tables:
        pairs = partial(read_scored_records, run / JOURNAL_FILE, place / SCORES_FILE)
        files.write_tables(place, benchmark.extra_tables(signature.model["name"], pairs))
    summary = "numbers.csv" if benchmark.extra_tables else "summary.csv"
    files.write_summary(place / summary, signature.model["name"], benchmark.name, rows)
    done = scored.counts.n_completed >= asked
    judging = files.read_judge_usage(run) + scored.judging
    return Metrics(
        done, rows, dataset, notices, dict(benchmark.averages), gained, scored.usage, judging, headline, latency,
        label_bias=label_bias,
    )  # fmt: skip
