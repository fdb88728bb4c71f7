"""Score model outputs from a file."""

from __future__ import annotations

from pathlib import Path

import click

from earmark.cli._params import Word
from earmark.terminal.console import print_json, print_line


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--scorer", required=True, help="Name of a scorer, see earmark list scorers.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
@click.option(
    "--items", type=click.Path(dir_okay=False, path_type=Path), help="Write a JSON line per item to this file."
)
@click.argument("words", nargs=-1, type=Word(), metavar="SETTING...")
def command(file: Path, scorer: str, as_json: bool, items: Path | None, words: tuple[str, ...]) -> None:
    """Score FILE, JSON lines with id, reply, target, choices or labels, group, and answer if it is parsed already.

    \b
    earmark score replies.jsonl --scorer choice
    earmark score replies.jsonl --scorer listen policy=official --json
    earmark score replies.jsonl --scorer judge judge=openai/gpt-4o-mini
    """
    import asyncio

    from earmark.cli._args import use_only
    from earmark.cli._tables import show_rows
    from earmark.config.compose import scorer_overrides
    from earmark.engine.load import load_scorer
    from earmark.runs.score_file import score_file

    use_only("score", words, own=f"the scorer {scorer}")
    opened = load_scorer(scorer, scorer_overrides(words))
    if items:
        _check_output(items, file)
    warnings: list[str] = []
    row, lines = asyncio.run(score_file(file, opened, warnings.append))
    if items:
        items.write_bytes(b"".join(lines))
    if as_json:
        values = {name: estimate.value for name, estimate in row.metrics.items()}
        report = {"metrics": values, "estimates": row.metrics, "n": row.n, "states": row.states}
        print_json(report | {"chance": row.guess_rate, "signature": str(row.signature), "warnings": warnings})
    else:
        show_rows(str(row.signature), [row], everything=True)
        print_line(*warnings)


def _check_output(items: Path, file: Path) -> None:
    """Raise UsageError if the file of items cannot be written or is the file of replies."""
    from earmark.errors import UsageError

    if not items.parent.is_dir():
        raise UsageError(f"{items.parent}: no such folder; create it, or give another --items FILE")
    if items.exists() and items.samefile(file):
        raise UsageError(f"--items {items} would overwrite the replies; give another file")
