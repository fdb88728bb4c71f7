"""Noise: its ratio, its colour, and babble of other clips."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from condition_sounds import NONE, RATE, level, make_condition, speech_like, through, tone
from sounds import decibels, sine

from earmark.audio import read
from earmark.audio.prepare import resample
from earmark.conditions import noise
from earmark.errors import Rejected
from earmark.types import Benchmark, replace


@pytest.mark.parametrize("ratio", [30.0, 10.0, 0.0, -10.0])
@pytest.mark.parametrize("colour", ["white", "pink"])
@pytest.mark.parametrize("channels", [1, 2])
def test_the_ratio_is_the_one_that_was_asked_for(ratio: float, colour: str, channels: int) -> None:
    clean = speech_like(channels=channels)
    condition = make_condition("noise", f"{colour}@{ratio}", 3, NONE)
    (noisy,) = through(condition, clean)
    scale = 1.0
    for note in noisy.notes:
        if note.startswith("turned down by "):
            scale = 10 ** (float(note.split()[3]) / 20)
    added = noisy.samples.astype(np.float64) * scale - clean.samples
    measured = decibels(float(np.mean(clean.samples.astype(np.float64) ** 2) / np.mean(added**2)))
    assert measured == pytest.approx(ratio, abs=0.1)
    assert f"{colour} noise added at {ratio:g} dB" in noisy.notes


@pytest.mark.parametrize("colour", ["white", "pink", "babble"])
@pytest.mark.parametrize("rate", [8000, 16000, 44100, 48000])
def test_the_ratio_is_the_same_whatever_the_rate_of_the_file(rate: int, colour: str, talkers: Benchmark) -> None:
    """At the 16 kHz that a model hears, 10 dB are 10 dB."""
    clean = speech_like(rate=rate)
    item = next(iter(talkers.items()))
    (noisy,) = through(make_condition("noise", f"{colour}@10", 3, talkers), clean, item=item)
    assert not any("turned down" in note for note in noisy.notes)
    before, after = (
        resample(samples, rate, 16000) if rate > 16000 else samples for samples in (clean.samples, noisy.samples)
    )
    measured = decibels(
        float(np.mean(before.astype(np.float64) ** 2) / np.mean((after - before).astype(np.float64) ** 2))
    )
    assert measured == pytest.approx(10, abs=0.1)


def test_what_lies_above_the_band_alone_gets_no_noise() -> None:
    (high,) = through(
        make_condition("noise", "10", 3, NONE), read.from_array(sine(15000.0, 1.0, 48000) * np.hanning(48000), 48000)
    )
    assert high.notes == ("silent: no noise has a ratio to it",)


def test_white_is_white_and_pink_is_pink() -> None:
    for colour, slope in ((noise.white_noise, 0.0), (noise.pink_noise, -3.0)):
        power = np.abs(np.fft.rfft(colour(np.random.RandomState(1), (1, 1 << 17))[0])) ** 2
        octaves = [np.mean(power[1 << at : 2 << at]) for at in range(8, 16)]
        steps = np.diff([decibels(float(each)) for each in octaves])
        assert np.mean(steps) == pytest.approx(slope, abs=0.3)


def test_silence_has_no_ratio_and_stays_silent() -> None:
    (silent,) = through(make_condition("noise", "10", 3, NONE), read.from_array(np.zeros(100), RATE))
    assert not silent.samples.any()
    assert silent.notes == ("silent: no noise has a ratio to it",)


def test_babble_is_other_clips_and_never_the_own(talkers: Benchmark) -> None:
    condition = make_condition("noise", "babble@0", 3, talkers)
    heard_of: Counter[int] = Counter()
    for at, item in enumerate(talkers.items()):
        clean = read.load_waveform(item.clips[0])
        (noisy,) = through(condition, item.clips[0], item=item)
        scale = np.max(np.abs(clean.samples)) if not any("turned" in note for note in noisy.notes) else None
        assert noisy.seconds == clean.seconds
        tones = [f for f in range(9) if level(noisy.samples[0], 400.0 + 100 * f, RATE) > 30 and f != min(at, 8)]
        heard_of.update(tones)
        assert 4 <= len(tones) <= noise.TALKERS, (at, tones, scale)
    assert len(heard_of) == 9, "all are heard somewhere"


def test_babble_takes_its_ratio_and_skips_what_cannot_be_read(talkers: Benchmark) -> None:
    items = list(talkers.items())
    Path(items[5].clips[0].path).write_bytes(b"broken")  # type: ignore[union-attr] # a Clip
    for item in items[:5]:
        clean = read.load_waveform(item.clips[0])
        (noisy,) = through(make_condition("noise", "babble@20", 3, talkers), item.clips[0], item=item)
        added = noisy.samples.astype(np.float64) - clean.samples
        assert decibels(float(np.mean(clean.samples**2) / np.mean(added**2))) == pytest.approx(20, abs=0.1)


def test_babble_of_nobody_is_refused() -> None:
    alone = replace(NONE, items=lambda: list(NONE.items())[:1])
    with pytest.raises(Rejected, match="the benchmark has no other sound"):
        through(make_condition("noise", "babble@0", 3, alone), tone(440), item=next(iter(NONE.items())))
