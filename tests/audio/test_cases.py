"""Public bug reports about sound, as small inputs with the right value: kind c of the team's cases."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from commands import earmark
from cooked_clips import SAMPLES, WAVS
from sounds import av_file, decibels, file_of, raw_wav, sine, with_sizes

from earmark.audio import encode, read
from earmark.audio.prepare import fit_audio, mono, resample
from earmark.errors import AudioError
from earmark.types import Capabilities, Clip, EncodedAudio, Waveform, replace


@pytest.fixture
def cases(shared: Path) -> Path:
    return shared / "cases" / "audio-cases"


def test_c01_a_cell_of_datasets_in_any_of_its_shapes() -> None:
    array = sine().astype(np.float32)
    wav = file_of(sine(), subtype="FLOAT")
    cells = [
        {"array": array, "sampling_rate": 16000},
        {"array": array.tolist(), "sampling_rate": 16000},
        {"bytes": wav, "path": None},
        {"bytes": wav, "path": "missing.mp3"},
        SimpleNamespace(get_all_samples=lambda: SimpleNamespace(data=array[None], sample_rate=16000)),
    ]
    for cell in cells:
        wave = read.from_datasets_cell(cell, "cell")
        assert (wave.rate, wave.samples.shape, str(wave.samples.dtype)) == (16000, (1, 16000), "float32")
        assert wave.samples[0].ndim == 1
        assert np.max(np.abs(wave.samples)) == pytest.approx(0.5, abs=0.001)
        assert wave.source


def test_c02_stereo_in_either_order_is_mixed_over_its_channels() -> None:
    first = np.stack([np.full(48000, 0.5), np.full(48000, -0.25)], axis=1)
    for array in (first, first.T):
        mixed = mono(read.from_array(array, 48000).samples)
        assert mixed.shape == (1, 48000)
        assert np.all(mixed == 0.125)
    with pytest.raises(AudioError, match=r"clip: an array of shape \(2, 2\) may be channels first or last"):
        read.from_array(np.zeros((2, 2)), 48000, "clip")


@pytest.mark.parametrize(
    ("bits", "sample"), [(16, "0040"), (24, "000040"), (32, "00000040"), (8, "c0")], ids=["16", "24", "32", "8"]
)
def test_c03_whole_numbers_are_scaled_by_their_own_full_scale(bits: int, sample: str) -> None:
    wave = read.decode_audio(raw_wav(bytes.fromhex(sample) * 100, bits=bits), "clip")
    assert wave.samples[0, 0] == pytest.approx(0.5, abs=1e-6)


def test_c04_what_is_too_loud_is_clipped_and_counted_and_never_wraps(tmp_path: Path) -> None:
    (tmp_path / "loud.wav").write_bytes(file_of([0.0, 0.25, 1.5, -1.5, 1.0, -1.0], subtype="FLOAT"))
    sent = fit_audio(Clip(str(tmp_path / "loud.wav")), WAVS)
    assert isinstance(sent, EncodedAudio)
    assert "clipped samples: 2" in sent.notes
    assert np.frombuffer(sent.data[44:], "<i2").tolist() == [0, 8192, 32767, -32768, 32767, -32768]


def test_c06_what_lies_above_the_new_band_does_not_come_back_as_something_else() -> None:
    wave = read.from_array(sine(12000.0, 2.0, 44100), 44100)
    slow = resample(wave.samples, 44100, 16000)
    assert slow.shape == (1, 32000)
    left = slow[0, 800:-800]
    assert decibels(float(np.mean(left**2)) / 0.125) <= -60


def test_c07_another_rate_is_resampled_and_not_relabelled() -> None:
    wave = read.from_array(sine(1000.0, 3.0, 44100), 44100)
    sent = fit_audio(wave, SAMPLES)
    assert isinstance(sent, Waveform)
    assert sent.rate == 16000
    assert abs(sent.samples.shape[1] - 48000) <= 1
    spectrum = np.abs(np.fft.rfft(sent.samples[0, :48000] * np.hanning(48000)))
    assert np.argmax(spectrum) / 3 == pytest.approx(1000, abs=2)
    assert decibels(float(np.mean(sent.samples[0, 800:-800] ** 2)) / 0.125) == pytest.approx(0, abs=0.1)
    assert any("resampled 44100 to 16000 Hz" in note for note in sent.notes)


@pytest.mark.parametrize(
    ("riff", "data"), [(0xFFFFFFFF, 0xFFFFFFFF), (0, 0), (36, 0), (0x7FFFFFFF, 0x7FFFFFDB), (0, 0xFFFFFFFF)]
)
def test_c10_a_length_that_nobody_filled_in_is_taken_from_the_bytes(riff: int, data: int, tmp_path: Path) -> None:
    whole = file_of(sine())
    path = tmp_path / "stream.wav"
    path.write_bytes(with_sizes(whole, riff, data))
    info = read.inspect_audio(path.read_bytes(), "stream.wav")
    assert (info.frames, info.seconds) == (16000, 1.0)
    assert info.notes == ("the header leaves the length open",)
    sent = fit_audio(Clip(str(path)), WAVS)
    assert isinstance(sent, EncodedAudio)
    assert sent.data == whole, "sent with its length filled in"


@pytest.mark.shared
def test_c12_a_file_cut_short_is_as_long_as_it_is_and_says_so(cases: Path) -> None:
    path = cases / "header-4410-has-236.wav"
    info = read.inspect_audio(path.read_bytes(), path.name)
    assert (info.rate, info.frames) == (44100, 236)
    assert info.seconds == pytest.approx(0.005351, abs=1e-5)
    assert info.notes == ("truncated: the header promises 4410 frames, 236 are there",)
    sent = fit_audio(Clip(str(path)), WAVS)
    assert sent.notes[0] == info.notes[0]
    assert sent.seconds == info.seconds


def test_c13_the_bytes_tell_what_a_file_is_and_its_name_does_not(tmp_path: Path) -> None:
    tone = sine()
    variants = {
        "flac": ("clip.wav", file_of(tone, form="FLAC")),
        "mp3": ("clip.wav", file_of(tone, form="MP3", subtype="MPEG_LAYER_III")),
        "wav": ("clip.mp3", file_of(tone)),
        "opus": ("", file_of(sine(rate=48000), 48000, form="OGG", subtype="OPUS")),
    }
    for form, (name, data) in variants.items():
        wave = read.from_datasets_cell(data, "bytes")
        assert wave.seconds == pytest.approx(1.0, abs=0.06)
        if name:
            (tmp_path / name).write_bytes(data)
            sent = fit_audio(Clip(str(tmp_path / name)), Capabilities(formats=("wav", "mp3", "flac", "opus")))
            assert isinstance(sent, EncodedAudio)
            assert (sent.format, sent.data == data) == (form, True)


@pytest.mark.shared
def test_c15_a_head_that_lies_about_the_length_is_not_believed(cases: Path) -> None:
    path = cases / "mp3-header-222s.mp3"
    info = read.inspect_audio(path.read_bytes(), path.name)
    assert (info.rate, info.channels) == (44100, 1)
    assert 0.49 <= info.seconds <= 0.56
    assert not info.plain, "whoever believes its head is misled: it is not sent as it is"
    for hears in (WAVS, Capabilities(), SAMPLES):
        sent = fit_audio(Clip(str(path)), replace(hears, seconds=30.0))
        assert 0.49 <= sent.seconds <= 0.56


def test_c16_a_sample_that_is_no_number_is_told_by_its_place() -> None:
    noise = np.random.default_rng(0).normal(0, 0.05, 16000).astype(np.float32)
    noise[8000] = np.nan
    with pytest.raises(AudioError, match="array: sample 8000 is not a finite number"):
        read.from_array(noise, 16000)
    with pytest.raises(AudioError, match="clip: sample 8000 is not a finite number"):
        read.decode_audio(file_of(noise, subtype="FLOAT"), "clip")


def test_c17_infinity_fails_and_an_absurd_sample_is_flagged_and_spoils_no_other() -> None:
    infinite = np.zeros(16000, np.float32)
    infinite[0] = np.inf
    with pytest.raises(AudioError, match="sample 0 is not a finite number"):
        read.from_array(infinite, 16000)
    absurd = sine().astype(np.float32)
    absurd[5000] = 1e29
    wave = read.from_array(absurd, 16000)
    assert wave.notes == ("out of range: 1 samples set to full scale, the largest was 1e+29",)
    rest = np.delete(wave.samples[0], 5000)
    assert np.array_equal(rest, np.delete(sine().astype(np.float32), 5000))
    assert np.max(np.abs(wave.samples)) <= 1.0


def test_c18_nothing_is_cut_after_half_a_minute_without_a_word() -> None:
    frames = 999280
    samples = np.zeros(frames)
    samples[640000:656000] = sine(1000.0)
    wave = read.from_array(samples, 16000)
    sent = fit_audio(wave, SAMPLES)
    assert isinstance(sent, Waveform)
    assert sent.samples.shape[1] == frames
    assert np.any(sent.samples[0, 640000:656000])
    with pytest.raises(AudioError, match=r"lasts 62\.45 s, the model hears 30 s; nothing was cut or sent"):
        fit_audio(wave, replace(SAMPLES, seconds=30.0))


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "rate", "channels", "frames", "tolerance"),
    [
        ("float64-wavex-48k.wav", 48000, 2, 480, 0),
        ("rf64-32bit.wav", 44100, 1, 4410, 0),
        ("rifx-float32.wav", 44100, 2, 441, 0),
        ("mp3-in-wav.wav", 44100, 1, 46080, 1300),
        ("pcm24-3ch-8k.wav", 8000, 3, 5, 0),
    ],
)
def test_c22_wav_in_all_its_flavours(
    cases: Path, name: str, rate: int, channels: int, frames: int, tolerance: int
) -> None:
    data = (cases / name).read_bytes()
    info, wave = read.inspect_audio(data, name), read.decode_audio(data, name)
    assert (info.format, info.rate, info.channels) == ("wav", rate, channels)
    assert abs(info.frames - frames) <= tolerance
    assert wave.samples.shape == (channels, info.frames)
    if name == "pcm24-3ch-8k.wav":
        assert np.max(np.abs(wave.samples)) == 1.0
    again = read.decode_audio(encode.encode_wav(wave), name)
    assert np.allclose(again.samples, wave.samples, atol=1 / 32768)


def test_c24_blanks_accents_and_pictures_in_a_path() -> None:
    folder = Path("音频 测试 ñ")
    folder.mkdir()
    for at in range(2):
        (folder / f"clip-{at}.wav").write_bytes(file_of(sine()))
    odd = folder / "clip 01 (ü) 🎧.wav"
    odd.write_bytes(file_of(sine()))
    wave = read.load_waveform(Clip(str(odd)))
    assert np.array_equal(wave.samples, read.load_waveform(Clip(str(folder / "clip-0.wav"))).samples)
    assert wave.samples.shape == (1, 16000)
    done = earmark("run", "mine.bench", "items=2", "model=fake", f"data={folder}")
    assert done.returncode == 0, done.stderr
    (journal,) = Path("results").rglob("responses.jsonl")
    assert f"{folder}/clip-0.wav" in journal.read_text(encoding="utf-8")
    told = earmark("probe", str(odd), "--json")
    assert f'"file":"{odd}"' in told.stdout


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="asks Linux how much memory it has")
def test_c25_memory_does_not_grow_with_what_was_decoded() -> None:
    data = file_of(np.random.default_rng(0).normal(0, 0.1, (441000, 2)), 44100)

    def used() -> tuple[float, int]:
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6, len(list(Path("/proc/self/fd").iterdir()))

    before = (0.0, 0)
    for at in range(500):
        fit_audio(read.decode_audio(data, "clip"), SAMPLES)
        if at == 49:
            before = used()
    after = used()
    assert after[0] - before[0] < 30
    assert after[1] == before[1]


@pytest.mark.shared
def test_c26_containers_that_one_library_does_not_read(cases: Path) -> None:
    for name, seconds, tolerance in (("mp3-in-m4a.m4a", 1.03, 0.03), ("opus-8k-5s.opus", 5.0, 0.02)):
        wave = read.decode_audio((cases / name).read_bytes(), name)
        assert wave.seconds == pytest.approx(seconds, abs=tolerance)


@pytest.mark.parametrize(
    ("form", "codec", "rate", "ours"),
    [
        ("mp4", "aac", 16000, "m4a"),
        ("ipod", "aac", 44100, "m4a"),
        ("webm", "libopus", 48000, "webm"),
        ("adts", "aac", 16000, "aac"),
        ("mpegts", "aac", 16000, "mpegts"),
    ],
)
def test_what_libsndfile_does_not_read_ffmpeg_does(form: str, codec: str, rate: int, ours: str) -> None:
    data = av_file(sine(), 16000, form, codec, rate)
    info, wave = read.inspect_audio(data, "clip"), read.decode_audio(data, "clip")
    assert (info.format, info.rate, wave.rate) == (ours, rate, rate)
    assert info.seconds == pytest.approx(1.0, abs=0.1)
    assert wave.samples.shape == (1, info.frames)
    assert any("decoded by PyAV" in note for note in wave.notes)
    middle = wave.samples[0, rate // 4 : rate // 4 + rate // 2]
    assert decibels(float(np.mean(middle**2)) / 0.125) == pytest.approx(0, abs=0.5)
