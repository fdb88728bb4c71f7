"""Write the table of a file of questions, with what was guessed of it."""

from __future__ import annotations

from pathlib import Path

import click

from earmark.cli._params import Word
from earmark.terminal.console import print_line


@click.command()
@click.argument("name")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="The table; by default beside the file.")
@click.argument("words", nargs=-1, type=Word(), metavar="SETTING...")
def command(name: str, out: Path | None, words: tuple[str, ...]) -> None:
    """Write the table of NAME, a file of questions (.jsonl, .json, .csv, .tsv, .parquet) or hub:OWNER/NAME.

    \b
    earmark init my.jsonl
    earmark init my.csv question=text answer=gold scorer=exact
    """
    from earmark.cli._args import use_only
    from earmark.config.compose import compose_config
    from earmark.config.parse import parse_settings
    from earmark.errors import UsageError
    from earmark.plugins import find_plugin
    from earmark.plugins.abilities import WritesTable

    use_only("init", words, own=name)
    plugin = find_plugin("benchmarks", name)
    if not isinstance(plugin.module, WritesTable):
        raise UsageError(f"{name}: expected a file of questions (.jsonl, .json, .csv, .tsv, .parquet) or hub:…")
    settings = parse_settings(plugin.settings, compose_config(words).benchmark, "")
    path, summary = plugin.module.write_table(settings, out)
    print_line(summary, f"wrote {path}; look at it, mend it, then: earmark run {path} model=…")
