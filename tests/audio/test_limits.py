"""Limits on sound and its rates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sounds import file_of, raw_wav, sine

from earmark.audio import read
from earmark.audio.limits import DEFAULT_LIMITS, MAX_RATE, MIN_RATE, check_rate, limits_of
from earmark.audio.prepare import fit_audio, prepare_audio
from earmark.audio.read import ClipLoader, passthrough
from earmark.errors import AudioError
from earmark.types import Capabilities, Clip, Limits, Prompt, SynthSpec, Turn


@pytest.mark.parametrize("rate", [MIN_RATE - 1, MAX_RATE + 1, 0, float("nan")])
def test_a_rate_that_no_sound_has_is_refused(rate: float) -> None:
    with pytest.raises(AudioError, match=r"clip: has .* samples a second, expected at least 1000 and at most 768000"):
        check_rate(rate, "clip")
    check_rate(MIN_RATE, "clip")
    check_rate(MAX_RATE, "clip")


def test_sound_that_takes_the_place_of_a_clip_has_its_limits(tmp_path: Path) -> None:
    path = tmp_path / "clip.wav"
    path.write_bytes(file_of(sine()))
    limits = Limits(max_seconds=2.0)
    assert limits_of(ClipLoader(limits).load(Clip(str(path)))) == limits
    assert limits_of(SynthSpec("silence", {"seconds": 1.0})) == DEFAULT_LIMITS


def test_bytes_that_a_condition_hands_over_keep_the_limits_of_the_run(tmp_path: Path) -> None:
    path = tmp_path / "clip.wav"
    path.write_bytes(file_of(sine()))
    encoded = passthrough(ClipLoader().load(Clip(str(path))))
    assert encoded is not None
    with pytest.raises(AudioError, match=r"the limit is max_audio_seconds=0\.5;"):
        fit_audio(encoded, Capabilities(), Limits(max_seconds=0.5))
    assert fit_audio(encoded, Capabilities(), Limits(max_seconds=1.0)) is encoded


def test_a_loaded_clip_keeps_the_limits_under_which_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "long.wav"
    path.write_bytes(file_of(sine(seconds=2.0)))
    loaded = read.ClipLoader(Limits(max_seconds=1.0)).load(Clip(str(path)))
    with pytest.raises(AudioError, match="the limit is max_audio_seconds=1;"):
        read.load_waveform(loaded)
    assert read.load_waveform(Clip(str(path))).seconds == 2.0


@pytest.mark.parametrize("rate", [1, 300, 999, 1000, 768_000, 768_001, 2**31 - 1, 4_000_000_000])
@pytest.mark.parametrize("shape", ["canonical", "with a further chunk", "float", "24 bits", "wide"])
@pytest.mark.parametrize("formats", [("wav", "mp3"), ("samples",), ("ogg",), ("flac",)])
def test_an_impossible_rate_fails_by_name_on_every_road(
    rate: int, shape: str, formats: tuple[str, ...], tmp_path: Path
) -> None:
    """Untouched bytes, samples or encoded anew: the bounds are the same."""
    tag, bits = {"float": (3, 32), "24 bits": (1, 24), "wide": (1, 64)}.get(shape, (1, 16))
    data = raw_wav(np.tile(np.array([0.1, -0.1], "<f4"), 3000).tobytes(), tag=tag, bits=bits, rate=rate)
    if shape == "with a further chunk":
        data = data[:12] + b"LIST\x04\x00\x00\x00INFO" + data[12:]
    path = tmp_path / "odd.wav"
    path.write_bytes(data)
    if MIN_RATE <= rate <= MAX_RATE:
        assert read.inspect_audio(data, "odd.wav").rate == rate
        prepare_audio(Prompt((Turn("user", (Clip(str(path)),)),)), Capabilities(formats=formats))
        return
    for look in (
        lambda: read.inspect_audio(data, "odd.wav"),
        lambda: prepare_audio(Prompt((Turn("user", (Clip(str(path)),)),)), Capabilities(formats=formats)),
        lambda: read.load_waveform(Clip(str(path), start=0.0, end=0.001)),
        lambda: read.from_array(np.zeros(100, np.float32), rate, "odd.wav"),
    ):
        with pytest.raises(AudioError, match=r"odd\.wav: (has|its rate is) -?\d+.*at least 1000 .*at most 768000"):
            look()


def test_limits_are_looked_at_before_memory_is_taken(tmp_path: Path) -> None:
    huge = tmp_path / "huge.wav"
    with huge.open("wb") as file:
        file.truncate(5 << 30)  # a hole of 5 GiB
    for clip in (Clip(str(huge)), Clip(str(huge), start=1.0, end=2.0)):
        with pytest.raises(
            AudioError, match=r"huge\.wav: has 5,368,709,120 bytes, the limit is max_audio_bytes=1073741824"
        ):
            read.load_waveform(clip)
    flac = bytearray(file_of(sine(), form="FLAC"))
    at = flac.index(b"fLaC") + 8 + 13  # the last 36 bits before the digest in STREAMINFO: the number of samples
    flac[at : at + 5] = bytes([flac[at] & 0xF0 | 0x3, 0xFF, 0xFF, 0xFF, 0xFF])
    with pytest.raises(
        AudioError, match=r"clip: by its header lasts 1,073,741\.8 s, the limit is max_audio_seconds=14400"
    ):
        read.decode_audio(bytes(flac), "clip")


def test_limits_are_settings() -> None:
    data = file_of(sine(seconds=2.0))
    with pytest.raises(AudioError, match=r"lasts 2\.0 s, the limit is max_audio_seconds=1; decode a stretch of it"):
        read.decode_audio(data, "clip", limits=Limits(max_seconds=1.0))
    with pytest.raises(AudioError, match="would take 128,000 bytes of memory, the limit is max_audio_bytes=100000"):
        read.decode_audio(data, "clip", limits=Limits(max_bytes=100000))
    assert read.decode_audio(data, "clip", 0.5, 1.0, Limits(max_seconds=1.0)).seconds == 0.5
    vbr = file_of(sine(seconds=2.0), form="MP3", subtype="MPEG_LAYER_III")
    with pytest.raises(AudioError, match="the limit is max_audio_seconds=1"):
        read.decode_audio(vbr, "clip", limits=Limits(max_seconds=1.0))
