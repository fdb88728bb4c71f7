"""Verify the data of a benchmark against its manifest."""

from __future__ import annotations

import click

from earmark.cli._params import Name, Word
from earmark.terminal.console import log_to_stderr, print_line


@click.command()
@click.argument("name", type=Name("benchmarks"))
@click.option("--write", is_flag=True, help="Write the manifest of a folder instead.")
@click.argument("words", nargs=-1, type=Word(), metavar="SETTING...")
def command(name: str, write: bool, words: tuple[str, ...]) -> None:
    """Verify the questions and clips of benchmark NAME by their digests.

    \b
    earmark verify acousticbench data=ARCHIVE.zip
    earmark verify acousticbench data=FOLDER --write
    """
    from earmark.cli._args import use_only
    from earmark.config.compose import compose_config
    from earmark.config.parse import parse_settings
    from earmark.errors import BadData, UsageError
    from earmark.plugins import find_plugin, plugin_names
    from earmark.plugins.abilities import VerifiesData

    use_only("verify", words, own=name)
    plugin = find_plugin("benchmarks", name)
    settings = parse_settings(plugin.settings, compose_config(words).benchmark, "")
    if not isinstance(plugin.module, VerifiesData):
        able = [other for other in plugin_names("benchmarks") if _has_manifest(other)]
        verb = "write" if write else "verify"
        raise UsageError(f"{name} has no manifest to {verb}; there is one for: {', '.join(able)}")
    if write:
        print_line(f"The manifest has {plugin.module.write(settings)} questions.")
        return
    check = plugin.module.verify(settings, log_to_stderr)
    print_line(*check.errors)
    if check.errors:
        raise BadData(
            f"{name}: {len(check.errors)} of {check.total} questions did not pass checksum verification; copy the data "
            "again"
        )
    print_line(f"All {check.total} questions passed checksum verification.")


def _has_manifest(name: str) -> bool:
    from earmark.plugins import find_plugin
    from earmark.plugins.abilities import VerifiesData

    return isinstance(find_plugin("benchmarks", name).module, VerifiesData)
