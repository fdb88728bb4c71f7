"""Write runs as pages that open from disk or from any host, for others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from earmark.cli._params import RunPath
from earmark.terminal.console import print_line


@click.command()
@click.argument("folder", type=RunPath(folders=True))
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--items", type=click.Choice(["all", "wrong", "differ", "none"]), default="differ", show_default=True,
    help="Items to show: differ are those that one run or condition got right and another wrong.",
)  # fmt: skip
@click.option("--most", type=click.IntRange(min=1), default=2000, show_default=True, help="Items of a run, at most.")
@click.option(
    "--sound", type=click.Choice(["none", "sent"]), default="none", show_default=True, help="Sound to publish."
)
@click.option("--yes", is_flag=True, help="Publish sound whose licence the benchmark does not tell.")
@click.option("--media", multiple=True, metavar="OLD=NEW", help="Folder of clips that moved, or a folder to look in.")
@click.option("--no-code", is_flag=True, help="Import no code that a run names, such as a benchmark of one's own.")
def command(folder: Path, out: Path, sound: str, media: tuple[str, ...], *, no_code: bool, **options: Any) -> None:
    """Write the runs under FOLDER as a static site into OUT, a new folder.

    \b
    earmark site results site             items on which runs differ, no sound
    earmark site results site --items all --sound sent

    Open OUT/index.html, or put the folder on any host. The size is printed before anything is written.
    """
    from earmark.audiogram.viewing import describe_audiogram, open_trials
    from earmark.errors import BadData
    from earmark.viewer.foreign_code import CodePolicy
    from earmark.viewer.pages import Pages
    from earmark.viewer.results import Audiograms, Results
    from earmark.viewer.site import write_site
    from earmark.viewer.site_plan import SiteOptions, plan_site

    if not folder.is_dir():
        raise BadData(f"{folder}: no such folder; runs are in results, or in the folder that results=FOLDER named")
    policy = CodePolicy(print_line, allowed=not no_code)
    pages = Pages(Results(folder), policy, Audiograms(describe_audiogram, open_trials), media)
    plan = plan_site(pages, SiteOptions(sound=sound == "sent", **options))
    print_line(plan.describe(), *plan.licences())
    write_site(pages, plan, out, print_line)
    print_line(f"site: {out / 'index.html'}")
