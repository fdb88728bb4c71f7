"""Size and cost of a suite before its first question."""

from __future__ import annotations

from typing import Final, NamedTuple

from earmark.audio.read import ClipLoader
from earmark.config.parse import parse_settings
from earmark.config.settings import CommonSettings, ComposedConfig, Prices
from earmark.data.clips import size
from earmark.engine.load import BenchmarkRun
from earmark.engine.questions import limit_items
from earmark.errors import AskError
from earmark.runs.look import Look
from earmark.types import Benchmark, CountsCalls, Seconds, Usage

SAMPLED: Final = 8  # files whose length is read, from which that of all is estimated
AUDIO_TOKENS: Final = 25  # a second of sound, for most models that tell
CHARACTERS: Final = 4  # of a token of text
REPLY_TOKENS: Final = 100
ASSUMED: Final = f"{AUDIO_TOKENS} tokens a second of sound, 1 for {CHARACTERS} characters, {REPLY_TOKENS} an answer"
PLAN_HEAD: Final = ("benchmark", "items", "answers", "clips", "not there", "sound", "judge calls", "cost, about")


def look_at(benchmark: Benchmark, limit: int | None = None) -> Look:
    """Look at every item of a benchmark. Raises BadData where its data cannot be read."""
    look = Look(benchmark, limit=limit)
    for item in limit_items(benchmark, limit):
        look.add(item)
    return look


def judge_calls(benchmark: Benchmark, look: Look, answers: int) -> int:
    """Number of times that judges are asked, with so many answers to an item."""
    calls = 0
    for name, task in look.tasks.items():
        scorers = benchmark.scorers(name) if task.items else ()
        calls += task.items * sum(one.calls_per_answer for one in scorers if isinstance(one, CountsCalls))
    return calls * answers


def audio_seconds(look: Look) -> Seconds | None:
    """Estimate how long all clips last, from a few loose files; None where sound lies in tables, which are not read for
    it.
    """
    if not look.n_loose or look.n_loose < look.clips:
        return None
    step = max(1, len(look.sample) // SAMPLED)
    rates = []
    loader = ClipLoader()
    for clip in look.sample[::step][:SAMPLED]:
        try:
            header = loader.load(clip, ()).header
        except AskError:
            continue
        if header and (n_bytes := size(clip)):
            rates.append(header.seconds / n_bytes)
    return look.n_bytes * sum(rates) / len(rates) if rates else None


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
        name, look, look.items * times, judge_calls(benchmark, look, times), sent, _cost(config, look, times, sent)
    )


def _cost(config: ComposedConfig, look: Look, times: int, seconds: Seconds | None) -> float | None:
    prices = _prices(config)
    if prices is None or (seconds is None and look.clips):
        return None
    audio = round(AUDIO_TOKENS * (seconds or 0.0))
    words = look.characters * times // CHARACTERS
    usage = Usage(tokens_in=audio + words, tokens_out=REPLY_TOKENS * look.items * times, audio_tokens_in=audio)
    whole = prices.cost(usage, seconds or 0.0)
    return whole * prices.batch if config.run.batch else whole


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
        sound = f"{'at least ' if len(known) < len(plans) else ''}{_hours(sum(known))}" if known else "-"
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
    sound = "-" if plan.seconds is None else _hours(plan.seconds)
    cost = "-" if plan.cost is None else f"{plan.cost:.2f}"
    return (plan.name, *(f"{number:,}" for number in numbers), sound, f"{plan.judge_calls:,}", cost)


def _hours(seconds: Seconds) -> str:
    """
    >>> _hours(5400), _hours(90)
    ('1.5 h', '1.5 min')
    """
    return f"{seconds / 3600:.1f} h" if seconds >= 3600 else f"{seconds / 60:.1f} min"
