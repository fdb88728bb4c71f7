"""Score replies from a file, with no model in sight."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--scorer", required=True, help="One of: earmark list scorers.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
@click.option("--items", type=click.Path(dir_okay=False, path_type=Path), help="Write one JSON line an item here.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def command(file: Path, scorer: str, as_json: bool, items: Path | None, words: tuple[str, ...]) -> None:
    """Score FILE, JSON lines with id, reply, target, choices or bare labels, group, and answer where a reader already ran.

    \b
    earmark score replies.jsonl --scorer choice
    earmark score replies.jsonl --scorer listen policy=official --json
    earmark score replies.jsonl --scorer judge judge=openai/gpt-4o-mini prompt=sakura       lines with a question, too
    """
    import asyncio

    import msgspec

    from earmark.cli._args import use_only
    from earmark.cli._tables import show_rows
    from earmark.config import parse_settings, scorer_overrides
    from earmark.engine.load import check_plugin_name
    from earmark.plugins import find_plugin
    from earmark.runs.score_file import score_file

    use_only("score", words, own=f"the scorer {scorer}")
    module = find_plugin("scorers", scorer)
    settings = parse_settings(module.Settings, scorer_overrides(words), "")
    if items:
        _check(items, file)
    notices: list[str] = []
    row, lines = asyncio.run(score_file(file, check_plugin_name(scorer, module.load(settings)), notices.append))
    if items:
        items.write_bytes(b"".join(lines))
    if as_json:
        report = {
            "metrics": {name: estimate.value for name, estimate in row.metrics.items()},
            "estimates": row.metrics,
            "n": row.n,
            "states": row.states,
            "chance": row.guess_rate,
            "signature": row.signature,
            "notices": notices,
        }
        click.echo(msgspec.json.encode(report))
    else:
        show_rows(row.signature, [row], everything=True)
        click.echo("\n".join(notices), nl=bool(notices))


def _check(items: Path, file: Path) -> None:
    """Raise UsageError where what is told of each item cannot be written, or would write over the replies."""
    from earmark.errors import UsageError

    if not items.parent.is_dir():
        raise UsageError(f"{items.parent}: is no folder; make it, or write --items FILE elsewhere")
    if items.exists() and items.samefile(file):
        raise UsageError(f"--items {items} would write over the replies that it scores; give another file")
