"""Run a suite: look at all of it, ask line by line, show one table."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from earmark.cli._suite_args import Command
from earmark.cli._tables import fits, show_table
from earmark.engine.load import BenchmarkRun
from earmark.engine.shared_models import SharedModels
from earmark.engine.suites import Suite, SuiteEntry, keep_tasks_with_data
from earmark.errors import FINISHED_WITH_FAILURES, BadData, EarmarkError, RunStopped
from earmark.evaluate import RunResult, evaluate
from earmark.report.suites import (
    PUBLISHED_HEAD,
    LineRecord,
    SuiteRecord,
    SuiteTable,
    published_lines,
    table_head,
    table_lines,
    table_notes,
    table_parts,
)
from earmark.runs.opening import ASSUMED
from earmark.runs.plan import PLAN_HEAD, LinePlan, plan_lines, plan_run
from earmark.runs.suites import suite_dir, write_suite
from earmark.terminal.console import log_to_stderr, print_line
from earmark.terminal.progress import ProgressDisplay
from earmark.types import TaskFacts, replace

SEVERAL = "several models"


class LineResult(NamedTuple):
    """A line that was run, or why it was not."""

    entry: SuiteEntry
    result: RunResult | None = None
    error: EarmarkError | None = None


def run_suite(command: Command) -> int:
    """Run a suite, write down and show its table; return the exit status."""
    suite, plans = _look(command.suite)
    beside = _look(command.beside)[0] if command.beside else None
    command = command._replace(suite=suite, beside=beside)
    if plans:
        show_table("before the first question", PLAN_HEAD, plan_lines(plans), stderr=True)
        log_to_stderr(*(f"{plan.name}: {problem}" for plan in plans for problem in plan.look.problems()))
        log_to_stderr(*([f"cost: an estimate, of {ASSUMED}"] if any(plan.cost is not None for plan in plans) else []))
    own, others = asyncio.run(_run_both(command))
    results = [line.result for line in own if line.result]
    record = _record(command.suite, own, others)
    table = write_suite(_results_dir(command.suite), record, published=command.published)
    show_suite(table)
    print_line(f"table: {suite_dir(_results_dir(command.suite), record.name, record.model)}")
    errors = [line.error for line in (*own, *others) if line.error]
    if errors:
        return errors[0].status
    failed = sum(result.n_failed for result in (*results, *(line.result for line in others if line.result)))
    return FINISHED_WITH_FAILURES if failed else 0


def show_suite(table: SuiteTable) -> None:
    """Print the table of a suite with its footnotes, and what others reported in a table of its own."""
    title = f"{table.title}: {table.model}"
    head, lines = table_head(table), table_lines(table)
    if fits(head, lines):
        show_table(title, head, lines, words=2)
    else:
        for index, (part_head, part) in enumerate(table_parts(table)):
            print_line(*[""] * bool(index))
            show_table("" if index else title, part_head, part, words=2)
    print_line(*table_notes(table))
    if table.published:
        print_line("")
        show_table(
            "published by others: their own runs, not compared with ours",
            PUBLISHED_HEAD,
            published_lines(table),
            words=6,
        )


def _results_dir(suite: Suite) -> Path:
    runs = (entry.run for entry in suite.entries)
    return Path(next((run.settings.run.results for run in runs if isinstance(run, BenchmarkRun)), "results"))


def _look(suite: Suite) -> tuple[Suite, list[LinePlan]]:
    """Look at every line; of one whose data is there in part, the tasks are kept that have some."""
    plans, entries = [], []
    for given in suite.entries:
        entry = given
        if isinstance(entry.run, BenchmarkRun):
            try:
                plan = _try_plan(entry)
                if plan is None:
                    entry = keep_tasks_with_data(given)
                    plan = _try_plan(entry) if entry is not given else None
                plans += [plan] if plan else []
            except EarmarkError as error:
                log_to_stderr(f"{entry.name}: {error}")
        entries.append(entry)
    return suite._replace(entries=entries), plans


def _try_plan(entry: SuiteEntry) -> LinePlan | None:
    """The plan of a line; None where its data cannot be read, which running it tells."""
    try:
        return plan_run(entry.name, entry.run) if isinstance(entry.run, BenchmarkRun) else None
    except BadData:
        return None


async def _run_both(command: Command) -> tuple[list[LineResult], list[LineResult]]:
    """Run a suite on its model, then on the other one; the budget is one for both."""
    spent = Spent()
    own = await _run_lines(command.suite.entries, spent)
    return own, await _run_lines(command.beside.entries, spent) if command.beside else []


class Spent:
    """Cost of the lines of a suite so far, and if it was stopped."""

    def __init__(self) -> None:
        self.cost = 0.0
        self.stopped: RunStopped | None = None


async def _run_lines(entries: Iterable[SuiteEntry], spent: Spent) -> list[LineResult]:
    lines = []
    async with SharedModels() as models:
        for entry in entries:
            if not isinstance(entry.run, BenchmarkRun):
                lines.append(LineResult(entry, error=entry.run))
            elif spent.stopped:
                lines.append(
                    LineResult(entry, error=RunStopped(f"not asked, since another line stopped: {spent.stopped}"))
                )
            else:
                lines.append(await _run_line(entry, entry.run, spent, models))
            if lines[-1].error:
                log_to_stderr(f"{entry.name}: {lines[-1].error}")
    return lines


async def _run_line(entry: SuiteEntry, run: BenchmarkRun, spent: Spent, models: SharedModels) -> LineResult:
    settings, budget = run.settings, run.settings.run.budget
    if budget is not None:
        settings = replace(settings, run=replace(settings.run, budget=max(0.0, budget - spent.cost)))
    try:
        with ProgressDisplay(entry.name) as callbacks:
            result = await evaluate(run.benchmark, settings, callbacks, models)
    except RunStopped as error:
        is_over_budget = budget is not None and "the budget is" in str(error)
        spent.stopped = None if is_over_budget else error  # lines that are finished stand in the table all the same
        return LineResult(entry, error=error)
    except EarmarkError as error:
        return LineResult(entry, error=error)
    spent.cost += result.metrics.usage.usage.cost
    return LineResult(entry, result)


def _record(suite: Suite, own: list[LineResult], others: list[LineResult]) -> SuiteRecord:
    beside = {line.entry.name: line for line in others}
    lines = [_line_record(line, beside.get(line.entry.name)) for line in own]
    return SuiteRecord(suite.name, suite.title, _model(own), tuple(lines), _model(others) if others else "")


def _model(lines: list[LineResult]) -> str:
    """The name of the model behind lines, as far as it could be opened."""
    names = {line.result.model for line in lines if line.result}
    if len(names) == 1:
        return names.pop()
    runs = (line.entry.run for line in lines)
    asked = [run.settings.model for run in runs if isinstance(run, BenchmarkRun)]
    named = {str(settings.get("name") or settings.get("backend")) for settings in asked}
    return named.pop() if len(named) == 1 and not names else SEVERAL


def _line_record(line: LineResult, other: LineResult | None) -> LineRecord:
    problems = [str(line.error)] if line.error else []
    problems += [f"beside: {other.error}"] if other and other.error and str(other.error) not in problems else []
    facts: dict[str, TaskFacts] = {}
    if isinstance(line.entry.run, BenchmarkRun):
        benchmark = line.entry.run.benchmark
        usual = TaskFacts(needs_ears="yes" if benchmark.needs_ears else "no")
        facts = {task: benchmark.task_facts.get(task, usual) for task in benchmark.tasks}
    return LineRecord(
        line.entry.name,
        line.entry.rows,
        str(line.result.folder) if line.result else "",
        str(other.result.folder) if other and other.result else "",
        "; ".join(problems),
        line.entry.notes,
        facts,
    )
