"""Verify the data of a benchmark against its manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from earmark.terminal.console import log_to_stderr, print_line

if TYPE_CHECKING:
    from types import ModuleType


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("name")
@click.option("--write", is_flag=True, help="Write the manifest of a folder instead.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def command(name: str, write: bool, words: tuple[str, ...]) -> None:
    """Verify the questions and clips of benchmark NAME by their digests.

    \b
    earmark verify acousticbench data=ARCHIVE.zip
    earmark verify acousticbench data=FOLDER --write
    """
    from earmark.cli._args import use_only
    from earmark.config import compose_config, parse_settings
    from earmark.errors import BadData
    from earmark.plugins import find_plugin

    use_only("verify", words, own=name)
    module = find_plugin("benchmarks", name)
    settings = parse_settings(module.Settings, compose_config(words).benchmark, "")
    if write:
        print_line(f"The manifest has {_of(module, name, 'write')(settings)} questions.")
        return
    check = _of(module, name, "verify")(settings, log_to_stderr)
    print_line(*check.errors)
    if check.errors:
        raise BadData(
            f"{name}: {len(check.errors)} of {check.total} questions did not pass checksum verification; copy the data "
            "again"
        )
    print_line(f"All {check.total} questions passed checksum verification.")


def _of(module: ModuleType, name: str, verb: str) -> Any:
    """Return a function of a benchmark's module by name. Raises UsageError if there is none."""
    from earmark.errors import UsageError
    from earmark.plugins import plugin_names

    if not hasattr(module, verb):
        able = [other for other in plugin_names("benchmarks") if _defines(other, verb)]
        raise UsageError(f"{name} has no manifest to {verb}; there is one for: {', '.join(able)}")
    return getattr(module, verb)


def _defines(name: str, verb: str) -> bool:
    from earmark.plugins import find_plugin

    return hasattr(find_plugin("benchmarks", name), verb)
