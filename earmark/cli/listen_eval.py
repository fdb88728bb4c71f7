"""Run LISTEN by its official rules on a model in vLLM; also installed as the program listen-eval."""

from __future__ import annotations

import sys

import click

from earmark.cli._console import print_line
from earmark.errors import FINISHED_WITH_FAILURES


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("words", nargs=-1)
@click.option("--list", "listed", is_flag=True, help="List the experiments and the models, without running any.")
@click.option("--no-resume", is_flag=True, help="Start a new run, even if an unfinished one could be resumed.")
def command(words: tuple[str, ...], *, listed: bool, no_resume: bool) -> None:
    """LISTEN by its official rules: listen-eval [model=NAME] ['experiments=[1_audio,2B]'] [key=value]...

    \b
    listen-eval                              all ten experiments, Gemma 4 E2B
    listen-eval model=gemma4_e4b 'experiments=[1_audio,2B,3B,4]'
    listen-eval data=FOLDER limit=20         a folder of parquet files, the first 20 of each

    Defaults are in conf/listen_eval.yaml, conf/eval/listen.yaml and conf/runtime/vllm_local.yaml; a folder `conf` in
    the working directory overrides them. Runs are written to results/MODEL/DATE: summary.csv, summary_CORPUS.csv,
    samples/CORPUS.csv.
    """
    from earmark.cli.run import evaluate_all
    from earmark.config import compose_config
    from earmark.engine.load import load_run_benchmark
    from earmark.engine.suites import BenchmarkRun

    if listed:
        return _list()
    config = compose_config([*words, *(["resume=false"] if no_resume else [])], "listen_eval")
    if evaluate_all([BenchmarkRun(*load_run_benchmark("listen", (), config))]):
        sys.exit(FINISHED_WITH_FAILURES)
    return None


def _list() -> None:
    from earmark.benchmarks.listen import HEADERS, TASKS
    from earmark.cli._tables import show_table
    from earmark.config import yaml_names

    rows = [(task, f"experiment_type {kind}", modality, HEADERS[modality]) for task, (kind, modality) in TASKS.items()]
    show_table("experiments", ("experiment", "rows", "modality", "asked"), rows, words=4)
    print_line(f"models: {', '.join(yaml_names('model'))}")


def main() -> None:
    """Run the program listen-eval."""
    from earmark.cli import run_and_exit

    run_and_exit(command)
