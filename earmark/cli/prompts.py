"""Print what would be sent, sending nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from earmark.cli._words import Line
    from earmark.types import Condition, Item, Part, Prompt


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(words: tuple[str, ...], as_json: bool) -> None:
    """Print every prompt of BENCHMARK[:TASK]... [key=value]... without sending any."""
    import orjson

    from earmark.cli._words import lines
    from earmark.overrides import use_only

    used = ("condition", "noise", "limit", "seed", "longest", "largest")
    use_only("prompts", [word for word in words if "=" in word], used, own="the benchmark")
    for line in lines(words):
        for told in _prompts(line):
            if as_json:
                sys.stdout.buffer.write(orjson.dumps(told) + b"\n")
            else:
                click.echo(_readable(told))


def _prompts(line: Line) -> Iterator[dict[str, Any]]:
    from earmark.config import load_conditions
    from earmark.survey import limited

    benchmark, settings = line
    seed = benchmark.seed if settings.run.seed is None else settings.run.seed
    if benchmark.fetch:
        benchmark.fetch(lambda text: click.echo(text, err=True))
    conditions = load_conditions(settings.run.condition, seed, benchmark)
    for item in limited(benchmark, settings.run.limit):
        for condition in conditions if item.state == "ask" else conditions[:1]:
            yield _told(line, item, condition)


def _told(line: Line, item: Item, condition: Condition | None) -> dict[str, Any]:
    from earmark.audio.limits import Limits, holding
    from earmark.audio.prepare import prepare
    from earmark.errors import AskError
    from earmark.survey import name_of
    from earmark.types import Hears

    anything = Hears(formats=("wav", "mp3", "flac", "ogg", "opus", "m4a", "webm"), pictures=True)
    state, reason, turns = item.state, item.reason, []
    if state == "ask":
        try:
            prompt = line.benchmark.prompt(item)
            with holding(Limits(line.settings.run.longest, line.settings.run.largest)):
                turns = _turns(prepare(condition.hear(prompt, item) if condition else prompt, anything))
        except AskError as error:
            state, reason = "error", str(error)
    return {
        "task": item.task,
        "item": item.id,
        "group": item.group,
        "condition": name_of(condition),
        "state": state,
        "reason": reason or None,
        "choices": list(item.choices),
        "target": item.targets[0] if len(item.targets) == 1 else list(item.targets) or None,
        "turns": turns,
    }


def _turns(prompt: Prompt) -> list[dict[str, Any]]:
    return [{"role": turn.role, "parts": [_part(part) for part in turn.parts]} for turn in prompt.turns]


def _part(part: Part) -> dict[str, Any]:
    from earmark.types import Image, Sound

    if isinstance(part, str):
        return {"type": "text", "text": part}
    if isinstance(part, Sound):
        told = {"type": "audio", "name": part.name, "seconds": part.seconds, "bytes": len(part.data)}
        return told | {"format": part.format, "notes": part.notes}
    if isinstance(part, Image):
        return {"type": "image", "name": part.name, "bytes": len(part.data), "format": part.mime.removeprefix("image/")}
    raise TypeError(f"{type(part).__name__} has not been prepared")


def _readable(told: dict[str, Any]) -> str:
    head = f"── {told['task']} · {told['item']} · {told['condition']}"
    if told["state"] != "ask":
        return f"{head} · {told['state']}: {told['reason']}\n"
    lines = [f"{head} · target {told['target']}"]
    for turn in told["turns"]:
        lines.append(f"{turn['role']}:")
        for part in turn["parts"]:
            text = (
                part["text"]
                if part["type"] == "text"
                else f"[{part['type']} {part['name']}, {part['bytes']:,} bytes{_seconds(part)}]"
            )
            lines += [f"  {row}" for row in text.splitlines()]
    return "\n".join([*lines, ""])


def _seconds(part: dict[str, Any]) -> str:
    return f", {part['seconds']:.2f} s" if "seconds" in part else ""
