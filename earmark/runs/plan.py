"""Size and cost of a suite before its first question."""

from __future__ import annotations

from typing import Final, NamedTuple

from earmark.config.parse import parse_settings
from earmark.config.settings import CommonSettings, ComposedConfig, Prices
from earmark.engine.load import BenchmarkRun
from earmark.engine.questions import limit_items
from earmark.runs.look import Look
from earmark.runs.opening import audio_seconds, estimate_cost, format_hours, judge_calls
from earmark.types import Benchmark, Seconds

PLAN_HEAD: Final = ("benchmark", "items", "answers", "clips", "not there", "sound", "judge calls", "cost, about")


def look_at(benchmark: Benchmark, limit: int | None = None) -> Look:
    """Look at every item of a benchmark. Raises BadData where its data cannot be read."""
    look = Look(benchmark, limit=limit)
    for item in limit_items(benchmark, limit):
        look.add(item)
    return look


class LinePlan(NamedTuple):
    """One benchmark, before it is run."""

    name: str
    look: Look
    answers: int
    judge_calls: int
    seconds: Seconds | None  # of sound that is sent, where it is known
    cost: float | None  # an estimate, where prices and the length of sound are known


def plan_run(name: str, run: BenchmarkRun) -> LinePlan:
    """Look at a benchmark and estimate what it takes. Raises BadData where its data cannot be read."""
    benchmark, config = run
    look = look_at(benchmark, config.run.limit)
    times = len(config.run.condition) * config.run.repeats
    seconds = audio_seconds(look)
    sent = None if seconds is None else seconds * times
    return LinePlan(
        name,
        look,
        look.items * times,
        judge_calls(benchmark, look, times),
        sent,
        estimate_cost(config, look, times, sent, _prices(config)),
    )


def _prices(config: ComposedConfig) -> Prices | None:
    common = {name: value for name, value in config.model.items() if name in CommonSettings.__struct_fields__}
    return parse_settings(CommonSettings, common, "model.").prices if "backend" in common else None


def plan_lines(plans: list[LinePlan]) -> list[tuple[str, ...]]:
    """The lines of a plan with the columns of `PLAN_HEAD`, and their sum."""
    lines = [_line(plan) for plan in plans]
    if len(plans) > 1:
        missing = sum(task.n_missing for plan in plans for task in plan.look.tasks.values())
        known = [plan.seconds for plan in plans if plan.seconds is not None]
        costs = [plan.cost for plan in plans if plan.cost is not None]
        sound = f"{'at least ' if len(known) < len(plans) else ''}{format_hours(sum(known))}" if known else "-"
        cost = f"{'at least ' if len(costs) < len(plans) else ''}{sum(costs):.2f}" if costs else "-"
        numbers = [
            sum(plan.look.items for plan in plans), sum(plan.answers for plan in plans),
            sum(plan.look.clips for plan in plans), missing,
        ]  # fmt: skip
        lines.append((
            "all", *(f"{number:,}" for number in numbers), sound, f"{sum(plan.judge_calls for plan in plans):,}", cost
        ))  # fmt: skip
    return lines


def _line(plan: LinePlan) -> tuple[str, ...]:
    missing = sum(task.n_missing for task in plan.look.tasks.values())
    numbers = (plan.look.items, plan.answers, plan.look.clips, missing)
    sound = "-" if plan.seconds is None else format_hours(plan.seconds)
    cost = "-" if plan.cost is None else f"{plan.cost:.2f}"
    return (plan.name, *(f"{number:,}" for number in numbers), sound, f"{plan.judge_calls:,}", cost)
