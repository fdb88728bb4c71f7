"""Several sounds as one, with silence between, for models that take one sound in a prompt."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from earmark.audio.prepare import mono, resample
from earmark.audio.read import title, wave
from earmark.types import Heard, Seconds, Wave


def joined(sounds: Sequence[Heard], gap: Seconds) -> Wave:
    """Sounds in a row, each but the first after so much silence, at the highest of their rates.

    Sounds of unlike channels are mixed to one. The sources of all of them are its source, in order.

    >>> from earmark.types import Recipe
    >>> tone = Recipe("tone", {"frequency": 440, "seconds": 0.5, "level": -20}, "tone")
    >>> joined((tone, tone), 1.0).seconds
    2.0
    """
    waves = [wave(sound) for sound in sounds]
    rate = max(one.rate for one in waves)
    alike = len({one.samples.shape[0] for one in waves}) == 1
    samples = [resample(one.samples if alike else mono(one.samples), one.rate, rate) for one in waves]
    silence = np.zeros((samples[0].shape[0], round(gap * rate)), np.float32)
    row = [part for one in samples for part in (silence, one)][1:]
    notes = [note for one in waves for note in one.notes]
    return Wave(
        np.ascontiguousarray(np.concatenate(row, axis=1)),
        rate,
        "+".join(title(sound) for sound in sounds),
        " ".join(one.words for one in waves if one.words),
        "+".join(one.source for one in waves),
        (*notes, f"joined {len(waves)} sounds, {gap:g} s of silence between"),
    )
