"""From the folder of a run to one side of a comparison: its scores, and the rules that they were made by."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Iterable
from pathlib import Path

from earmark import plugins
from earmark.engine.load import load_scorer
from earmark.errors import BadData, UsageError
from earmark.journal import JOURNAL_FILE, METRICS_FILE, SCORES_FILE, ScoreLine, read_keys
from earmark.plugins.roads import add_file
from earmark.report.aggregates import labels, scorer_signature
from earmark.report.files import read_metrics
from earmark.report.rows import Row
from earmark.report.run_scores import RunInfo, RunScores, ScoringRules
from earmark.runs.rescore import reopen
from earmark.runs.scoring import read_scores, score_journal
from earmark.runs.signature import load_signature
from earmark.runs.untrusted import check_named, find_in_scorer
from earmark.types import Benchmark, Opens, Scorer, rules_of


def load_run_scores(run: Path, wanted: Callable[[ScoreLine], bool] = lambda _: True) -> RunScores:
    """A run's scores as they were written, as far as they are wanted; those of a run that was never scored are made
    from its journal.
    """
    signature = load_signature(run)
    scored = (run / SCORES_FILE).exists() and (run / METRICS_FILE).exists()
    metrics = read_metrics(run) if scored else None
    averages = metrics.average_tree if metrics else reopen(run)[0].averages
    about = RunInfo(
        signature.model["name"], signature.benchmark, signature.data, signature.condition, averages,
        metrics.label_bias if metrics else (),
    )  # fmt: skip
    if metrics:
        lines = filter(wanted, read_scores(run / SCORES_FILE))
        return RunScores(about, _rules_from_metrics(run), lines, read_keys(run / JOURNAL_FILE))
    rules, lines_made = _rescore_in_memory(run)
    return RunScores(about, rules, filter(wanted, lines_made), read_keys(run / JOURNAL_FILE))


def _rules_from_metrics(run: Path) -> Callable[[str, str], ScoringRules]:
    """The rules that signed the numbers of metrics.json: a packaged scorer, or else one of the run's benchmark."""
    signatures = {(row.task, row.scorer): row.signature for row in read_metrics(run).rows if not row.slice}
    scorer_of = run_scorers(run)
    return lambda task, name: ScoringRules(signatures.get((task, name), name), scorer_of(task, name).metrics)


def run_scorers(run: Path) -> Callable[[str, str], Scorer]:
    """The scorers of a scored run by task and label: a packaged one of its settings, or one of the run's benchmark."""
    rows = {(row.task, row.scorer): row for row in read_metrics(run).rows if not row.slice}
    benchmark = functools.cache(lambda: reopen(run)[0])

    @functools.cache
    def scorer_of(task: str, name: str) -> Scorer:
        row = rows.get((task, name))
        return (row and _find_scorer(run, row)) or _benchmark_scorer(benchmark(), task, name)

    return scorer_of


def _find_scorer(run: Path, row: Row) -> Scorer | None:
    """A scorer that lies in a file, made again from its settings; None where what comes out signs otherwise."""
    name = row.scorer.partition(" ")[0]  # a label begins with it
    if "." not in name and name not in plugins.plugin_names("scorers") and name not in plugins.entry_points("scorers"):
        return None
    check_named(run, [*find_in_scorer(name, row.settings, f"scorer of {row.task}")])
    try:
        add_file(row.file)
        scorer = load_scorer(name, row.settings)
    except UsageError:  # of a version with other settings
        return None
    return scorer if rules_of(scorer_signature(scorer)) == rules_of(row.signature) else None


def _rescore_in_memory(run: Path) -> tuple[Callable[[str, str], ScoringRules], Iterable[ScoreLine]]:
    """The rules of the run's benchmark, and its answers scored by them."""
    benchmark, _ = reopen(run)
    if any(isinstance(scorer, Opens) for task in benchmark.tasks for scorer in benchmark.scorers(task)):
        raise BadData(
            f"{run}: is not scored yet, and its scorer asks a judge; score it with: earmark rescore {run} --ask"
        )

    def rules(task: str, name: str) -> ScoringRules:
        scorer = _benchmark_scorer(benchmark, task, name)
        return ScoringRules(scorer_signature(scorer), scorer.metrics)

    lines: list[ScoreLine] = []
    asyncio.run(score_journal(run / JOURNAL_FILE, benchmark.scorers, (), lambda _, line: lines.append(line)))
    return rules, lines


def _benchmark_scorer(benchmark: Benchmark, task: str, name: str) -> Scorer:
    named = benchmark.scorers(task)
    scorers = dict(zip(labels(named), named, strict=True))
    if name not in scorers:
        raise BadData(
            f"{benchmark.name}:{task} is scored by {', '.join(scorers)}, and the run by {name}; score it again with: "
            "earmark rescore RUN"
        )
    return scorers[name]
