"""Tell everything about a benchmark, model, condition, scorer or suite."""

from __future__ import annotations

from typing import Any

import click


@click.command()
@click.argument("name")
def command(name: str) -> None:
    """Tell everything about NAME: its card and its settings."""
    from earmark.config import CommonSettings, yaml_names
    from earmark.errors import UsageError
    from earmark.plugins import find_plugin, import_user_module, plugin_names, table_names

    is_table = name.endswith((".yaml", ".yml")) or name.replace("-", "_") in table_names("benchmarks")
    is_known = "." in name and not is_table
    if is_known:  # somebody's own, of any kind
        module = import_user_module(name)
        click.echo(f"{name}\n\n{(module.__doc__ or '').strip()}\n")
        _settings("settings", getattr(module, "Settings", None), "")
    for kind in ("benchmarks", "models", "conditions", "scorers"):
        if name.replace("-", "_") in plugin_names(kind):
            module = find_plugin(kind, name)
            click.echo(f"{kind.removesuffix('s')} {name}\n\n{(module.__doc__ or '').strip()}\n")
            _settings("settings", getattr(module, "Settings", None), "model." if kind == "models" else "")
            if kind == "models":
                _settings("settings of any model", CommonSettings, "model.")
            is_known = True
    if is_table:
        _table(name)
        is_known = True
    for group in ("model", "suite"):
        if name in yaml_names(group):
            path = yaml_names(group)[name]
            click.echo(f"{group} {name}: {path}\n\n{path.read_text(encoding='utf-8', errors='replace')}")
            is_known = True
    if not is_known:
        raise UsageError(f"nothing is called '{name}'; earmark list shows what there is")


def _table(name: str) -> None:
    """Print the card of a benchmark that is a table, and the facts of its tasks."""
    from earmark.plugins import find_plugin

    module = find_plugin("benchmarks", name)
    click.echo(f"benchmark {name}\n\n{(module.__doc__ or '').strip()}\n")
    table = module.TABLE
    for questions in table.sets.values():
        for layout_name, layout in questions.layouts.items():
            where = f"{layout.repository}, pinned to {layout.revision or 'nothing'}" if layout.repository else ""
            click.echo(f"layout {layout_name}: {where or ', '.join(layout.files)}")
    click.echo(f"prompts: {', '.join(table.prompts)}; scored by: {', '.join(table.scorers)}")
    benchmark = module.load(module.Settings())
    for task, facts in benchmark.task_facts.items():
        rows = f"{facts.rows:,} rows, " if facts.rows is not None else ""
        ears = f"{facts.needs_ears} ({facts.reason})" if facts.reason else facts.needs_ears
        click.echo(f"  {task}: {rows}needs ears: {ears}; {facts.license or 'licence not told'}")
    _settings("settings", module.Settings, "")


def _settings(title: str, settings: Any, prefix: str) -> None:
    import msgspec

    if settings is None:
        return
    click.echo(f"{title}, with what they are when not given:")
    for field in msgspec.structs.fields(settings):
        usual = field.default if field.default is not msgspec.NODEFAULT else field.default_factory
        usual = usual() if callable(usual) else usual
        text = (
            "must be given"
            if usual is msgspec.NODEFAULT
            else "as the benchmark or the service prescribes"
            if usual is msgspec.UNSET
            else repr(usual)
        )
        click.echo(f"  {prefix}{field.name} = {text}")
    click.echo()
