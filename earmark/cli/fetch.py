"""Download the data of benchmarks or suites."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from earmark.cli._params import Word
from earmark.errors import BadSetup, EarmarkError
from earmark.terminal.console import print_line

if TYPE_CHECKING:
    from earmark.data.fetch import RemoteFiles
    from earmark.engine.suites import SuiteEntry

HEAD = ("benchmark", "repository", "revision", "files", "size", "licence", "questions", "sound")


@click.command()
@click.argument("names", nargs=-1, required=True, type=Word("benchmarks", "suites"), metavar="BENCHMARK... SETTING...")
def command(names: tuple[str, ...]) -> None:
    """Download the data of BENCHMARK[:TASK]... or suite:NAME; an interrupted download resumes.

    \b
    earmark fetch suite:field data=/data/audio  sizes and licences first
    earmark fetch mmau                          into the cache, without data=

    Revisions are those of the tables; of a set without one the commit that was fetched is written down, and digests of
    all files.
    """
    from earmark.cli._args import is_table_wanted, use_only
    from earmark.plugins import table_names

    words = [word for word in names if "=" in word]
    (first, *more) = [word for word in names if "=" not in word] or [""]
    use_only("fetch", words, own=first or "a benchmark")
    is_table = first.partition(":")[0].replace("-", "_") in table_names("benchmarks")
    if more or is_table or is_table_wanted(names):
        sys.exit(_fetch_all(names))
    _fetch_own(first, words)


def _fetch_own(name: str, words: Sequence[str]) -> None:
    """Bring the data of a benchmark that is no table."""
    from earmark.config.compose import compose_config
    from earmark.config.parse import parse_settings
    from earmark.engine.load import load_benchmark
    from earmark.plugins import find_plugin
    from earmark.plugins.abilities import DownloadsData

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


class Download(NamedTuple):
    """What a benchmark needs of a repository."""

    name: str
    remote: RemoteFiles
    patterns: tuple[str, ...]
    licenses: tuple[str, str]  # of questions and of sound


def _fetch_all(words: Sequence[str]) -> int:
    """Show what is needed, then bring it; return the exit status."""
    from earmark.cli._suite_args import parse_suite
    from earmark.cli._tables import show_table
    from earmark.data.fetch import fetch_dataset, format_bytes

    data = next((word.removeprefix("data=") for word in words if word.startswith("data=")), "")
    folder = Path(data).expanduser() if data else None
    errors: list[EarmarkError] = []
    wanted = [found for entry in parse_suite(words).entries for found in _find(entry, words, errors)]
    lines = [
        (
            need.name, need.remote.repository, need.remote.revision[:12], f"{len(need.remote.files):,}",
            format_bytes(need.remote.size), f"{need.remote.license}{', gated' * need.remote.is_gated}", *need.licenses,
        )
        for need in wanted
    ]  # fmt: skip
    if lines:
        show_table(f"to download: {format_bytes(sum(need.remote.size for need in wanted))}", HEAD, lines, words=3)
        _check_space(folder, sum(need.remote.size for need in wanted))
    for need in wanted:
        place = folder / need.remote.repository.replace("/", "--") if folder else None
        try:
            fetched = fetch_dataset(need.remote.repository, need.remote.revision, need.patterns, print_line, place)
        except EarmarkError as error:
            errors.append(error)
            print_line(f"{need.name}: {error}")
            continue
        pinned = "" if need.remote.revision != "main" else ", which the table does not pin"
        print_line(f"{need.name}: {fetched.repository} at {fetched.commit}{pinned} is in {fetched.folder}")
    return errors[0].status if errors else 0


def _find(entry: SuiteEntry, words: Sequence[str], errors: list[EarmarkError]) -> Iterator[Download]:
    """What a line needs from the hub; what cannot be told is said, and kept among the errors."""
    from earmark.data.fetch import find_remote
    from earmark.engine.load import BenchmarkRun, split_tasks
    from earmark.plugins import find_plugin, table_names

    name = split_tasks(entry.name)[0]
    if not isinstance(entry.run, BenchmarkRun):
        errors.append(entry.run)
        print_line(f"{entry.name}: {entry.run}")
        return
    benchmark = entry.run.benchmark
    if benchmark.name not in table_names("benchmarks"):
        if benchmark.fetch:
            benchmark.fetch(print_line)
        print_line(f"{name}: {'all data is present' if benchmark.fetch else 'nothing to download'}")
        return
    module: Any = find_plugin("benchmarks", benchmark.name).module
    layout = next((word.removeprefix("layout=") for word in words if word.startswith("layout=")), "")
    facts = benchmark.task_facts.values()
    licenses = tuple("; ".join(dict.fromkeys(filter(None, kind))) or "not stated" for kind in (
        (fact.license for fact in facts), (fact.sound_license for fact in facts)
    ))  # fmt: skip
    sets: list[Any] = module.remote_sets(module.Settings(layout=layout), benchmark.tasks)
    if not sets:
        print_line(f"{name}: lies on no hub; earmark info {name} says where: {benchmark.source}")
    for remote in sets:
        try:
            yield Download(entry.name, find_remote(*remote), remote.patterns, (licenses[0], licenses[1]))
        except EarmarkError as error:
            errors.append(error)
            print_line(f"{entry.name}: {error}")


def _check_space(folder: Path | None, size: int) -> None:
    """Raise BadSetup where a disk has no room for a download."""
    import shutil

    from earmark.data.fetch import format_bytes

    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if size > free:
        raise BadSetup(
            f"{folder}: {format_bytes(free)} free, {format_bytes(size)} needed; free some space or give another data="
        )
