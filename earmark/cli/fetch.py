"""Download the data of a benchmark."""

from __future__ import annotations

import click

from earmark.terminal.console import print_line


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("name")
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def command(name: str, words: tuple[str, ...]) -> None:
    """Download the data of benchmark NAME; an interrupted download resumes."""
    from earmark.cli._args import use_only
    from earmark.config import compose_config, parse_settings
    from earmark.engine.load import load_benchmark
    from earmark.plugins import find_plugin
    from earmark.plugins.abilities import DownloadsData

    use_only("fetch", words, own=name)
    plugin, given = find_plugin("benchmarks", name), compose_config(words).benchmark
    if isinstance(plugin.module, DownloadsData):
        fetched = plugin.module.download(parse_settings(plugin.settings, given, ""), print_line)
        print_line(f"{fetched.repository} at {fetched.commit} is in {fetched.folder}")
        print_line(*(f"  {digest}  {file}" for file, digest in fetched.files.items()))
        return
    benchmark = load_benchmark(name, (), given)
    if benchmark.fetch:
        benchmark.fetch(print_line)
        print_line(f"{name}: all data is present")
    else:
        print_line(f"{name}: nothing to download; earmark info {name} shows the data that it needs")
