"""Tell what sound files hold, and what a model would be sent of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from earmark.audio.limits import Limits
    from earmark.types import Hears, Sound, Wave


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(words: tuple[str, ...], as_json: bool) -> None:
    """Tell what each FILE holds, and what would be sent of it: FILE... [model=NAME] [longest=SECONDS] [largest=BYTES].

    Nothing is sent. Ends with status 3 where a file fails.
    """
    import asyncio

    import orjson

    from earmark.audio.limits import Limits
    from earmark.config import compose
    from earmark.errors import BadData, UsageError
    from earmark.overrides import use_only

    files, settings = _sorted(words)
    if not files:
        raise UsageError("no file is named; expected FILE... [model=NAME], such as earmark probe clip.wav model=ear")
    use_only("probe", settings, ("longest", "largest"), model=True)
    composed = compose(settings)
    limits = Limits(composed.run.longest, composed.run.largest)
    named = any(word.startswith(("model=", "model.")) for word in settings)
    hears = asyncio.run(_hears(composed.model if named else None))
    failed = 0
    for file in files:
        told = probed(file, hears, limits)
        failed += told["state"] != "ok"
        if as_json:
            sys.stdout.buffer.write(orjson.dumps(told) + b"\n")
        else:
            click.echo(_readable(told))
    if failed:
        sys.stdout.flush()
        raise BadData(f"{failed} of {len(files)} files failed; what is wrong is told with each")


def _sorted(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Files and settings. A file may have = in its name, if it is there."""
    from pathlib import Path

    settings = [word for word in words if "=" in word and not Path(word).exists()]
    return [word for word in words if word not in settings], settings


async def _hears(model: Mapping[str, Any] | None) -> Hears:
    """Find what a model takes; wav and mp3 of any kind where none is named.

    It is opened only where neither its settings nor its backend can tell: a processor is asked before weights are read.
    """
    from earmark import plugins
    from earmark.config import backend_settings, common, open_model
    from earmark.types import Hears

    if model is None:
        return Hears()
    settings, module = backend_settings(model), plugins.find("models", common(model).backend)
    inner = next(
        (getattr(settings, name) for name in ("recogniser", "of", "each") if getattr(settings, name, None)), None
    )
    if inner:
        return await _hears(inner[0] if isinstance(inner, tuple) else inner)
    stated: Hears | None = getattr(settings, "hears", None) or getattr(module, "HEARS", None)
    if stated:
        return stated
    if find := getattr(module, "capabilities", None):
        found: Hears = await find(settings)
        return found
    async with open_model(model) as opened:
        return opened.hears


def probed(file: str, hears: Hears, limits: Limits) -> dict[str, Any]:
    """What a file holds, and what would be sent of it."""
    from earmark.audio.prepare import prepare
    from earmark.audio.read import clip_bytes, inspect
    from earmark.errors import AskError
    from earmark.types import Clip, Prompt, Sound, Turn, Wave

    told: dict[str, Any] = {"file": file, "state": "ok", "reason": None}
    told |= dict.fromkeys(("format", "rate", "channels", "frames", "seconds", "sent"))
    notes: tuple[str, ...] = ()
    try:
        info = inspect(clip_bytes(Clip(file), limits)[0], file, limits)
        notes = info.notes
        told |= {"format": info.format, "rate": info.rate, "channels": info.channels}
        told |= {"frames": info.frames, "seconds": info.seconds}
        (sent,) = prepare(Prompt((Turn("user", (Clip(file),)),)), hears, limits).turns[0].parts
        if isinstance(sent, Sound | Wave):
            notes = sent.notes
            told["sent"] = _sent(sent)
    except AskError as error:
        told |= {"state": "sound-failed", "reason": str(error)}
    return told | {"notes": list(notes)}


def _sent(sound: Sound | Wave) -> dict[str, Any]:
    from earmark.data.cache import short
    from earmark.types import Wave

    data = sound.samples.tobytes() if isinstance(sound, Wave) else sound.data
    return {
        "format": "samples" if isinstance(sound, Wave) else sound.format,
        "rate": sound.rate,
        "channels": sound.samples.shape[0] if isinstance(sound, Wave) else sound.channels,
        "seconds": sound.seconds,
        "bytes": len(data),
        "digest": short(data),
    }


def _readable(told: dict[str, Any]) -> str:
    lines = [told["file"], f"  state  {told['state']}"]
    if told["reason"]:
        lines.append(f"  reason {told['reason']}")
    if told["rate"]:
        lines.append(f"  holds  {_described(told)}, {told['frames']:,} frames")
    if sent := told["sent"]:
        lines.append(f"  sent   {_described(sent)}, {sent['bytes']:,} bytes, digest {sent['digest']}")
    return "\n".join([*lines, *(f"  note   {note}" for note in told["notes"]), ""])


def _described(sound: dict[str, Any]) -> str:
    channels = f"{sound['channels']} channel{'s' if sound['channels'] > 1 else ''}"
    return f"{sound['format']}, {sound['rate']} Hz, {channels}, {sound['seconds']:.3f} s"
