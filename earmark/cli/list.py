"""List benchmarks, models, conditions, scorers, suites or runs."""

from __future__ import annotations

import shutil
import sys
from textwrap import TextWrapper

import click

from earmark.journal import JOURNAL_FILE
from earmark.runs.signature import is_finished
from earmark.terminal.console import print_line
from earmark.text.printable import printable

FILE_WIDTH = 10_000  # columns where no terminal sets a limit, so that a piped entry is one line
KINDS = ("benchmarks", "models", "conditions", "scorers", "suites", "runs")


@click.command()
@click.argument("kind", required=False, type=click.Choice(KINDS))
@click.argument("words", nargs=-1)
def command(kind: str | None, words: tuple[str, ...]) -> None:
    """List plug-ins or runs: earmark list benchmarks|models|conditions|scorers|suites|runs [results=DIR]."""
    if words:
        from earmark.cli._args import use_only

        use_only(f"list {kind or ''}".strip(), words, ("results",) if kind == "runs" else ())
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else FILE_WIDTH
    wrapper = TextWrapper(width, subsequent_indent=" " * 24, break_long_words=False, break_on_hyphens=False)
    for listed_kind in [kind] if kind else KINDS[:-1]:
        print_line(*() if kind else (f"{listed_kind}:",))
        for name, description in _entries(listed_kind, words):
            print_line(*wrapper.wrap(f"  {printable(name):<20}  {printable(description)}".rstrip()))


def _entries(kind: str, words: tuple[str, ...]) -> list[tuple[str, str]]:
    from earmark.config.compose import compose_config
    from earmark.config.folders import yaml_names
    from earmark.plugins import display_name, entry_points, find_plugin, plugin_names, summary, table_names

    if kind == "runs":
        return _runs(compose_config(words).run.results)
    if kind in ("models", "suites"):
        files = yaml_names(kind.removesuffix("s"))
        own = {
            name: summary("models", name) for name in plugin_names("models") if kind == "models" and name not in files
        }
        texts = {name: path.read_text(encoding="utf-8", errors="replace") for name, path in files.items()}
        return sorted(
            (own | {name: text.partition("\n")[0].removeprefix("# ") for name, text in texts.items()}).items()
        )
    plain = [("plain", "The audio as it is.")] if kind == "conditions" else []
    tables = [
        (name, find_plugin("benchmarks", name).doc.partition("\n")[0])
        for name in (table_names("benchmarks") if kind == "benchmarks" else ())
    ]
    names = plugin_names(kind)  # type: ignore[arg-type] # one of plugins.Kind
    installed = [
        (name, find_plugin(kind, name).doc.partition("\n")[0])  # type: ignore[arg-type]
        for name in entry_points(kind)  # type: ignore[arg-type]
    ]
    packaged = [(display_name(kind, name), summary(kind, name)) for name in names]  # type: ignore[arg-type]
    return plain + tables + packaged + installed


def _runs(results: str) -> list[tuple[str, str]]:
    from earmark.journal import read_keys
    from earmark.runs import rundir

    entries = []
    for run in rundir.find_runs(results):
        state = (
            "finished" if is_finished(run) else f"unfinished, {sum(1 for _ in read_keys(run / JOURNAL_FILE))} answers"
        )
        entries.append((str(run), state))
    return entries
