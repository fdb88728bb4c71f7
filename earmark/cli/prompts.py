"""Print the prompts of a benchmark without sending them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from earmark.cli._params import Word
from earmark.terminal.console import log_to_stderr, print_json, print_line

if TYPE_CHECKING:
    from earmark.engine.load import BenchmarkRun
    from earmark.types import Item, NamedCondition, Part, Prompt


@click.command()
@click.argument("words", nargs=-1, required=True, type=Word("benchmarks", "suites"), metavar="BENCHMARK... SETTING...")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(words: tuple[str, ...], as_json: bool) -> None:
    """Print every prompt of BENCHMARK[:TASK]... [key=value]... without sending any."""
    from earmark.cli._args import parse_runs, use_only

    used = ("condition", "noise", "limit", "seed", "max_audio_seconds", "max_audio_bytes")
    use_only("prompts", [word for word in words if "=" in word], used, own="the benchmark")
    for run in parse_runs(words):
        for description in _prompts(run):
            if as_json:
                print_json(description)
            else:
                print_line(*_to_lines(description))


def _prompts(run: BenchmarkRun) -> Iterator[dict[str, Any]]:
    from earmark.engine.load import load_conditions
    from earmark.engine.questions import limit_items

    benchmark, settings = run
    seed = settings.run.seed_of(benchmark)
    if benchmark.fetch:
        benchmark.fetch(log_to_stderr)
    conditions = load_conditions(settings.run.condition, seed, benchmark)
    for item in limit_items(benchmark, settings.run.limit):
        for condition in conditions if item.state == "ask" else conditions[:1]:
            yield _describe_prompt(run, item, condition)


def _describe_prompt(run: BenchmarkRun, item: Item, condition: NamedCondition | None) -> dict[str, Any]:
    from earmark.audio.read import ClipLoader
    from earmark.engine.prepare import prepare_prompt
    from earmark.engine.questions import condition_name
    from earmark.errors import AskError
    from earmark.types import Capabilities, Limits

    any_format = Capabilities(formats=("wav", "mp3", "flac", "ogg", "opus", "m4a", "webm"), images=True)
    state, reason, turns = item.state, item.reason, []
    if state == "ask":
        loader = ClipLoader(Limits(run.settings.run.max_audio_seconds, run.settings.run.max_audio_bytes))
        try:
            _, ready = prepare_prompt(run.benchmark.prompt(item), item, condition, any_format, loader)
            turns = _turns(ready)
        except AskError as error:
            state, reason = "error", str(error)
    return {
        "task": item.task,
        "item": item.id,
        "group": item.group,
        "condition": condition_name(condition),
        "state": state,
        "reason": reason or None,
        "choices": list(item.choices),
        "target": item.targets[0] if len(item.targets) == 1 else list(item.targets) or None,
        "turns": turns,
    }


def _turns(prompt: Prompt) -> list[dict[str, Any]]:
    return [{"role": turn.role, "parts": [_part(part) for part in turn.parts]} for turn in prompt.turns]


def _part(part: Part) -> dict[str, Any]:
    from earmark.types import EncodedAudio, ImageBytes

    if isinstance(part, str):
        return {"type": "text", "text": part}
    if isinstance(part, EncodedAudio):
        description = {"type": "audio", "name": part.name, "seconds": part.seconds, "bytes": len(part.data)}
        return description | {"format": part.format, "notes": part.notes}
    if isinstance(part, ImageBytes):
        return {"type": "image", "name": part.name, "bytes": len(part.data), "format": part.mime.removeprefix("image/")}
    raise TypeError(f"{type(part).__name__} has not been prepared")


def _to_lines(description: dict[str, Any]) -> list[str]:
    head = f"── {description['task']} · {description['item']} · {description['condition']}"
    if description["state"] != "ask":
        return [f"{head} · {description['state']}: {description['reason']}", ""]
    lines = [f"{head} · target {description['target']}"]
    for turn in description["turns"]:
        lines.append(f"{turn['role']}:")
        for part in turn["parts"]:
            text = (
                part["text"]
                if part["type"] == "text"
                else f"[{part['type']} {part['name']}, {part['bytes']:,} bytes{_seconds(part)}]"
            )
            lines += [f"  {row}" for row in text.splitlines()]
    return [*lines, ""]


def _seconds(part: dict[str, Any]) -> str:
    return f", {part['seconds']:.2f} s" if "seconds" in part else ""
