"""Import results of other harnesses as runs, to rescore and compare them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from earmark.terminal.console import print_line

if TYPE_CHECKING:
    from earmark.report.rows import Metrics


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--from", "form", default="", help="Format of the results; detected by default.")
@click.option("--model", default="", help="Name of the model; by default from the results or their folder.")
@click.argument("words", nargs=-1)
def command(path: Path, form: str, model: str, words: tuple[str, ...]) -> None:
    """Import the results at PATH, a file or a folder, as runs under results=DIR.

    Supported: AcousticBench, AudioBench, evalscope, Inspect, lmms-eval, MMAU, Open ASR Leaderboard,
    Personalized-Hearing and VoiceBench. docs/importers.md lists what is kept of each.

    \b
    earmark import logs/2026-01-31_audio.eval
    earmark import out --model qwen2-audio results=imported
    """
    from earmark.cli._args import use_only
    from earmark.cli._tables import show_rows
    from earmark.config import compose_config
    from earmark.runs.import_runs import import_runs

    use_only("import", words, ("results",))
    runs = import_runs(path, form.replace("-", "_"), compose_config(words).run.results, model, print_line)
    for run, metrics in runs:
        title = f"{run.parent.name} by {run.parent.parent.name}"
        if len(runs) == 1:
            show_rows(title, metrics.rows)
            print_line(*metrics.warnings)
        print_line(f"{title}: {_format_counts(metrics)}", f"run: {run}", "")
    if len(runs) > 1:
        print_line(f"{len(runs)} runs; show their scores with earmark show RUN or earmark compare RUN RUN")


def _format_counts(metrics: Metrics) -> str:
    whole = {
        (row.task, row.condition): row for row in metrics.rows if not row.slice and row.task not in metrics.averages
    }
    failed = sum(row.failed for row in whole.values())
    return f"{metrics.dataset.questions} answers in {len({task for task, _ in whole})} tasks, {failed} of them failed"
