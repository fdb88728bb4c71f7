"""Show published results, or recompute them from saved replies and parts."""

from __future__ import annotations

from pathlib import Path

import click

from earmark.cli._params import Name
from earmark.terminal.console import print_line


@click.command()
@click.argument("name", type=Name("benchmarks"), required=False)
@click.option("--check", "folder", type=click.Path(path_type=Path), help="A folder of saved replies and tables.")
def command(name: str | None, folder: Path | None) -> None:
    """Show what was published of benchmark NAME, or check printed figures.

    \b
    earmark published listen             who reported what, and where
    earmark published --check FOLDER     recompute printed figures from saved
                                         replies, ratings and parts
    """
    from earmark.errors import UsageError

    if (name is None) == (folder is None):
        raise UsageError("give the NAME of a benchmark, or --check FOLDER")
    if folder is not None:
        _check(folder)
    elif name is not None:
        _show(name)


def _show(name: str) -> None:
    from earmark.cli._tables import show_table
    from earmark.config.folders import yaml_names
    from earmark.errors import UsageError, alternatives
    from earmark.report.published import load_published

    tables = yaml_names("published")
    if name not in tables:
        raise UsageError(f"no published results for '{name}'{alternatives(name, tables)}")
    for index, table in enumerate(load_published(tables[name]).every):
        tasks = list(dict.fromkeys(task for found in table.models.values() for task in found))
        rows = [
            (model, *(str(found[task][0]) if task in found else "-" for task in tasks))
            for model, found in table.models.items()
        ]
        unit = "in percent" if table.unit == "%" else "in points"
        print_line(*[""] * bool(index))
        show_table(f"{name}: {table.metric} {unit}, as published", ("model", *tasks), rows)
        print_line(f"source: {table.source}")
        print_line(f"date: {table.date or 'not stated'}; state of the data: {table.data or 'not stated'}", *table.notes)


def _check(folder: Path) -> None:
    from earmark.cli._published_checks import run_checks
    from earmark.errors import BadData

    wrong = 0
    for check in run_checks(folder):
        equal = check.figures - len(check.differ)
        state = "equal" if not check.differ else "differs in the source" if check.is_equal else "DIFFERS"
        print_line(f"{equal:,}/{check.figures:,}  {state}  {check.name}")
        print_line(*(f"    {line}" for line in check.differ[:10]))
        wrong += not check.is_equal
    if wrong:
        raise BadData(f"{folder}: {wrong} checks do not reproduce the published numbers")
