"""Rank the models of all runs under a folder, a table for each benchmark."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default="results")
@click.option("--benchmark", default="", help="This benchmark alone.")
@click.option("--condition", default="plain", show_default=True)
@click.option("--by", default="", help="Rank by this task or average.")
@click.option("--metric", default="", help="Of tasks that are scored several ways, rank by this metric.")
@click.option("--json", "as_json", is_flag=True, help="One JSON list instead of tables.")
def command(folder: Path, benchmark: str, condition: str, by: str, metric: str, *, as_json: bool) -> None:
    """Rank the models of all runs under FOLDER, by default results.

    Runs stand in one table if they were asked the same questions; of a model's runs the newest counts. `p to first` is
    how easily chance alone would set a model as far from the first, question by question, adjusted for all pairs
    (Holm).
    """
    from earmark.cli._tables import show_table
    from earmark.errors import BadData, UsageError
    from earmark.report.leaderboard import footnotes, table
    from earmark.runs.leaderboard import build_leaderboards

    if not folder.is_dir():
        raise BadData(f"{folder}: no such folder; runs lie in results, or where results=FOLDER said")
    leaderboards = build_leaderboards(folder, benchmark=benchmark, condition=condition, by=by, metric=metric)
    if not leaderboards:
        wanted = " ".join(filter(None, (benchmark, condition, by, metric)))
        raise UsageError(
            f"{folder}: no run there has numbers of {wanted}; `earmark list runs results={folder}` lists them"
        )
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode(leaderboards))
        return
    for board in leaderboards:
        head, lines = table(board)
        under = "" if board.condition == "plain" else f" under {board.condition}"
        show_table(f"{board.benchmark}: {board.metric} of {board.by}{under}", head, lines, words=2)
        for note in footnotes(board):
            click.echo(note)
        settings = ", ".join(f"{name}={value}" for name, value in board.settings.items() if value not in ("", [], None))
        click.echo(f"settings: {settings or 'none'}\n")
