"""Hints on what to type where an argument is wrong."""

from __future__ import annotations

from collections.abc import Sequence

import click


def setting_hint(error: click.NoSuchOption, arguments: Sequence[str]) -> str:
    """Say how a setting is typed that was given with dashes, as `--limit 10`; empty where the command has none."""
    if not error.ctx or not any(argument.name in ("words", "names") for argument in error.ctx.command.params):
        return ""
    index = next((i for i, word in enumerate(arguments) if word.startswith(error.option_name)), None)
    given, _, value = ("", "", "") if index is None else arguments[index].partition("=")
    following = "" if index is None else "".join(arguments[index + 1 : index + 2])
    if not value and following and "=" not in following and not following.startswith("-"):
        value = following
    options = f" (options: {', '.join(error.possibilities)})" if error.possibilities else ""
    key = (given or error.option_name).lstrip("-").replace("-", "_")
    return (
        f"no option {given or error.option_name}{options}; settings are words without dashes: "
        f"{key}={value or 'VALUE'}; see: {error.ctx.command_path} --help"
    )
