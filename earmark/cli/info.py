"""Show the page and the settings of a benchmark, model, condition, scorer or suite."""

from __future__ import annotations

from typing import Any, Final

import click

from earmark.cli._params import Name
from earmark.plugins import Kind
from earmark.terminal.console import print_line, print_text

KINDS: Final[tuple[Kind, ...]] = ("benchmarks", "models", "conditions", "scorers", "importers")


@click.command()
@click.argument("name", type=Name("benchmarks", "models", "conditions", "scorers", "suites"))
def command(name: str) -> None:
    """Show the page and the settings of NAME."""
    from earmark.config.folders import yaml_names
    from earmark.config.settings import CommonSettings
    from earmark.errors import UsageError
    from earmark.plugins import entry_points, find_plugin, plugin_names, table_names

    name = name.removeprefix("suite:")
    is_table = name.endswith((".yaml", ".yml")) or name.replace("-", "_") in table_names("benchmarks")
    is_known = ("." in name or name.startswith("hub:")) and not is_table
    if is_known:  # a user's module or file of any kind, or a set of their own
        plugin = find_plugin("benchmarks", name)
        print_text(f"{name}\n\n{plugin.doc}\n")
        _show_settings("settings", plugin.settings, "")
    for kind in KINDS:
        if name.replace("-", "_") in plugin_names(kind) or name in entry_points(kind):
            plugin = find_plugin(kind, name)
            print_text(f"{kind.removesuffix('s')} {name}\n\n{plugin.doc}\n")
            _show_settings("settings", plugin.settings, "model." if kind == "models" else "")
            if kind == "models":
                _show_settings("settings of any model", CommonSettings, "model.")
            is_known = True
    if is_table:
        _show_benchmark_table(name)
        is_known = True
    for group in ("model", "suite"):
        if name in yaml_names(group):
            path = yaml_names(group)[name]
            print_text(f"{group} {name}: {path}\n\n{path.read_text(encoding='utf-8', errors='replace')}")
            is_known = True
    if not is_known:
        raise UsageError(f"nothing is called '{name}'; earmark list shows all names")


def _show_benchmark_table(name: str) -> None:
    """Print the page of a benchmark that is a table, and the facts of its tasks."""
    from earmark.data.fetch import find_fetched
    from earmark.engine.load import load_benchmark
    from earmark.plugins import find_plugin

    plugin = find_plugin("benchmarks", name)
    print_text(f"benchmark {name}\n\n{plugin.doc}\n")
    table = plugin.module.TABLE
    for questions in table.sets.values():
        for layout_name, layout in questions.layouts.items():
            pinned = f"pinned to {layout.revision}" if layout.revision else "not pinned"
            if layout.repository and (fetched := find_fetched(layout.repository, layout.revision or "main")):
                pinned += f", fetched at {fetched.commit}"
            where = f"{layout.repository}, {pinned}" if layout.repository else ""
            print_line(f"layout {layout_name}: {where or ', '.join(layout.files)}")
    print_line(f"prompts: {', '.join(table.prompts)}; scored by: {', '.join(table.scorers)}")
    benchmark = load_benchmark(name, (), {})
    for task, facts in benchmark.task_facts.items():
        rows = f"{facts.rows:,} rows, " if facts.rows is not None else ""
        ears = f"{facts.needs_ears} ({facts.reason})" if facts.reason else facts.needs_ears
        licenses = facts.license or "license unknown"
        licenses += f"; sound: {facts.sound_license}" if facts.sound_license else ""
        print_line(f"  {task}: {rows}needs ears: {ears}; {licenses}")
    if table.official_file:
        reply, suffix = table.official_file.reply, table.official_file.format
        print_line(
            f"official file: {suffix}, replies under '{reply}': earmark export RUN --to official, earmark import"
        )
    _show_settings("settings", plugin.settings, "")


def _show_settings(title: str, settings: Any, prefix: str) -> None:
    import msgspec

    if not settings.__struct_fields__:
        return
    print_line(f"{title}, with their defaults:")
    for field in msgspec.structs.fields(settings):
        default = field.default if field.default is not msgspec.NODEFAULT else field.default_factory
        default = default() if callable(default) else default
        text = (
            "required"
            if default is msgspec.NODEFAULT
            else "set by the benchmark or the service"
            if default is msgspec.UNSET
            else repr(default)
        )
        print_line(f"  {prefix}{field.name} = {text}")
    print_line("")
