"""From the folder of a run to one side of a comparison: its scores, and the rules that they were made by."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Iterable
from pathlib import Path

from earmark import config, folder, plugins
from earmark.again import reopened
from earmark.errors import BadData, UsageError
from earmark.journal import ScoreLine, read
from earmark.report.cells import labels, signature_of
from earmark.report.files import read_metrics
from earmark.report.gathered import About, Rules, Side
from earmark.report.rows import Row
from earmark.scoring import read_scores, score_all
from earmark.types import Benchmark, Opens, Scorer


def side(run: Path) -> Side:
    """A run's scores as they were written; those of a run that was never scored are made from its journal."""
    signed = folder.signed(run)
    scored = (run / folder.SCORES).exists() and (run / folder.METRICS).exists()
    averages = read_metrics(run).averages if scored else reopened(run)[0].averages
    about = About(signed.model["name"], signed.benchmark, signed.data, signed.condition, averages)
    if scored:
        return Side(about, _written_rules(run), read_scores(run / folder.SCORES), read(run / folder.JOURNAL))
    return Side(about, *_scored_now(run), read(run / folder.JOURNAL))


def _written_rules(run: Path) -> Callable[[str, str], Rules]:
    """The rules that signed the numbers of metrics.json: a packaged scorer, or else one of the run's benchmark."""
    rows = {(row.task, row.scorer): row for row in read_metrics(run).rows if not row.slice}
    benchmark = functools.cache(lambda: reopened(run)[0])

    @functools.cache
    def rules(task: str, name: str) -> Rules:
        row = rows.get((task, name))
        scorer = (row and _found(row)) or _of_benchmark(benchmark(), task, name)
        return Rules(row.signature if row else name, scorer.metrics)

    return rules


def _found(row: Row) -> Scorer | None:
    """A scorer that lies in a file, made again from its settings; None where what comes out signs otherwise."""
    name = row.scorer.partition(" ")[0]  # a label begins with it
    if "." not in name and name not in plugins.names("scorers"):
        return None
    module = plugins.find("scorers", name)
    try:
        scorer: Scorer = module.load(config.read(module.Settings, row.settings, ""))
    except UsageError:  # of a version with other settings
        return None
    alike = signature_of(scorer).partition("|v:")[0] == row.signature.partition("|v:")[0]
    return scorer if alike else None


def _scored_now(run: Path) -> tuple[Callable[[str, str], Rules], Iterable[ScoreLine]]:
    """The rules of the run's benchmark, and its answers scored by them."""
    benchmark, _ = reopened(run)
    if any(isinstance(scorer, Opens) for task in benchmark.tasks for scorer in benchmark.scorers(task)):
        raise BadData(f"{run}: is not scored yet, and its scorer asks a judge; score it with: earmark rescore {run}")

    def rules(task: str, name: str) -> Rules:
        scorer = _of_benchmark(benchmark, task, name)
        return Rules(signature_of(scorer), scorer.metrics)

    lines: list[ScoreLine] = []
    asyncio.run(score_all(run / folder.JOURNAL, benchmark.scorers, (), lambda _, line: lines.append(line)))
    return rules, lines


def _of_benchmark(benchmark: Benchmark, task: str, name: str) -> Scorer:
    named = benchmark.scorers(task)
    scorers = dict(zip(labels(named), named, strict=True))
    if name not in scorers:
        raise BadData(
            f"{benchmark.name}:{task} is scored by {', '.join(scorers)}, and the run by {name}; score it again with: earmark rescore RUN"
        )
    return scorers[name]
