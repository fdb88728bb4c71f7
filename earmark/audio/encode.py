"""From samples to the bytes of a sound file."""

from __future__ import annotations

import io
import wave as riff

import numpy as np

from earmark.types import Wave


def wav(sound: Wave) -> bytes:
    """A wav file of 16-bit samples. Samples beyond full scale are clipped; `clipped` counts them.

    >>> len(wav(Wave(np.zeros((2, 100), np.float32), 8000)))
    444
    """
    whole = np.rint(sound.samples.T * 32768.0)
    pcm = np.clip(whole, -32768, 32767).astype("<i2")
    out = io.BytesIO()
    with riff.open(out, "wb") as file:
        file.setnchannels(sound.samples.shape[0])
        file.setsampwidth(2)
        file.setframerate(sound.rate)
        file.writeframes(pcm.tobytes())
    return out.getvalue()


def clipped(sound: Wave) -> int:
    """How many samples lie beyond full scale."""
    return int(np.count_nonzero(np.abs(sound.samples) > 1.0))
