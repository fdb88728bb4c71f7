"""Sounds in a row: nothing of any is lost, and each but the first comes after the silence between."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sounds import sine

from earmark.audio.join import join_audio
from earmark.audio.read import load_waveform
from earmark.types import Audio, SynthSpec, Waveform

TONE = SynthSpec("tone", {"frequency": 440.0, "seconds": 0.5, "level": -20.0}, "tone", "a tone")


def wave(
    frames: int, channels: int = 1, rate: int = 16000, name: str = "", transcript: str = "", source: str = ""
) -> Waveform:
    return Waveform(np.full((channels, frames), 0.25, np.float32), rate, name, transcript, source)


@given(st.lists(st.integers(1, 200), min_size=1, max_size=5), st.integers(0, 400))
def test_all_samples_stand_in_order_with_silence_between(lengths: list[int], gap: int) -> None:
    sounds = [Waveform(np.full((1, frames), at / 10, np.float32), 16000) for at, frames in enumerate(lengths, start=1)]
    joined = join_audio(sounds, gap / 16000).samples[0]
    expected = np.concatenate([np.r_[np.zeros(gap), sound.samples[0]] for sound in sounds])[gap:]
    assert np.array_equal(joined, expected.astype(np.float32))


def test_one_sound_alone_is_what_it_was() -> None:
    joined = join_audio([TONE], 5.0)
    assert np.array_equal(joined.samples, load_waveform(TONE).samples)
    assert (joined.rate, joined.source) == (load_waveform(TONE).rate, load_waveform(TONE).source)


def test_the_highest_rate_is_taken_and_no_sound_changes_its_length() -> None:
    low = Waveform(sine(440.0, 1.0, 8000)[None].astype(np.float32), 8000)
    joined = join_audio([low, wave(24000, rate=48000)], 0.25)
    assert joined.rate == 48000
    assert joined.seconds == pytest.approx(1.0 + 0.25 + 0.5, abs=1 / 8000)


@pytest.mark.parametrize(("channels", "expected"), [((2, 2), 2), ((1, 2), 1), ((2, 1, 2), 1)])
def test_sounds_of_unlike_channels_are_mixed_to_one(channels: tuple[int, ...], expected: int) -> None:
    joined = join_audio([wave(10, count) for count in channels], 0.0)
    assert joined.samples.shape == (expected, 10 * len(channels))
    assert np.allclose(joined.samples, 0.25)


def test_names_words_sources_and_notes_of_all_are_kept() -> None:
    first: Audio = wave(10, name="a", transcript="hello", source="1")
    second = Waveform(np.zeros((1, 10), np.float32), 16000, "b", "", "2", ("clipped samples: 3",))
    joined = join_audio([first, second, wave(10, name="c", transcript="there", source="3")], 0.5)
    assert (joined.name, joined.transcript, joined.source) == ("a+b+c", "hello there", "1+2+3")
    assert joined.notes == ("clipped samples: 3", "joined 3 sounds, 0.5 s of silence between")
