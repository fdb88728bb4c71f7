"""List benchmarks, models, conditions, scorers, suites or runs."""

from __future__ import annotations

import shutil
import sys
from textwrap import fill

import click

WIDE = 10_000  # columns where no terminal sets a limit: what is piped stands in one line each
KINDS = ("benchmarks", "models", "conditions", "scorers", "suites", "runs")


@click.command()
@click.argument("kind", required=False, type=click.Choice(KINDS))
@click.argument("words", nargs=-1)
def command(kind: str | None, words: tuple[str, ...]) -> None:
    """List what there is: earmark list benchmarks|models|conditions|scorers|suites|runs [results=DIR]."""
    if words:
        from earmark.overrides import use_only

        use_only(f"list {kind or ''}".strip(), words, ("results",) if kind == "runs" else ())
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDE
    for each in [kind] if kind else KINDS[:-1]:
        click.echo(f"{each}:" if not kind else "", nl=not kind)
        for name, said in _told(each, words):
            told = f"  {name:<20}  {said}".rstrip()
            click.echo(fill(told, width, subsequent_indent=" " * 24, break_long_words=False, break_on_hyphens=False))


def _told(kind: str, words: tuple[str, ...]) -> list[tuple[str, str]]:
    from earmark.config import compose, yaml_names
    from earmark.plugins import names, plain, summary

    if kind == "runs":
        return _runs(compose(words).run.results)
    if kind in ("models", "suites"):
        files = yaml_names(kind.removesuffix("s"))
        return [
            (name, path.read_text(encoding="utf-8", errors="replace").partition("\n")[0].removeprefix("# "))
            for name, path in sorted(files.items())
        ]
    untouched = [("plain", "The sound as it is.")] if kind == "conditions" else []
    return untouched + [(plain(kind, name), summary(kind, name)) for name in names(kind)]  # type: ignore[arg-type] # one of plugins.Kind


def _runs(results: str) -> list[tuple[str, str]]:
    from earmark import folder
    from earmark.journal import keys

    told = []
    for run in folder.runs(results):
        state = (
            "finished" if folder.finished(run) else f"unfinished, {sum(1 for _ in keys(run / folder.JOURNAL))} answers"
        )
        told.append((str(run), state))
    return told
