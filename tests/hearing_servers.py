"""Servers that hear, and servers that do not."""

from __future__ import annotations

import asyncio
import io
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import soundfile
from aiohttp import web
from servers import Server, sounds, words

from earmark.config.compose import compose_config
from earmark.engine.open import open_model
from earmark.preflight.check import run_preflight
from earmark.preflight.probes import OPEN_QUESTION
from earmark.preflight.verdict import PreflightReport
from earmark.types import Prompt, SynthSpec, Turn

TONE = SynthSpec("tone", {"frequency": 440.0, "seconds": 1.0, "level": -20.0}, "tone")
Body = dict[str, Any]


def reply(text: str, tokens_in: int | None, sound: int = 0) -> web.Response:
    usage = {"prompt_tokens": tokens_in, "prompt_tokens_details": {"audio_tokens": sound}} if tokens_in else None
    choice = {"finish_reason": "stop", "message": {"content": text}}
    return web.json_response({"choices": [choice], "usage": usage})


def heard(body: Body) -> str:
    """What a model that hears says: something about the samples."""
    given = [soundfile.read(io.BytesIO(data), dtype="int16")[0] for _, data in sounds(body)]
    return f"I hear {[int(np.abs(np.diff(samples, axis=0).astype(int)).sum()) for samples in given]}"


dice = itertools.count()
SERVERS: dict[str, tuple[Callable[[Body], web.Response], str, str]] = {
    "hears": (lambda body: reply(heard(body), 20 + 30 * len(sounds(body))), "audio_received", ("replies differ with the sound; "
        "the server counts it")),
    "hears, counts nothing": (lambda body: reply(heard(body), None), "audio_received", "replies differ with the sound"),
    "hears, counts words only": (lambda body: reply(heard(body), 20), "audio_received", "replies differ with the sound"),
    "the same answer, sound counted": (lambda body: reply("A", 20 + 30 * len(sounds(body))), "audio_received", ("50 tokens in, "
        "20 without")),
    "the same answer, sound counted apart": (lambda body: reply("A", 20, 5), "audio_received", "5 audio tokens"),
    "deaf": (lambda body: reply("A", 20 + len(words(body))), "no_audio", "the same reply ('A') and the same 60 tokens in"),
    "the same answer, nothing counted": (lambda _: reply("A", None), "inconclusive", "the same reply to every sound"),
    "rolls dice": (lambda _: reply(f"{next(dice)}", 20), "inconclusive", "replies vary for the same sound"),
    "hears, only when asked openly": (
        lambda body: reply(heard(body) if words(body) == OPEN_QUESTION else "A", None),
        "audio_received",
        "replies differ with the sound",
    ),
}  # fmt: skip


def look(server: Server, prompt: Prompt | None = None, thorough: bool = False, **settings: Any) -> PreflightReport:
    async def go() -> PreflightReport:
        async with open_model({"backend": "openai", "base_url": server.url, **settings}) as model:
            asked = prompt or Prompt((Turn("user", (TONE, "Which? A. yes B. no")),))
            (report,) = await run_preflight(model, asked, compose_config([]).run, thorough=thorough)
            return report

    return asyncio.run(go())
