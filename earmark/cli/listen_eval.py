"""Run LISTEN by its official rules on a model in vLLM; also installed as the program listen-eval."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from earmark.cli._options import hydra_options
from earmark.cli._params import Word
from earmark.errors import FINISHED_WITH_FAILURES
from earmark.terminal.console import print_line

if TYPE_CHECKING:
    from earmark.engine.load import BenchmarkRun


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("words", nargs=-1, type=Word(), metavar="SETTING...")
@click.option("--list", "listed", is_flag=True, help="List the experiments and the models, without running any.")
@click.option("--no-resume", is_flag=True, help="Start a new run, even if an unfinished one could be resumed.")
@hydra_options
def command(
    words: tuple[str, ...], *, listed: bool, no_resume: bool, sweep: bool, cfg: str | None, config_dir: Path | None
) -> None:
    """LISTEN by its official rules: listen-eval [model=NAME] ['experiments=[1_audio,2B]'] [key=value]...

    \b
    listen-eval                          all ten experiments, Gemma 4 E2B
    listen-eval model=gemma4_e4b 'experiments=[1_audio,2B,3B,4]'
    listen-eval data=FOLDER limit=20     a folder of parquet files, 20 of each
    listen-eval -m model=gemma4_e2b,gemma4_e4b 'experiments=[1_audio],[2B]'

    Data that is not there is downloaded. Defaults are in conf/listen_eval.yaml, conf/eval/listen.yaml and
    conf/runtime/vllm_local.yaml; a folder `conf` or `configs` in the working directory overrides them, its config.yaml
    too. Runs are written to results/MODEL/DATE: summary.csv, summary_CORPUS.csv, samples/CORPUS.csv.
    """
    from earmark.cli._sweep import make_jobs, print_settings, run_jobs, use_settings_folder
    from earmark.cli.run import count_failed, run_all

    use_settings_folder(config_dir, primary=True)
    if listed:
        return _list()
    words = (*words, *(["resume=false"] if no_resume else []))
    if cfg:
        return print_settings(_parse(words))
    failed = run_jobs(make_jobs(words, _parse), run_all) if sweep else count_failed(run_all(_parse(words)))
    if failed:
        sys.exit(FINISHED_WITH_FAILURES)
    return None


def _parse(words: Sequence[str]) -> list[BenchmarkRun]:
    """The run that words stand for."""
    from earmark.config.compose import compose_config
    from earmark.engine.load import BenchmarkRun, load_run_benchmark

    return [BenchmarkRun(*load_run_benchmark("listen", (), compose_config(words, "listen_eval")))]


def _list() -> None:
    from earmark.benchmarks.listen import HEADERS, TASKS
    from earmark.cli._tables import show_table
    from earmark.config.folders import yaml_names

    rows = [(task, f"experiment_type {kind}", modality, HEADERS[modality]) for task, (kind, modality) in TASKS.items()]
    show_table("experiments", ("experiment", "rows", "modality", "asked"), rows, words=4)
    print_line(f"models: {', '.join(yaml_names('model'))}")


def main() -> None:
    """Run the program listen-eval."""
    from earmark.cli import exit_status, flush_and_exit

    with exit_status():
        flush_and_exit(command.main(standalone_mode=False))
