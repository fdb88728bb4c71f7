"""Show the scores of runs, their warnings and the reasons of failures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from earmark.cli._formats import format_options, print_tables, refuse_with_form
from earmark.cli._params import RunPath, find_run
from earmark.runs.signature import load_signature
from earmark.terminal.console import print_json, print_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from earmark.report.rows import Metrics
    from earmark.report.run_table import RunRows

SUITE = "suite:"  # before the name of a suite


@click.command()
@click.argument("runs", nargs=-1, required=True, type=RunPath(folders=True))
@click.option("--all", "everything", is_flag=True, help="Show every metric, not only the headline.")
@click.option("--by", default="", help="Break the rows down by a tag of the items, such as user or dataset_source.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    help="Plot the scores with their intervals, the scores in noise, or the audiogram: .png, .svg, .html.",
)
@click.option(
    "--width",
    type=click.FloatRange(0, min_open=True),
    help="Print the number of items needed for an interval of this width.",
)
@click.option("--latency", is_flag=True, help="Show seconds and tokens of the answers too, by task.")
@format_options
def command(runs: tuple[Path, ...], *, plot: Path | None, form: str | None, latency: bool, **options: Any) -> None:
    """Show the scores of RUN..., folders such as results/MODEL/BENCHMARK/2026-01-31_12-00-00.

    A folder with runs below it stands for the newest of them, and @ for the newest under results.

    \b
    earmark show suite:field results        the table of a suite, from its runs
    earmark show RUN --by level             a row for each value of a tag
    earmark show RUN --width 0.04           items needed for such an interval
    earmark show RUN RUN --plot scores.svg  scores with their intervals
    earmark show RUN --plot curve.png       of a run in noise=[20,10,0,-10]
    earmark show RUN RUN --latex            a table for a paper
    """
    if str(runs[0]).startswith(SUITE):
        _refuse_with_suite(str(runs[0]), plot=plot, latency=latency, **options)
        _show_suite(str(runs[0]).removeprefix(SUITE), runs[1:], form)
        return
    refuse_with_form(form, width=options["width"], latency=latency)
    folders = [find_run(run) for run in runs]
    if form:
        _print_form(folders, form, everything=options["everything"], by=options["by"])
    for folder in folders if not form else ():
        _show_run(folder, **options)
        if latency:
            _show_latency(folder)
    if plot:
        _write_plot(plot, folders, options["by"])
        if not form:
            print_line(f"plot: {plot}")


def _show_latency(folder: Path) -> None:
    from earmark.cli._tables import show_table
    from earmark.report.files import read_metrics
    from earmark.report.latency_table import HEAD, latency_table

    rows = read_metrics(folder).latency
    if rows:
        show_table("seconds and tokens of an answer", HEAD, latency_table(rows), words=3)
    else:
        print_line(f"{folder}: no answer tells its seconds or tokens, or the run is of an older version: rescore it")


def _refuse_with_suite(name: str, **options: object) -> None:
    from earmark.errors import UsageError

    flags = {"everything": "all"}
    if given := next((option for option, value in options.items() if value), ""):
        raise UsageError(f"{name} has no --{flags.get(given, given)}, which is of single runs: earmark show RUN")


def _show_suite(name: str, folders: tuple[Path, ...], form: str | None) -> None:
    from earmark.cli._suite import show_suite
    from earmark.errors import UsageError
    from earmark.report.suites import suite_data_table
    from earmark.runs.suites import find_suites, write_suite

    if len(folders) > 1:
        raise UsageError(f"{SUITE}{name}: takes one folder of results; found {len(folders)}")
    results = folders[0] if folders else Path("results")
    stem = Path(name).stem if name.endswith((".yaml", ".yml")) else name  # of a suite that was given by its path
    tables = (write_suite(results, record) for record in find_suites(results, stem))
    if form == "json":
        print_json(list(tables))
    elif form:
        print_tables([suite_data_table(table) for table in tables], form)
    for index, table in enumerate(tables if not form else ()):
        print_line(*[""] * bool(index))
        show_suite(table)


def _show_run(run: Path, *, everything: bool, by: str, width: float | None) -> None:
    from earmark.cli._tables import UNFINISHED, show_metrics
    from earmark.report.headline import headline_sentence

    signature = load_signature(run)
    if _is_audiogram(run):
        from earmark.audiogram.results import load_audiogram
        from earmark.cli.audiogram import show

        show(load_audiogram(run))
        return
    metrics = _read_metrics(run, by)
    title = f"{signature.benchmark['name']} by {signature.model['name']}"
    print_line(*[headline_sentence(metrics, signature.benchmark["name"], signature.model["name"])] * (not by))
    show_metrics(title, metrics, everything=everything, by=by, width=width)
    print_line(*metrics.warnings)
    print_line(*(f"failed {count}: {message}" for message, count in _failures(run)))
    if not metrics.finished:
        print_line(UNFINISHED)


def _is_audiogram(run: Path) -> bool:
    from earmark.runs import rundir

    return bool(load_signature(run).benchmark["name"] == rundir.AUDIOGRAM_NAME)


def _read_metrics(run: Path, by: str) -> Metrics:
    """The numbers of a run; with `by` also rows of a tag that the benchmark does not declare."""
    from msgspec.structs import replace

    from earmark.report.files import read_metrics
    from earmark.runs.slices import slice_rows

    metrics = read_metrics(run)
    if not by or any(row.slice.startswith(f"{by}=") for row in metrics.rows):
        return metrics
    return replace(metrics, rows=[*metrics.rows, *slice_rows(run, by)])


def _run_rows(run: Path, by: str) -> RunRows:
    from earmark.report.run_table import RunRows

    signature = load_signature(run)
    rows = _read_metrics(run, by).rows
    shown = [row for row in rows if (row.slice.startswith(f"{by}=") if by else not row.is_slice)]
    return RunRows(signature.model["name"], signature.benchmark["name"], shown)


def _refuse_audiograms(runs: Sequence[Path], option: str) -> None:
    from earmark.errors import UsageError

    if wrong := next((run for run in runs if _is_audiogram(run)), None):
        raise UsageError(
            f"{option}: {wrong} is an audiogram, whose numbers are in audiogram.csv and audiogram.json there"
        )


def _print_form(runs: Sequence[Path], form: str, *, everything: bool, by: str) -> None:
    from earmark.report.run_table import run_table

    _refuse_audiograms(runs, f"--{form}")
    if form == "json":
        signatures = [load_signature(run) for run in runs]
        print_json(
            [
                {"run": str(run), "signature": signature, "metrics": _read_metrics(run, by)}
                for run, signature in zip(runs, signatures, strict=True)
            ]
        )
    else:
        print_tables([run_table([_run_rows(run, by) for run in runs], everything=everything)], form)


def _write_plot(path: Path, runs: Sequence[Path], by: str) -> None:
    """Write an audiogram, the scores of one run in noise, or the scores of all runs with their intervals."""
    from earmark.report.figures import write_plot
    from earmark.report.interval_plot import plot_intervals
    from earmark.report.noise_curve import parse_noise, plot_noise_curve

    if len(runs) == 1 and _is_audiogram(runs[0]):
        from earmark.audiogram.plots import plot_audiogram
        from earmark.audiogram.results import load_audiogram

        write_plot(path, plot_audiogram(load_audiogram(runs[0])))
        return
    _refuse_audiograms(runs, "--plot")
    rows = [_run_rows(run, by) for run in runs]
    if len(runs) == 1 and not by and any(parse_noise(row.condition) for row in rows[0].rows):
        write_plot(path, plot_noise_curve(f"{rows[0].benchmark} by {rows[0].model}", rows[0].rows))
    else:
        write_plot(path, plot_intervals(rows))


def _failures(run: Path) -> list[tuple[str, int]]:
    from collections import Counter

    from earmark.journal import JOURNAL_FILE
    from earmark.runs.scoring import latest_records

    return Counter(
        record.failure.message for record in latest_records(run / JOURNAL_FILE) if record.failure
    ).most_common(5)
