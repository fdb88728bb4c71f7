"""Waveforms and spectrograms."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import numpy.typing as npt
import pytest
import soundfile

from earmark.errors import BadData
from earmark.types import EncodedAudio
from earmark.viewer.drawing import BLOCK, COLUMNS, POINTS, ROWS, describe_sound, draw_spectrogram, encode_png, palette

RATE = 16_000


def encoded(samples: npt.NDArray[np.float64], form: str = "wav", rate: int = RATE) -> EncodedAudio:
    file = io.BytesIO()
    subtype = "FLOAT" if form == "wav" else None
    soundfile.write(file, samples, rate, format=form.upper(), subtype=subtype)
    channels = 1 if samples.ndim == 1 else samples.shape[1]
    return EncodedAudio(file.getvalue(), form, rate, channels, len(samples) / rate)


def tone(hertz: float, seconds: float, level: float = 0.5) -> npt.NDArray[np.float64]:
    return level * np.sin(2 * np.pi * hertz * np.arange(int(seconds * RATE)) / RATE)


def cells(png: bytes) -> npt.NDArray[np.uint8]:
    """Decode a PNG of our own."""
    width, height = struct.unpack(">II", png[16:24])
    start = png.index(b"IDAT") + 4
    size = struct.unpack(">I", png[start - 8 : start - 4])[0]
    rows = np.frombuffer(zlib.decompress(png[start : start + size]), np.uint8).reshape(height, width + 1)
    return rows[:, 1:]


def test_levels_and_length() -> None:
    info = describe_sound(encoded(tone(440, 1.0)))
    assert (info.rate, info.channels, info.duration) == (RATE, 1, 1.0)
    assert info.level == pytest.approx(20 * np.log10(0.5 / np.sqrt(2)), abs=0.01)
    assert info.peak == pytest.approx(0.5, abs=0.001)
    assert len(info.peaks[0]) == POINTS


def test_peaks_are_where_the_sound_is_whatever_the_blocks() -> None:
    samples = np.zeros(2 * BLOCK + 777)
    places = [0, BLOCK - 1, BLOCK, 2 * BLOCK + 700]
    samples[places] = [0.1, 0.2, -0.3, 0.4]
    (peaks,) = describe_sound(encoded(samples)).peaks
    for place, level in zip(places, (0.1, 0.2, 0.3, 0.4), strict=True):
        assert peaks[place * POINTS // samples.size] >= level - 1e-4
    assert sum(value > 0 for value in peaks) in (3, 4)


def test_two_channels_and_silence_and_few_frames() -> None:
    both = describe_sound(encoded(np.stack([tone(440, 0.1), np.zeros(1600)], axis=1)))
    assert (len(both.peaks), max(both.peaks[1])) == (2, 0.0)
    silent = describe_sound(encoded(np.zeros(800)))
    assert (silent.level, silent.peak) == (None, 0.0)
    assert len(describe_sound(encoded(np.array([0.5, -0.25]))).peaks[0]) == 2


@pytest.mark.parametrize("form", ["flac", "ogg", "mp3"])
def test_other_formats(form: str) -> None:
    info = describe_sound(encoded(tone(440, 0.5), form))
    assert info.level == pytest.approx(-9.0, abs=0.5)


@pytest.mark.parametrize("data", [b"", b"root:x:0:0:root:/root:/bin/bash\n" * 40, b"RIFF", b"<script>"])
def test_bytes_that_are_no_sound(data: bytes) -> None:
    for draw in (describe_sound, draw_spectrogram):
        with pytest.raises(BadData, match="cannot be decoded"):
            draw(EncodedAudio(data, "wav", RATE, 1, 1.0, "passwd"))


@pytest.mark.parametrize("seconds", [0.01, 0.3, 5.0, 40.0])
@pytest.mark.parametrize("hertz", [500, 3000])
def test_a_tone_is_a_line_at_its_frequency(hertz: float, seconds: float) -> None:
    drawn = cells(draw_spectrogram(encoded(tone(hertz, seconds))))
    assert drawn.shape[0] == ROWS
    assert drawn.shape[1] <= COLUMNS
    rows = ROWS - 1 - drawn.argmax(axis=0)
    middle = rows[len(rows) // 4 : -len(rows) // 4] if len(rows) > 4 else rows
    assert np.abs(middle * RATE / (2 * ROWS) - hertz).max() < 70


def test_the_ends_are_no_clicks() -> None:
    drawn = cells(draw_spectrogram(encoded(tone(500, 2.0)))).astype(float)
    assert np.abs(drawn[:, -1].mean() - drawn[:, 300].mean()) < 20
    assert np.abs(drawn[:, 0].mean() - drawn[:, 300].mean()) < 20


def test_each_channel_is_drawn_apart() -> None:
    sound = encoded(np.stack([tone(500, 1.0), tone(3000, 1.0)], axis=1))
    low, high = (ROWS - 1 - cells(draw_spectrogram(sound, channel)).argmax(axis=0)[100] for channel in (0, 1))
    assert high > 4 * low
    with pytest.raises(BadData, match="found 2 channels"):
        draw_spectrogram(sound, 2)


def test_the_palette_grows_brighter() -> None:
    colours = np.frombuffer(palette(), np.uint8).reshape(256, 3)
    brightness = colours @ np.array([0.2126, 0.7152, 0.0722])
    assert (np.diff(brightness) > -0.6).all()
    assert cells(encode_png(np.arange(6, dtype=np.uint8).reshape(2, 3))).tolist() == [[0, 1, 2], [3, 4, 5]]
