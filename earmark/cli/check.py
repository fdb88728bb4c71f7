"""Check the data of benchmarks before anything is asked, or requirements on the scores of a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from earmark.cli._params import RunPath, Word
from earmark.errors import REQUIREMENT_FAILED, BadData, EarmarkError, UsageError
from earmark.terminal.console import print_json, print_line

if TYPE_CHECKING:
    from collections.abc import Mapping

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


@click.command()
@click.argument("words", nargs=-1, required=True, type=Word("benchmarks", "suites"), metavar="BENCHMARK... SETTING...")
@click.option("--task", default="", help="Of a run: only this task.")
@click.option("--condition", default="plain", show_default=True, help="Of a run: this condition.")
@click.option("--not-worse-than", "old", type=RunPath(), help="Of a run: compare it with this one.")
@click.option("--by", "margin", type=float, help="With --not-worse-than: the loss that is allowed, such as 0.02.")
@click.option("--json", "as_json", is_flag=True, help="Of a run: one JSON object instead of lines.")
def command(words: tuple[str, ...], *, old: Path | None, margin: float | None, as_json: bool, **of_run: str) -> None:
    """Check the data of BENCHMARK[:TASK]... or suite:NAME: what is there, what is missing, what is odd. Or check
    requirements on a RUN.

    \b
    earmark check suite:field data=/data/audio
    earmark check mmau data=/data/audio strict=true  what lacks is an error
    earmark check RUN 'accuracy>=0.8' --task pitch    by the interval
    earmark check RUN --not-worse-than OLD --by 0.02  item by item

    No sound is decoded, and nothing is asked. The status is 8 where a requirement is not met.
    """
    from earmark.runs.run_list import NUMBERED

    is_run = old is not None or margin is not None or NUMBERED.fullmatch(words[0]) or Path(words[0]).exists()
    if is_run and not words[0].endswith((".jsonl", ".json", ".csv", ".tsv", ".parquet", ".yaml", ".py")):
        _check_run(Path(words[0]), words[1:], old, margin, as_json=as_json, **of_run)
    else:
        _check_data(words)


def _check_run(
    path: Path, texts: tuple[str, ...], old: Path | None, margin: float | None, *, as_json: bool, **rows: str
) -> None:
    from earmark.cli._params import find_run
    from earmark.runs.gate import check_not_worse, check_requirements, parse_requirement

    if (old is None) != (margin is None):
        raise UsageError("--not-worse-than OLD and --by MARGIN go together, such as --by 0.02")
    if old is None and not texts:
        raise UsageError(f"{path} is a run: say what it must meet, such as 'accuracy>=0.8'")
    requirements = [parse_requirement(text) for text in texts]
    run = find_run(path)
    results = check_requirements(run, requirements, **rows) if requirements else []
    if old is not None and margin is not None:
        results += check_not_worse(run, old, margin, **rows)
    if as_json:
        print_json({"run": str(run), "passed": all(result.passed for result in results), "requirements": results})
    else:
        print_line(*(result.line for result in results))
    if not all(result.passed for result in results):
        sys.exit(REQUIREMENT_FAILED)


def _check_data(words: tuple[str, ...]) -> None:
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
        notes += [
            f"{entry.name}: {text}"
            for text in (*_files_note(files, entry.run.benchmark.revisions()), *problems, *look.remarks())
        ]
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


def _files_note(files: tuple[str, ...], commits: Mapping[str, str]) -> list[str]:
    """The files of rows, as far as they can be named on a line, and the commits that they are of."""
    more = f" and {len(files) - 3:,} more" if len(files) > 3 else ""
    held = "".join(f"; {repository} at {commit}" for repository, commit in commits.items())
    return [f"read from {', '.join(files[:3])}{more}{held}"] * bool(files)
