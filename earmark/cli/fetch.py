"""Bring the data of a benchmark onto this machine."""

from __future__ import annotations

import click


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("name")
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def command(name: str, words: tuple[str, ...]) -> None:
    """Fetch the data of benchmark NAME; files that have come are kept when a fetch is interrupted."""
    from earmark.cli._args import use_only
    from earmark.config import compose_config, parse_settings
    from earmark.plugins import find_plugin

    use_only("fetch", words, own=name)
    module = find_plugin("benchmarks", name)
    settings = parse_settings(module.Settings, compose_config(words).benchmark, "")
    if hasattr(module, "download"):
        fetched = module.download(settings, click.echo)
        click.echo(f"{fetched.repository} at {fetched.commit} lies in {fetched.folder}")
        for file, digest in fetched.files.items():
            click.echo(f"  {digest}  {file}")
        return
    benchmark = module.load(settings)
    if benchmark.fetch:
        benchmark.fetch(click.echo)
    elsewhere = f"{name}: nothing can be fetched; what data it needs, if any, is told by: earmark info {name}"
    click.echo(f"{name}: everything is here" if benchmark.fetch else elsewhere)
