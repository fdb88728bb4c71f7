"""Functions as models, for `model=fake model.reply=examples.listeners:NAME`.

A function gets the same prompt as a model, audio included, and returns the text of its response.
"""

from __future__ import annotations

import numpy as np

from earmark.audio.read import load_waveform
from earmark.types import Audio, Prompt


def loudest(prompt: Prompt) -> str:
    """Choose the louder of two sounds: a perfect listener for one task of `acoustics`."""
    sounds = [load_waveform(part) for part in prompt.turns[-1].parts if isinstance(part, Audio)]
    power = [float(np.mean(np.square(sound.samples))) for sound in sounds]
    return prompt.labels[int(np.argmax(power))]


def counter(prompt: Prompt) -> str:
    """Count the clips: a perfect listener for `examples.beeps`."""
    return prompt.labels[sum(isinstance(part, Audio) for part in prompt.turns[-1].parts) - 1]
