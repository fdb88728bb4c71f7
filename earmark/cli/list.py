"""List benchmarks, models, conditions, scorers, suites or runs."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from textwrap import TextWrapper

import click

from earmark.cli._params import Word
from earmark.terminal.console import print_json, print_line
from earmark.text.printable import printable

FILE_WIDTH = 10_000  # columns where no terminal sets a limit, so that a piped entry is one line
KINDS = ("benchmarks", "models", "conditions", "scorers", "suites", "runs")


@click.command()
@click.argument("kind", required=False, type=click.Choice(KINDS))
@click.argument("words", nargs=-1, type=Word(), metavar="[FOLDER]")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON instead of a list.")
def command(kind: str | None, words: tuple[str, ...], as_json: bool) -> None:
    """List plug-ins: benchmarks, models, conditions, scorers or suites; or the runs under FOLDER, by default results.

    \b
    earmark list models
    earmark list runs       the newest last: it is @, the one before it @2
    earmark list runs elsewhere
    """
    if kind == "runs":
        _list_runs(words, as_json=as_json)
        return
    if words:
        from earmark.cli._args import use_only

        use_only(f"list {kind or ''}".strip(), words)
    kinds = {each: list_entries(each) for each in ([kind] if kind else KINDS[:-1])}
    if as_json:
        print_json(
            {each: [dict(zip(("name", "summary"), entry, strict=True)) for entry in kinds[each]] for each in kinds}
        )
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else FILE_WIDTH
    wrapper = TextWrapper(width, subsequent_indent=" " * 24, break_long_words=False, break_on_hyphens=False)
    for title, entries in kinds.items():
        print_line(*() if kind else (f"{title}:",))
        for name, description in entries:
            print_line(*wrapper.wrap(f"  {printable(name):<20}  {printable(description)}".rstrip()))


def _list_runs(words: tuple[str, ...], *, as_json: bool) -> None:
    from earmark.cli._args import use_only
    from earmark.cli._tables import show_table
    from earmark.config.compose import compose_config
    from earmark.errors import UsageError
    from earmark.runs.run_list import HEAD, NEWEST, has_answers, list_runs, run_lines

    folders = [word for word in words if "=" not in word]
    settings = [word for word in words if "=" in word]
    use_only("list runs", settings, ("results",))
    if len(folders) + len(settings) > 1:
        raise UsageError(f"list runs takes one folder; found {' '.join(words)}")
    folder = folders[0] if folders else compose_config(settings).run.results
    runs = list_runs(folder)
    if as_json:
        print_json(runs)
    elif runs:
        known = [folder == "results" and has_answers(Path(run.run)) for run in runs]
        numbers = [sum(known[index:]) for index in range(len(runs))]
        names = [
            f"{NEWEST}{'' if number == 1 else number}" if is_known else ""
            for is_known, number in zip(known, numbers, strict=True)
        ]
        lines = [(name, *line) for name, line in zip(names, run_lines(runs), strict=True)]
        metrics = ", ".join({run.metric: "" for run in runs if run.metric})
        show_table(f"{folder}: {len(runs)} runs{f', {metrics}' if metrics else ''}", ("", *HEAD), lines, words=5)
    else:
        print_line(f"{folder}: no runs")


def list_entries(kind: str) -> list[tuple[str, str]]:
    """Name and first line of each plug-in or YAML file of a kind."""
    from earmark.config.folders import yaml_names
    from earmark.plugins import display_name, entry_points, find_plugin, plugin_names, summary, table_names

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
