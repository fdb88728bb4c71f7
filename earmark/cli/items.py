"""List the items of runs with filters, show one whole, or write the sound that was sent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from earmark.cli._params import RunPath
from earmark.terminal.console import log_to_stderr, print_json, print_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from earmark.runs.replay_sound import RunReplay
    from earmark.viewer.filters import Filters
    from earmark.viewer.item_list import ItemList


@click.command()
@click.argument("runs", nargs=-1, required=True, type=RunPath())
@click.option("--wrong", "mark", flag_value="wrong", default="", help="Only wrong answers.")
@click.option("--right", "mark", flag_value="right", default="", help="Only right answers.")
@click.option("--state", multiple=True, help="Only this state, such as unparsed, refused or request-failed.")
@click.option("--task", default="", help="Only this task.")
@click.option("--condition", default="", help="Only this condition.")
@click.option("--rule", default="", help="Only answers that this rule read.")
@click.option(
    "--tag", "tags", multiple=True, metavar="NAME=VALUE", help="Only items with this tag, such as level=easy."
)
@click.option("--search", default="", help="Only items with these words in the question, the answers or the reply.")
@click.option("--id", "item", default="", help="Show all about the item of this id.")
@click.option(
    "--only",
    type=click.Choice(["first", "second", "neither", "both"]),
    help="Of two runs or more: items that only the first, only the second, neither or both got right.",
)
@click.option("--sort", type=click.Choice(["seconds", "score"]), help="Slowest answers first, or worst scores first.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Number of items.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of lines.")
@click.option("--sound", type=click.Path(path_type=Path), metavar="FOLDER", help="Write what was sent, a file a clip.")
@click.option(
    "--media", multiple=True, metavar="OLD=NEW", help="Where clips lie now: a changed beginning, or a folder."
)
@click.option("--no-code", is_flag=True, help="Import no code that a run names, such as a benchmark of one's own.")
def command(
    runs: tuple[Path, ...], *, only: str | None, sort: str | None, limit: int, as_json: bool, **options: Any
) -> None:
    """List the items of RUN..., up to four: what is right, what was read, and the reply.

    A folder with runs below it stands for the newest of them, and @ for the newest under results.

    \b
    earmark items RUN --wrong --tag level=easy    wrong answers to easy items
    earmark items RUN RUN --only first --limit 10 only the first run got right
    earmark items RUN --id ID                     all about one item
    earmark items RUN --wrong --sound clips       the sound as it was sent
    """
    from earmark.errors import UsageError
    from earmark.viewer.filters import Order
    from earmark.viewer.item_list import MAX_RUNS, list_items

    if len(runs) > MAX_RUNS:
        raise UsageError(f"{len(runs)} runs are given; at most {MAX_RUNS} are listed beside each other")
    if not options["sound"] and (unused := next((name for name in ("media", "no_code") if options[name]), "")):
        raise UsageError(f"--{unused.replace('_', '-')} is for --sound FOLDER; give both")
    if only and len(runs) < 2:
        raise UsageError(f"--only {only} compares two runs; give a second RUN")
    filters = _filters(**options)
    order = Order(sort or "", descending=sort == "seconds", limit=limit)
    items = list_items(runs, filters, order, only or "")
    if options["sound"]:
        _write_sound(items, options["sound"], options["media"], allow_code=not options["no_code"], as_json=as_json)
    elif as_json:
        print_json(items.to_json(whole=bool(options["item"])))
    elif options["item"]:
        _show_whole(items, options["item"])
    else:
        _show_list(items)


def _filters(*, tags: Sequence[str], state: Sequence[str], item: str, **options: Any) -> Filters:
    from earmark.viewer.filters import parse_filters

    pairs = [(name, str(options[name])) for name in ("mark", "task", "condition", "rule", "search")]
    pairs += [("tag", tag) for tag in tags] + [("state", each) for each in state]
    return parse_filters([*pairs, ("id", item)])


def _show_list(items: ItemList) -> None:
    from earmark.cli._items import show_item_table

    if items.rows:
        show_item_table(items)
    shown = f"{len(items.rows):,} of {items.total:,}" if len(items.rows) < items.total else f"{items.total:,}"
    print_line(f"{shown} items" if items.total != 1 else "1 item")


def _show_whole(items: ItemList, item: str) -> None:
    from earmark.cli._items import item_lines
    from earmark.errors import UsageError

    if not items.rows:
        raise UsageError(f"no item has the id '{item}' and passes the other filters; `earmark items RUN` lists the ids")
    for number, record in enumerate(items.records()):
        print_line(*[""] * bool(number), *item_lines(record))
    if len(items.rows) < items.total:
        print_line("", f"{len(items.rows)} of {items.total} answers; --limit {items.total} shows all")


def _write_sound(items: ItemList, folder: Path, media: Sequence[str], *, allow_code: bool, as_json: bool) -> None:
    """Write the sounds and pictures of the listed items; those that cannot be made again are told with the reason."""
    from earmark.errors import BadData
    from earmark.viewer.sound_files import write_sound_files

    written, problems = write_sound_files(items, folder, lambda run: _open_replay(run, media, allow_code=allow_code))
    for problem in problems:
        log_to_stderr(problem)
    if as_json:
        print_json({"written": [str(path) for path in written], "problems": problems})
    else:
        print_line(*map(str, written))
    if not written:
        raise BadData(f"no sound was written for {len(items.rows)} items: {problems[0] if problems else 'none match'}")


def _open_replay(run: Path, media: Sequence[str], *, allow_code: bool) -> RunReplay:
    """Open what makes the sound of a run again; the names of modules that are not the package's are told first."""
    from earmark.runs.replay_sound import RunReplay, user_modules
    from earmark.runs.rundir import AUDIOGRAM_NAME
    from earmark.runs.signature import load_signature

    signature = load_signature(run)
    if signature.benchmark["name"] == AUDIOGRAM_NAME:
        from earmark.audiogram.trials import as_benchmark, plan_of

        clips = signature.capabilities.clips if signature.capabilities else None
        plan = plan_of(signature.benchmark["settings"])
        return RunReplay(run, media, benchmark=as_benchmark(plan, one_clip=clips is not None and clips < 2))
    if allow_code:
        for name in user_modules(run):
            log_to_stderr(f"importing {name}, which {run} names")
    return RunReplay(run, media, allow_code=allow_code)
