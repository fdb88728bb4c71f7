"""Look at the data of benchmarks or suites before anything is asked."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from earmark.errors import BadData, EarmarkError
from earmark.terminal.console import print_line

if TYPE_CHECKING:
    from earmark.runs.look import Look

HEAD = (
    "benchmark",
    "task",
    "items",
    "expected",
    "skipped",
    "clips",
    "not there",
    "cannot be asked",
    "no gold",
    "outside",
)


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED)
def command(words: tuple[str, ...]) -> None:
    """Look at the data of BENCHMARK[:TASK]... or suite:NAME: what is there, what is missing, what is odd.

    \b
    earmark check suite:field data=/data/audio
    earmark check mmau data=/data/audio strict=true     a row too few, or sound that is not there, is an error

    No sound is decoded, and nothing is asked.
    """
    from earmark.cli._args import use_only
    from earmark.cli._suite_args import parse_suite
    from earmark.cli._tables import show_table
    from earmark.engine.load import BenchmarkRun
    from earmark.runs.plan import look_at

    use_only("check", [word for word in words if "=" in word], ("limit", "strict", "seed"), own="the benchmark")
    errors: list[EarmarkError] = []
    lines, notes = [], []
    is_strict = False
    for entry in parse_suite(words).entries:
        try:
            if not isinstance(entry.run, BenchmarkRun):
                raise entry.run
            is_strict = is_strict or entry.run.settings.run.strict
            files = entry.run.benchmark.files()
            look = look_at(entry.run.benchmark, entry.run.settings.run.limit)
        except EarmarkError as error:
            errors.append(error)
            lines.append((entry.name, "no data: see below", *["-"] * (len(HEAD) - 2)))
            notes.append(f"{entry.name}: {error}")
            continue
        lines += _lines(entry.name, look)
        problems = list(look.problems())
        errors += [BadData(problem) for problem in problems if is_strict]
        notes += [f"{entry.name}: {text}" for text in (*_files_note(files), *problems, *look.remarks())]
    show_table("data", HEAD, lines, words=2)
    print_line(*notes)
    if errors:
        sys.exit(errors[0].status)


def _lines(name: str, look: Look) -> list[tuple[str, ...]]:
    return [
        (
            name.partition(":")[0], task, f"{found.items:,}", "-" if found.expected is None else f"{found.expected:,}",
            *(f"{count:,}" for count in (
                found.skipped, found.clips, found.n_missing, found.n_errors, found.without_gold, found.n_outside
            )),
        )
        for task, found in look.tasks.items()
    ]  # fmt: skip


def _files_note(files: tuple[str, ...]) -> list[str]:
    """The files of rows, as far as they can be named on a line."""
    return [f"read from {', '.join(files[:3])}{f' and {len(files) - 3:,} more' if len(files) > 3 else ''}"] * bool(
        files
    )
