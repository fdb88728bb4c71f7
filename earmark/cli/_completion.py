"""Completion of arguments in the shell: runs, names and values of settings."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from earmark.cli._params import VALUES, CompletedType, Name, RunPath, Word


def complete(kind: CompletedType, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """Complete a value of one of the types of arguments."""
    if isinstance(kind, RunPath):
        return _complete_run(incomplete)
    if isinstance(kind, Word):
        return _complete_word(kind, ctx, incomplete)
    return _complete_name(kind, incomplete) if isinstance(kind, Name) else []


def _complete_run(incomplete: str) -> list[CompletionItem]:
    from earmark.runs.run_list import NEWEST
    from earmark.runs.rundir import find_runs

    runs = [str(run) for run in reversed(find_runs("results"))] if Path("results").is_dir() else []
    return _items([NEWEST, *runs], incomplete) or [CompletionItem(incomplete, type="dir")]


def _complete_name(kind: Name, incomplete: str) -> list[CompletionItem]:
    return _items((name for each in kind.kinds for name in names_of(each)), incomplete)


def _complete_word(kind: Word, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    before = [word for words in ctx.params.values() if isinstance(words, tuple) for word in words]
    if before and (before[-1] == "=" or before[-1] in VALUES):  # bash splits words at =, and click drops the last one
        return _items(_values(next((word for word in reversed(before) if word != "="), "")), incomplete)
    key, equals, value = incomplete.partition("=")
    if equals:
        return [CompletionItem(f"{key}={item.value}") for item in _items(_values(key), value)]
    models = (f"model={name}" for name in _values("model") if incomplete)
    return _complete_name(kind, incomplete) + _items(models, incomplete)


def _items(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in dict.fromkeys(names) if name.startswith(incomplete)]


def _values(key: str) -> list[str]:
    return names_of(VALUES[key]) if key in VALUES else []


def names_of(kind: str) -> list[str]:
    """The names of a kind, as `earmark list` prints them."""
    from earmark.cli.list import list_entries

    return [name for name, _ in list_entries(kind)]
