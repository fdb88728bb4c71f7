"""Codecs: place, length and bit rate."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from condition_sounds import NONE, make_condition, speech_like, through

from earmark.audio import read
from earmark.audio.prepare import resample
from earmark.types import Waveform


@pytest.mark.parametrize("argument", ["mp3@32k", "mp3@64k", "opus@16k", "opus@32k"])
@pytest.mark.parametrize(("rate", "channels"), [(16000, 1), (44100, 2), (8000, 1), (96000, 1)])
def test_a_codec_keeps_place_and_length_and_meets_its_rate(argument: str, rate: int, channels: int) -> None:
    clean = speech_like(3.0, rate, channels)
    (coded,) = through(make_condition("codec", argument, 0, NONE), clean)
    assert coded.seconds == pytest.approx(3.0, abs=1 / 8000)
    assert coded.samples.shape[0] == channels
    aim = float(argument.partition("@")[2].removesuffix("k"))
    (note,) = (note for note in coded.notes if note.startswith("through "))
    real = float(note.partition("(")[2].split()[0])
    assert real == pytest.approx(aim, rel=0.25)
    before = read.from_array(clean.samples, rate).samples if coded.rate == rate else through_rate(clean, coded.rate)
    frames = min(before.shape[1], coded.samples.shape[1])
    alike = np.corrcoef(before[0, :frames], coded.samples[0, :frames])[0, 1]
    assert alike > (0.85 if argument == "opus@16k" and channels == 2 else 0.95)


def test_a_bit_rate_that_a_codec_lacks_is_met_at_a_lower_rate_or_told() -> None:
    (slow,) = through(make_condition("codec", "mp3@8k", 0, NONE), speech_like(3.0, 44100, 1))
    assert slow.rate == 24000
    assert any(note.startswith("through mp3 at 8 kbit/s (8.") for note in slow.notes)
    (most,) = through(make_condition("codec", "mp3@128k", 0, NONE), speech_like(3.0, 8000, 1))
    assert any(note.startswith("through mp3 at 64 kbit/s, the most that it has here (6") for note in most.notes)


def through_rate(clean: Waveform, rate: int) -> npt.NDArray[np.float32]:
    return resample(clean.samples, clean.rate, rate)
