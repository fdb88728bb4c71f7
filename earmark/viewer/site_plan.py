"""Choice of what a static site holds: runs, items and sounds, its size and its licences, before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, Literal, NamedTuple

import msgspec

from earmark.errors import BadData, EarmarkError, UsageError
from earmark.runs.rescore import reopen
from earmark.viewer.filters import WITH_COPIES
from earmark.viewer.item_page import item_details
from earmark.viewer.pages import Pages
from earmark.viewer.results import RunSummary

ItemChoice = Literal["all", "wrong", "differ", "none"]
SAMPLED: Final = 12  # items of a run that are encoded to estimate its size
MAX_PAIRS: Final = 60  # of runs that can be compared on a site
ROW_BYTES: Final = 420  # of an item in a list
Question = tuple[str, str]  # task and id


class SiteOptions(NamedTuple):
    """Options of a site."""

    items: ItemChoice = "differ"
    most: int = 2000  # items of a run
    sound: bool = False
    yes: bool = False  # publish sound whose licence is not told


class SiteRun(NamedTuple):
    """Content of a site: one run."""

    summary: RunSummary
    lines: list[int]  # of the journal, in its order
    left_out: int  # items that the choice has and the limit leaves out
    total: int  # items of the run
    licence: str  # source and licence of its benchmark; empty: not told
    n_bytes: int
    sound_bytes: int


class SitePlan(NamedTuple):
    """Content of a site."""

    runs: list[SiteRun]
    pairs: list[tuple[str, str]]
    options: SiteOptions

    def describe(self) -> str:
        """Describe the size in a line."""
        items = sum(len(run.lines) for run in self.runs)
        data, sound = (sum(sizes) / 1e6 for sizes in
                       ((run.n_bytes for run in self.runs), (run.sound_bytes for run in self.runs)))  # fmt: skip
        text = f"about {data + 0.3:.1f} MB: {len(self.runs)} runs, {items:,} items"
        return f"{text}, and {sound:.1f} MB of sound and its drawings" if self.options.sound else text

    def licences(self) -> list[str]:
        """Lines that every page shows: where the data of each benchmark come from."""
        lines = {
            f"{run.summary.benchmark}: {run.licence or 'neither source nor licence is told by the benchmark'}"
            for run in self.runs
        }
        return sorted(lines)


def plan_site(pages: Pages, options: SiteOptions) -> SitePlan:
    """Choose what a site holds. Raises UsageError for sound whose licence is not told, unless that is confirmed."""
    summaries = [summary for summary in pages.results.summaries() if not summary.why.startswith("cannot be read")]
    if not summaries:
        raise BadData(f"{pages.results.root}: no run that can be shown")
    by_benchmark: dict[str, list[RunSummary]] = {}
    for summary in summaries:
        by_benchmark.setdefault(summary.benchmark, []).append(summary)
    different = {name: find_different(pages, runs) for name, runs in by_benchmark.items()}
    runs = [_plan_run(pages, summary, options, different[summary.benchmark]) for summary in summaries]
    if options.sound and not options.yes:
        for run in runs:
            if run.sound_bytes and not run.licence:
                raise UsageError(
                    f"{run.summary.run}: its benchmark tells no licence of the sound that --sound sent would publish; "
                    "add --yes if you may"
                )
    pairs = [pair for group in by_benchmark.values() for pair in combinations([run.run for run in group], 2)]
    return SitePlan(runs, pairs[:MAX_PAIRS], options)


def find_different(pages: Pages, runs: Sequence[RunSummary]) -> set[Question]:
    """Find the items that some run, condition or repeat got right and another wrong."""
    marks: dict[Question, set[bool]] = {}
    for run in runs:
        rows = pages.results.table(run.run).query("distinct task, id, right_", WITH_COPIES, "and right_ is not null")
        for task, item, right in rows:
            marks.setdefault((task, item), set()).add(right)
    return {question for question, found in marks.items() if len(found) > 1}


def _plan_run(pages: Pages, summary: RunSummary, options: SiteOptions, different: set[Question]) -> SiteRun:
    table = pages.results.table(summary.run)
    select = "line, task, id, right_ is not null and not right_"
    rows = table.query(select, WITH_COPIES, "order by line")
    is_alone = not any((task, item) in different for _, task, item, _ in rows)
    wanted: dict[str, Callable[[Question, bool], bool]] = {
        "all": lambda *_: True,
        "wrong": lambda _, wrong: wrong,
        "differ": lambda question, wrong: wrong if is_alone else question in different,
        "none": lambda *_: False,
    }
    is_wanted = wanted[options.items]
    chosen = [line for line, task, item, wrong in rows if is_wanted((task, item), wrong)]
    lines = chosen[: options.most]
    sampled = lines[:: max(1, len(lines) // SAMPLED)][:SAMPLED]
    sizes = [len(msgspec.json.encode(item_details(pages.results, summary.run, table.record(line)))) for line in sampled]
    each = sum(sizes) / len(sizes) + ROW_BYTES if sizes else 0
    sound = sum(_sound_bytes(pages, summary.run, lines)) if options.sound else 0
    return SiteRun(
        summary, lines, len(chosen) - len(lines), len(rows), licence_of(pages, summary.run), int(each * len(lines)),
        sound,
    )  # fmt: skip


def _sound_bytes(pages: Pages, run: str, lines: Sequence[int]) -> Iterator[int]:
    """Yield bytes of each distinct sound that was sent, as far as the journal tells, and of its drawing."""
    seen = set()
    table = pages.results.table(run)
    for line in lines:
        for sent in table.record(line).audio_sent:
            key = (sent.source, sent.bytes, sent.notes)
            if key not in seen:
                seen.add(key)
                yield sent.bytes + 60_000


def licence_of(pages: Pages, run: str) -> str:
    """Return source and licence of a run's benchmark; nothing where they are not told or it cannot be opened."""
    path = pages.results.path(run)
    try:
        pages.policy.check(path)
        benchmark = reopen(path)[0]
    except EarmarkError:
        return ""
    sounds: Mapping[str, str] = {
        facts.sound_license or facts.license: task for task, facts in benchmark.task_facts.items()
    }
    licences = [benchmark.license] if benchmark.license else sorted(filter(None, sounds))
    return "; ".join(filter(None, [benchmark.source, f"licence {', '.join(licences)}"])) if licences else ""
