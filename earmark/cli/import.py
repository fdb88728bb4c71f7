"""Make runs of other people's results, to be rescored and compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from earmark.report.rows import Metrics


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--from", "form", default="", help="The form of the results; otherwise the one that recognises itself.")
@click.option("--model", default="", help="The model's name; otherwise as the results or their folder say.")
@click.argument("words", nargs=-1)
def command(path: Path, form: str, model: str, words: tuple[str, ...]) -> None:
    """Make runs of the results at PATH, a file or a folder; results=DIR says where.

    Read are results of AcousticBench, AudioBench, evalscope, Inspect, lmms-eval, MMAU, the Open ASR Leaderboard,
    Personalized-Hearing and VoiceBench; what is kept of each: docs/foreign.md

    \b
    earmark import logs/2026-01-31_audio.eval
    earmark import out --model qwen2-audio results=theirs
    """
    from earmark.cli._args import use_only
    from earmark.cli._tables import show_rows
    from earmark.config import compose_config
    from earmark.runs.import_runs import import_runs

    use_only("import", words, ("results",))
    made = import_runs(path, form.replace("-", "_"), compose_config(words).run.results, model, click.echo)
    for run, metrics in made:
        title = f"{run.parent.name} by {run.parent.parent.name}"
        if len(made) == 1:
            show_rows(title, metrics.rows)
            for notice in metrics.warnings:
                click.echo(notice)
        click.echo(f"{title}: {_count_text(metrics)}\nrun: {run}\n")
    if len(made) > 1:
        click.echo(f"{len(made)} runs; their numbers: earmark show RUN, earmark compare RUN RUN")


def _count_text(metrics: Metrics) -> str:
    whole = {
        (row.task, row.condition): row for row in metrics.rows if not row.slice and row.task not in metrics.averages
    }
    failed = sum(row.failed for row in whole.values())
    return f"{metrics.dataset.questions} answers in {len({task for task, _ in whole})} tasks, {failed} of them failed"
