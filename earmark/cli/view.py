"""Look at runs in the browser: what was asked and said, with its sound."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from earmark.cli._params import RunPath
from earmark.terminal.console import print_line


@click.command()
@click.argument("folder", type=RunPath(folders=True), default="results")
@click.option("--port", type=click.IntRange(0, 65535), default=None, help="Port; by default 7272, or a free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to serve on; others than this machine's "
              "own need a token, which is made if none is given.")  # fmt: skip
@click.option("--token", default="", help="Token that the address of the pages must have.")
@click.option("--media", multiple=True, metavar="OLD=NEW", help="Folder of clips that moved, or a folder to look in; "
              "may be given several times.")  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Print the address and open no browser.")
@click.option("--no-code", is_flag=True, help="Import no code that a run names, such as a benchmark of one's own.")
def command(folder: Path, media: tuple[str, ...], *, no_browser: bool, no_code: bool, **address: Any) -> None:
    """Serve pages over the runs under FOLDER, by default results, or over one run.

    \b
    earmark view                         every run under results
    earmark view results/MODEL           those of one model
    earmark view --no-browser --port 80  print the address only

    Nothing is asked of any model, and nothing is fetched from the network. Ctrl-C ends it.
    """
    import asyncio

    from earmark.audiogram.viewing import describe_audiogram, open_trials
    from earmark.errors import BadData
    from earmark.viewer.foreign_code import CodePolicy
    from earmark.viewer.pages import Pages
    from earmark.viewer.results import Audiograms, Results
    from earmark.viewer.serve import Address, serve

    if not folder.is_dir():
        raise BadData(f"{folder}: no such folder; runs are in results, or in the folder that results=FOLDER named")
    policy = CodePolicy(print_line, allowed=not no_code)
    pages = Pages(Results(folder), policy, Audiograms(describe_audiogram, open_trials), media)

    def show(address: str) -> None:
        print_line(f"{address}  (Ctrl-C ends it)")
        if not no_browser:
            import webbrowser

            webbrowser.open(address)

    asyncio.run(serve(pages, Address(**address), show))
