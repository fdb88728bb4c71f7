"""Several sounds as one, with silence between, for models that take one sound in a prompt."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from earmark.audio.prepare import mono, resample
from earmark.audio.read import display_name, load_waveform
from earmark.types import Audio, Part, Prompt, Seconds, Turn, Waveform, replace


def join_audio(sounds: Sequence[Audio], gap: Seconds) -> Waveform:
    """Sounds in a row, each but the first after so much silence, at the highest of their rates.

    Sounds of unlike channels are mixed to one. The sources of all of them are its source, in order.

    >>> from earmark.types import SynthSpec
    >>> tone = SynthSpec("tone", {"frequency": 440, "seconds": 0.5, "level": -20}, "tone")
    >>> join_audio((tone, tone), 1.0).seconds
    2.0
    """
    waves = [load_waveform(sound) for sound in sounds]
    rate = max(waveform.rate for waveform in waves)
    alike = len({waveform.samples.shape[0] for waveform in waves}) == 1
    samples = [
        resample(waveform.samples if alike else mono(waveform.samples), waveform.rate, rate) for waveform in waves
    ]
    silence = np.zeros((samples[0].shape[0], round(gap * rate)), np.float32)
    row = [part for waveform in samples for part in (silence, waveform)][1:]
    notes = [note for waveform in waves for note in waveform.notes]
    return Waveform(
        np.ascontiguousarray(np.concatenate(row, axis=1)),
        rate,
        "+".join(display_name(sound) for sound in sounds),
        " ".join(waveform.transcript for waveform in waves if waveform.transcript),
        "+".join(waveform.source for waveform in waves),
        (*notes, f"joined {len(waves)} sounds, {gap:g} s of silence between"),
    )


def join_turns(prompt: Prompt, gap: Seconds) -> Prompt:
    """The same prompt with the sounds of each turn as one, where the first of them stood."""
    return replace(prompt, turns=tuple(_join_turn(turn, gap) for turn in prompt.turns))


def _join_turn(turn: Turn, gap: Seconds) -> Turn:
    sounds = [part for part in turn.parts if isinstance(part, Audio)]
    if len(sounds) < 2:
        return turn
    first = next(index for index, part in enumerate(turn.parts) if isinstance(part, Audio))
    parts: list[Part] = [part for part in turn.parts if not isinstance(part, Audio)]
    return replace(turn, parts=(*parts[:first], join_audio(sounds, gap), *parts[first:]))
