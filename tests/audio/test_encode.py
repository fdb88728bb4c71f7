"""Encoding: what is written is read back, at the rate and with the channels that were asked for."""

from __future__ import annotations

import numpy as np
import pytest
from sounds import sine

from earmark.audio import encode, read
from earmark.errors import AudioError


def test_encoding_and_decoding_give_the_same_samples() -> None:
    rng = np.random.default_rng(0)
    steps = rng.integers(-32768, 32768, (2, 1000))
    wave = read.from_array((steps / 32768).astype(np.float32), 16000)
    for form in ("wav", "flac"):
        assert np.array_equal(read.decode_audio(encode.encode(wave, form), "x").samples, wave.samples)
    assert np.array_equal(encode.pcm(wave).T, steps)


@pytest.mark.parametrize("form", ["flac", "mp3", "ogg", "opus"])
def test_channels_stay_what_they_are(form: str) -> None:
    both = np.stack([sine(440.0, amplitude=0.3), sine(700.0, amplitude=0.1)])
    back = read.decode_audio(encode.encode(read.from_array(both, 16000), form, bits=64_000), "x").samples[:, 4000:12000]
    for channel, amplitude in zip(back, (0.3, 0.1), strict=True):
        assert np.sqrt(2 * np.mean(channel**2)) == pytest.approx(amplitude, rel=0.08)


@pytest.mark.parametrize(("form", "kilobits"), [("mp3", 32), ("mp3", 64), ("opus", 16), ("opus", 32)])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("rate", [16000, 48000])
def test_a_bit_rate_is_met(form: str, kilobits: int, channels: int, rate: int) -> None:
    noise = np.random.default_rng(1).normal(0, 0.1, (channels, 5 * rate))
    data = encode.encode(read.from_array(noise, rate), form, bits=kilobits * 1000)
    assert len(data) * 8 / 5 / 1000 == pytest.approx(kilobits, rel=0.25)


def test_a_rate_that_a_format_lacks_is_refused_by_the_encoder() -> None:
    with pytest.raises(AudioError, match="44100 Hz"):
        encode.encode(read.from_array(sine(rate=44100), 44100), "opus")
    with pytest.raises(AudioError, match="3 channels"):
        encode.encode(read.from_array(np.zeros((3, 100)), 16000), "mp3")
