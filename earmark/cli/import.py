"""Make runs of other people's results, to be rescored and compared."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--from", "form", default="", help="The form of the results; otherwise the one that recognises itself.")
@click.option("--model", default="", help="The model's name; otherwise as the results or their folder say.")
@click.argument("words", nargs=-1)
def command(path: Path, form: str, model: str, words: tuple[str, ...]) -> None:
    """Make runs of the results at PATH; results=DIR says where."""
    from earmark.cli._words import show_rows
    from earmark.config import compose
    from earmark.transfer import import_runs

    for run, metrics in import_runs(path, form.replace("-", "_"), compose(words).run.results, model):
        show_rows(f"{run.parent.name} by {run.parent.parent.name}", metrics.rows)
        click.echo(f"run: {run}\n")
