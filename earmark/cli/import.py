"""Import results of other harnesses as runs, to rescore and compare them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from earmark.cli._params import Word
from earmark.terminal.console import log_to_stderr, print_line

if TYPE_CHECKING:
    from earmark.report.rows import Metrics
    from earmark.runs.imported import ImportedRun


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--from", "form", default="", help="Format of the results; detected by default.")
@click.option("--model", default="", help="Name of the model; by default from the results or their folder.")
@click.option("--table", default="", help="NAME or NAME:SET of a table whose official result file this is.")
@click.option("--reply", default="", help="With --table: the key of the reply, where it is not the official one.")
@click.argument("words", nargs=-1, type=Word(), metavar="SETTING...")
def command(path: Path, form: str, model: str, table: str, reply: str, words: tuple[str, ...]) -> None:
    """Import the results at PATH, a file or a folder, as runs under results=DIR.

    Supported: AcousticBench, AudioBench, evalscope, Inspect, LISTEN, lmms-eval, MMAU, Open ASR Leaderboard,
    Personalized-Hearing and VoiceBench. docs/importers.md lists what is kept of each.

    \b
    earmark import logs/2026-01-31_audio.eval
    earmark import out --model qwen2-audio results=imported
    earmark import replies.jsonl --table mmar --reply answer_prediction
    """
    from earmark.cli._args import use_only
    from earmark.cli._tables import show_rows
    from earmark.config.compose import compose_config
    from earmark.errors import UsageError
    from earmark.plugins import find_plugin
    from earmark.runs.import_runs import import_runs, load_importer

    use_only("import", words, ("results",), own=f"the table {table}" if table else f"the importer {form}" * bool(form))
    config = compose_config(words)
    importer: Callable[[Path], Iterable[ImportedRun]] | None = None
    if table:
        importer = _official_importer(table, reply, config.benchmark, form)
    elif reply:
        raise UsageError("--reply is for official files of a table; give --table NAME too")
    elif config.benchmark:
        plugin = find_plugin("importers", form)
        form, importer = plugin.module_name, load_importer(plugin, config.benchmark).read
    form = f"table:{table}" if table else form.replace("-", "_")
    runs = import_runs(path, form, config.run.results, model, log_to_stderr, importer)
    for run, metrics in runs:
        title = f"{run.parent.name} by {run.parent.parent.name}"
        if len(runs) == 1:
            show_rows(title, metrics.rows)
            print_line(*metrics.warnings)
        print_line(f"{title}: {_format_counts(metrics)}", f"run: {run}", "")
    if len(runs) > 1:
        print_line(f"{len(runs)} runs; show their scores with earmark show RUN or earmark compare RUN RUN")


def _official_importer(
    table: str, reply: str, settings: Mapping[str, Any], form: str
) -> Callable[[Path], list[ImportedRun]]:
    """The reader of the official file of a table."""
    from earmark.config.parse import parse_settings
    from earmark.errors import UsageError
    from earmark.plugins import find_plugin
    from earmark.plugins.abilities import HasOfficialFile

    if form:
        raise UsageError(f"--from {form} and --table {table} name two formats; give one")
    name, _, set_name = table.partition(":")
    plugin = find_plugin("benchmarks", name)
    module = plugin.module
    if not isinstance(module, HasOfficialFile):
        raise UsageError(f"--table {name}: is no table; earmark list benchmarks shows what there is")
    parsed = parse_settings(plugin.settings, settings, "")
    return lambda path: [module.read_official(path, reply, parsed, set_name)]


def _format_counts(metrics: Metrics) -> str:
    whole = {
        (row.task, row.condition): row for row in metrics.rows if not row.slice and row.task not in metrics.averages
    }
    failed = sum(row.failed for row in whole.values())
    return f"{metrics.dataset.questions} answers in {len({task for task, _ in whole})} tasks, {failed} of them failed"
