"""Functions as models: what `model=fake model.reply=examples.listeners:NAME` asks.

A function gets the prompt as a model would, sound included, and returns the text of its reply.
"""

from __future__ import annotations

import numpy as np

from earmark.audio.read import load_waveform
from earmark.types import Audio, Prompt


def loudest(prompt: Prompt) -> str:
    """Picks the louder of two sounds: a perfect ear for one task of `acoustics`."""
    sounds = [load_waveform(part) for part in prompt.turns[-1].parts if isinstance(part, Audio)]
    power = [float(np.mean(np.square(sound.samples))) for sound in sounds]
    return prompt.labels[int(np.argmax(power))]


def counter(prompt: Prompt) -> str:
    """Counts clips: a perfect ear for `examples.beeps`."""
    return prompt.labels[sum(isinstance(part, Audio) for part in prompt.turns[-1].parts) - 1]
