"""Lines before the first request of a run: the model, what is asked, its audio and cost, and where the run lies."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from earmark.audio.read import ClipLoader, load_waveform
from earmark.config.settings import ComposedConfig, Prices
from earmark.data.clips import size
from earmark.engine.load import BenchmarkRun
from earmark.errors import AskError
from earmark.runs.look import Look
from earmark.text.secrets import without_secrets
from earmark.types import Benchmark, CountsCalls, Seconds, Usage

SAMPLED: Final = 8  # files whose length is read, from which that of all is estimated
SAMPLED_SPECS: Final = 16  # generated sounds, likewise
AUDIO_TOKENS: Final = 25  # a second of sound, for most models that tell
CHARACTERS: Final = 4  # of a token of text
REPLY_TOKENS: Final = 100
ASSUMED: Final = f"{AUDIO_TOKENS} tokens a second of sound, 1 for {CHARACTERS} characters, {REPLY_TOKENS} an answer"


def opening_lines(
    run: BenchmarkRun, look: Look, left: int, model: tuple[str, Prices | None], folder: Path
) -> list[str]:
    """Say before the first request which model is asked, how much, at which cost, and where the run lies.

    `look` is what was seen of the benchmark, `left` the number of requests that have not been answered yet,
    `model` the name of the model and its prices.
    """
    benchmark, config = run
    name, prices = model
    times = len(config.run.condition) * config.run.repeats
    answers, calls, seconds = look.items * times, judge_calls(benchmark, look, times), audio_seconds(look)
    seconds = None if seconds is None else seconds * times
    cost = estimate_cost(config, look, times, seconds, prices)
    address = without_secrets(config.model).get("base_url", "")
    n_tasks = sum(task.items > 0 for task in look.tasks.values())
    conditions = ", ".join(config.run.condition)
    parts = [
        f"{left:,} requests" if left == answers else f"{left:,} of {answers:,} requests",
        f"{look.items:,} items of {n_tasks} task{'s' * (n_tasks > 1)}, {conditions}",
    ]
    parts += [f"about {format_hours(seconds)} of audio"] if seconds is not None else []
    parts += [f"{calls:,} requests to judges"] if calls else []
    parts += [f"cost about {cost:.2f}"] if cost is not None else []
    return [
        f"model: {name} ({' at '.join(filter(None, (config.model.get('backend', ''), address)))})",
        f"{benchmark.name}: {'; '.join(parts)}",
        f"run: {folder}",
    ]


def judge_calls(benchmark: Benchmark, look: Look, answers: int) -> int:
    """Number of times that judges are asked, with so many answers to an item."""
    calls = 0
    for name, task in look.tasks.items():
        scorers = benchmark.scorers(name) if task.items else ()
        calls += task.items * sum(one.calls_per_answer for one in scorers if isinstance(one, CountsCalls))
    return calls * answers


def audio_seconds(look: Look) -> Seconds | None:
    """Estimate how long all clips last, from a few loose files and generated sounds; None where sound lies in tables,
    which are not read for it.
    """
    if look.n_loose + look.n_specs < look.clips or not look.clips:
        return None
    specs = look.specs[:: max(1, len(look.specs) // SAMPLED_SPECS)]
    generated = [load_waveform(spec).seconds for spec in specs]
    seconds = look.n_specs * sum(generated) / max(1, len(generated))
    if not look.n_loose:
        return seconds
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
    return seconds + look.n_bytes * sum(rates) / len(rates) if rates else None


def estimate_cost(
    config: ComposedConfig, look: Look, times: int, seconds: Seconds | None, prices: Prices | None
) -> float | None:
    """Estimate the cost of a run; None without prices, or where the length of its sound is not known."""
    if prices is None or (seconds is None and look.clips):
        return None
    audio = round(AUDIO_TOKENS * (seconds or 0.0))
    words = look.characters * times // CHARACTERS
    usage = Usage(tokens_in=audio + words, tokens_out=REPLY_TOKENS * look.items * times, audio_tokens_in=audio)
    whole = prices.cost(usage, seconds or 0.0)
    return whole * prices.batch if config.run.batch else whole


def format_hours(seconds: Seconds) -> str:
    """
    >>> format_hours(5400), format_hours(90), format_hours(8)
    ('1.5 h', '1.5 min', '8 s')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 3600:.1f} h" if seconds >= 3600 else f"{seconds / 60:.1f} min"
