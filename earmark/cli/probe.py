"""Describe audio files, and how they would be sent to a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from earmark.cli._params import Word
from earmark.terminal.console import print_json, print_line

if TYPE_CHECKING:
    from earmark.types import Capabilities, EncodedAudio, Limits, Waveform


@click.command()
@click.argument("words", nargs=-1, type=Word(), metavar="FILE... SETTING...")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(words: tuple[str, ...], as_json: bool) -> None:
    """Describe each FILE, and how it would be sent: FILE... [model=NAME] [max_audio_seconds=SECONDS]
    [max_audio_bytes=BYTES].

    Nothing is sent. Exits with status 3 if a file fails.
    """
    import asyncio

    from earmark.cli._args import use_only
    from earmark.config.compose import compose_config
    from earmark.errors import BadData, UsageError
    from earmark.types import Limits

    files, settings = _split_arguments(words)
    if not files:
        raise UsageError(
            "no file is named; expected FILE... [model=NAME], such as earmark probe clip.wav model=whisper_tiny"
        )
    use_only("probe", settings, ("max_audio_seconds", "max_audio_bytes"), model=True)
    config = compose_config(settings)
    limits = Limits(config.run.max_audio_seconds, config.run.max_audio_bytes)
    named = any(word.startswith(("model=", "model.")) for word in settings)
    capabilities = asyncio.run(_capabilities(config.model if named else None))
    failed = 0
    for file in files:
        report = probe_file(file, capabilities, limits)
        failed += report["state"] != "ok"
        if as_json:
            print_json(report)
        else:
            print_line(*_to_lines(report))
    if failed:
        raise BadData(f"{failed} of {len(files)} files failed; the reasons are printed with each")


def _split_arguments(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split words into files and settings; an existing file may have = in its name."""
    from pathlib import Path

    settings = [word for word in words if "=" in word and not Path(word).exists()]
    return [word for word in words if word not in settings], settings


async def _capabilities(model: Mapping[str, Any] | None) -> Capabilities:
    """Return the capabilities of a model; the default ones if none is named.

    The model is opened only if neither its settings nor its backend state them.
    """
    from earmark import plugins
    from earmark.config.parse import parse_model
    from earmark.engine.open import open_model
    from earmark.plugins.abilities import FindsCapabilities, KnowsCapabilities, StatesCapabilities, WrapsModels
    from earmark.types import Capabilities

    if model is None:
        return Capabilities()
    config = parse_model(model)
    settings, module = config.settings, plugins.find_plugin("models", config.common.backend).module
    if isinstance(module, WrapsModels):
        return await _capabilities(module.heard_by(settings))
    if isinstance(settings, StatesCapabilities) and settings.capabilities:
        return settings.capabilities
    if isinstance(module, KnowsCapabilities):
        stated: Capabilities = module.CAPABILITIES
        return stated
    if isinstance(module, FindsCapabilities):
        found: Capabilities = await module.capabilities(settings)
        return found
    async with open_model(model) as opened:
        return opened.capabilities


def probe_file(file: str, capabilities: Capabilities, limits: Limits) -> dict[str, Any]:
    """Describe a file, and how it would be sent."""
    from earmark.audio.prepare import prepare_audio
    from earmark.audio.read import ClipLoader, inspect_audio
    from earmark.errors import AskError
    from earmark.types import Clip, EncodedAudio, Prompt, Turn, Waveform, replace

    report: dict[str, Any] = {"file": file, "state": "ok", "reason": None}
    report |= dict.fromkeys(("format", "rate", "channels", "frames", "seconds", "sent"))
    notes: tuple[str, ...] = ()
    try:
        loaded = ClipLoader(limits).load(Clip(file))
        info = inspect_audio(loaded.data, file, limits)
        notes = info.notes
        report |= {"format": info.format, "rate": info.rate, "channels": info.channels}
        report |= {"frames": info.frames, "seconds": info.seconds}
        prompt = Prompt((Turn("user", (replace(loaded, header=info),)),))
        (audio,) = prepare_audio(prompt, capabilities, limits).turns[0].parts
        if isinstance(audio, EncodedAudio | Waveform):
            notes = audio.notes
            report["sent"] = _describe_sent(audio)
    except AskError as error:
        report |= {"state": "sound-failed", "reason": str(error)}
    return report | {"notes": list(notes)}


def _describe_sent(sound: EncodedAudio | Waveform) -> dict[str, Any]:
    from earmark.data.cache import hash64
    from earmark.types import Waveform

    data = sound.samples.tobytes() if isinstance(sound, Waveform) else sound.data
    return {
        "format": "samples" if isinstance(sound, Waveform) else sound.format,
        "rate": sound.rate,
        "channels": sound.samples.shape[0] if isinstance(sound, Waveform) else sound.channels,
        "seconds": sound.seconds,
        "bytes": len(data),
        "digest": hash64(data),
    }


def _to_lines(report: dict[str, Any]) -> list[str]:
    lines = [report["file"], f"  state  {report['state']}"]
    if report["reason"]:
        lines.append(f"  reason {report['reason']}")
    if report["rate"]:
        lines.append(f"  holds  {_describe(report)}, {report['frames']:,} frames")
    if sent := report["sent"]:
        lines.append(f"  sent   {_describe(sent)}, {sent['bytes']:,} bytes, digest {sent['digest']}")
    return [*lines, *(f"  note   {note}" for note in report["notes"]), ""]


def _describe(sound: dict[str, Any]) -> str:
    channels = f"{sound['channels']} channel{'s' if sound['channels'] > 1 else ''}"
    return f"{sound['format']}, {sound['rate']} Hz, {channels}, {sound['seconds']:.3f} s"
