"""Several sounds as one."""

from __future__ import annotations

import numpy as np
import pytest

from earmark.audio.join import join_audio
from earmark.types import Waveform

LEFT_RIGHT = np.stack([np.full(8000, 0.5), np.full(8000, 0.1)]).astype(np.float32)


def wave(samples: object, rate: int, name: str) -> Waveform:
    return Waveform(np.atleast_2d(np.asarray(samples, np.float32)), rate, name, f"the words of {name}", f"id-{name}")


def test_sounds_follow_each_other_with_silence_between() -> None:
    first, second = wave(np.full(8000, 0.25), 8000, "a"), wave(np.full(4000, 0.5), 8000, "b")
    joined = join_audio((first, second), 0.5)
    assert joined.samples.shape == (1, 8000 + 4000 + 4000)
    assert np.all(joined.samples[0, :8000] == 0.25)
    assert not joined.samples[0, 8000:12000].any()
    assert np.all(joined.samples[0, 12000:] == 0.5)
    assert (joined.name, joined.source) == ("a+b", "id-a+id-b")
    assert joined.transcript == "the words of a the words of b"


def test_the_highest_rate_is_taken_and_unlike_channels_are_mixed() -> None:
    joined = join_audio((wave(LEFT_RIGHT, 8000, "stereo"), wave(np.zeros(16000), 16000, "mono")), 0.0)
    assert (joined.rate, joined.samples.shape) == (16000, (1, 32000))
    assert joined.samples[0, 4000] == pytest.approx(0.3, abs=0.01)
    alike = join_audio((wave(LEFT_RIGHT, 8000, "one"), wave(LEFT_RIGHT, 8000, "two")), 0.0)
    assert alike.samples.shape == (2, 16000)
