"""Rank the models of all runs under a folder, a table for each benchmark."""

from __future__ import annotations

from pathlib import Path

import click

from earmark.terminal.console import print_json, print_line


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default="results")
@click.option("--benchmark", default="", help="Only this benchmark.")
@click.option("--condition", default="plain", show_default=True)
@click.option("--by", default="", help="Rank by this task or average.")
@click.option("--metric", default="", help="Rank by this metric, for tasks with several scorers.")
@click.option("--json", "as_json", is_flag=True, help="One JSON list instead of tables.")
def command(folder: Path, benchmark: str, condition: str, by: str, metric: str, *, as_json: bool) -> None:
    """Rank the models of all runs under FOLDER, by default results.

    Runs on the same questions share a table; of each model the newest run counts. `p vs first` is the paired test
    against the first model, with Holm's correction for all pairs of models.
    """
    from earmark.cli._tables import show_table
    from earmark.errors import BadData, UsageError
    from earmark.report.leaderboard import footnotes, leaderboard_table
    from earmark.runs.leaderboard import build_leaderboards

    if not folder.is_dir():
        raise BadData(f"{folder}: no such folder; runs are in results, or in the folder that results=FOLDER named")
    leaderboards = build_leaderboards(folder, benchmark=benchmark, condition=condition, by=by, metric=metric)
    if not leaderboards:
        wanted = " ".join(filter(None, (benchmark, condition, by, metric)))
        raise UsageError(f"{folder}: no run has scores of {wanted}; `earmark list runs results={folder}` lists them")
    if as_json:
        print_json(leaderboards)
        return
    for board in leaderboards:
        head, lines = leaderboard_table(board)
        under = "" if board.condition == "plain" else f" under {board.condition}"
        show_table(f"{board.benchmark}: {board.metric} of {board.by}{under}", head, lines, words=2)
        print_line(*footnotes(board))
        settings = ", ".join(f"{name}={value}" for name, value in board.settings.items() if value not in ("", [], None))
        print_line(f"settings: {settings or 'none'}", "")
