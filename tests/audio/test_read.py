"""Reading: the right samples, or a typed failure with the file's name; never success with nothing."""

from __future__ import annotations

import random
import struct
import sys
import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sounds import av_file, file_of, raw_wav, sine

from earmark.audio import _arrays, read
from earmark.data import clips
from earmark.data.cache import hash64
from earmark.errors import AudioError
from earmark.types import Clip, EncodedAudio, Limits, SynthSpec, Waveform

FORMS = [("WAV", "PCM_16"), ("FLAC", "PCM_16"), ("MP3", "MPEG_LAYER_III"), ("OGG", "VORBIS"), ("OGG", "OPUS")]
RAMP = np.array([0.5, -0.5, 0.25, -1.0])


@pytest.mark.parametrize("bits", [8, 16, 24, 32, 40, 48, 56, 64])
def test_whole_numbers_of_every_width(bits: int) -> None:
    width = bits // 8
    numbers = [int(value * 2 ** (bits - 1)) + (128 if bits == 8 else 0) for value in RAMP]
    payload = b"".join(number.to_bytes(width, "little", signed=bits > 8) for number in numbers) * 20
    wave = read.decode_audio(raw_wav(payload, bits=bits), "clip")
    assert np.allclose(wave.samples[0, :4], RAMP, atol=1e-6)
    assert wave.samples.shape == (1, 80)
    assert np.array_equal(
        read.decode_audio(raw_wav(payload, bits=bits), "clip", 10 / 16000, 14 / 16000).samples[0, :2], RAMP[2:]
    )


@pytest.mark.parametrize("subtype", ["FLOAT", "DOUBLE"])
@pytest.mark.parametrize("form", ["WAV", "WAVEX", "RF64", "W64", "AIFF", "CAF", "AU"])
def test_floats_in_every_box(form: str, subtype: str) -> None:
    wave = read.decode_audio(file_of(RAMP, form=form, subtype=subtype), "clip")
    assert np.array_equal(wave.samples[0], RAMP.astype(np.float32))


@pytest.mark.parametrize("form", ["WAV", "RF64"])
def test_big_numbers_first(form: str) -> None:
    data = file_of(RAMP, form="WAV", endian="BIG") if form == "WAV" else file_of(RAMP, form=form)
    assert np.array_equal(read.decode_audio(data, "clip").samples[0], RAMP.astype(np.float32))


def mu_law(code: int) -> float:
    """G.711: three bits of exponent, four of mantissa, all inverted."""
    code = ~code & 0xFF
    size = (((code & 15) << 3) + 132 << (code >> 4 & 7)) - 132
    return (-size if code & 128 else size) / 32768


def a_law(code: int) -> float:
    code ^= 0x55
    exponent, mantissa = code >> 4 & 7, (code & 15) << 4
    size = mantissa + 8 if not exponent else mantissa + 264 << exponent - 1
    return (size if code & 128 else -size) / 32768


@pytest.mark.parametrize(("tag", "law"), [(7, mu_law), (6, a_law)], ids=["mu-law", "A-law"])
def test_all_codes_of_both_laws(tag: int, law: object) -> None:
    wave = read.decode_audio(raw_wav(bytes(range(256)), tag=tag, bits=8, rate=8000), "clip")
    assert callable(law)
    assert wave.samples[0].tolist() == [law(code) for code in range(256)]


def test_chunks_before_and_behind_the_samples_are_no_sound() -> None:
    plain = raw_wav(np.arange(100, dtype="<i2").tobytes())
    odd = b"LIST" + struct.pack("<I", 5) + b"INFOx\0"  # an odd chunk has a byte of padding
    data = plain[:36] + odd + plain[36:] + odd
    info = read.inspect_audio(data, "clip")
    assert (info.plain, info.frames, info.notes) == (True, 100, ())
    assert read.decode_audio(data, "clip").samples.shape == (1, 100)
    empty = plain[:40] + struct.pack("<I", 0) + odd
    with pytest.raises(AudioError, match="clip: holds no sound"):
        read.inspect_audio(empty, "clip")


def test_a_long_chunk_before_the_samples_does_not_make_up_for_those_that_lack() -> None:
    plain = raw_wav(np.zeros(1000, "<i2").tobytes())
    junk = b"JUNK" + struct.pack("<I", 5000) + bytes(5000)
    info = read.inspect_audio(plain[:36] + junk + plain[36:-1000], "clip")
    assert (info.frames, info.plain) == (500, False)
    assert info.notes == ("truncated: the header promises 1000 frames, 500 are there",)


@pytest.mark.parametrize(("form", "subtype"), FORMS)
def test_a_stretch_is_that_part_of_the_whole(form: str, subtype: str) -> None:
    rng = np.random.default_rng(1)
    data = file_of(rng.normal(0, 0.1, (48000, 2)), 16000, form, subtype)
    whole = read.decode_audio(data, "clip").samples
    part = read.decode_audio(data, "clip", 0.7, 1.9)
    assert part.samples.shape == (2, 19200)
    assert np.allclose(part.samples, whole[:, 11200:30400], atol=2e-3 if form == "OGG" else 1e-6)
    assert np.allclose(
        read.decode_audio(data, "clip", 2.5).samples, whole[:, 40000:], atol=2e-3 if form == "OGG" else 1e-6
    )


def test_a_stretch_that_ffmpeg_decodes() -> None:
    data = av_file(sine(seconds=2.0), 16000, "mp4", "aac", 16000)
    whole = read.decode_audio(data, "clip").samples
    assert np.array_equal(read.decode_audio(data, "clip", 0.7, 1.2).samples, whole[:, 11200:19200])


@pytest.mark.parametrize(("start", "end"), [(-1.0, None), (float("nan"), None), (0.0, float("inf")), (0.5, -1.0)])
def test_a_stretch_that_is_none_is_refused(start: float, end: float | None) -> None:
    with pytest.raises(AudioError, match="is none; expected seconds from 0 on"):
        read.decode_audio(file_of(sine()), "clip", start, end)


@pytest.mark.parametrize("rate", [-5, float("nan"), "16000", 100])
def test_a_rate_that_is_none_is_refused(rate: object) -> None:
    with pytest.raises(AudioError, match="expected at least 1000 hertz"):
        read.from_datasets_cell({"array": [0.1] * 10, "sampling_rate": rate})


def test_a_stretch_beyond_the_end_is_told() -> None:
    data = file_of(sine())
    assert read.decode_audio(data, "clip", 0.5, 3.0).notes == (
        "the stretch is short: 2.5 s were wanted, 0.50 s are there",
    )
    with pytest.raises(AudioError, match=r"clip: holds no sound between 2 s and 3 s"):
        read.decode_audio(data, "clip", 2.0, 3.0)
    with pytest.raises(AudioError, match=r"clip: holds no sound between 0\.5 s and 0\.2 s"):
        read.decode_audio(data, "clip", 0.5, 0.2)


def test_a_stretch_of_a_large_file_is_read_from_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "long.wav"
    path.write_bytes(file_of(np.random.default_rng(2).normal(0, 0.1, 160000)))
    clip = Clip(str(path), start=3.0, end=4.0, name="long", transcript="said")
    usual = read.load_waveform(clip)
    monkeypatch.setattr(read, "LARGE", 1000)
    monkeypatch.setattr(read, "read_clip", pytest.fail)
    direct = read.load_waveform(clip)
    assert np.array_equal(usual.samples, direct.samples)
    assert (usual.source, usual.name, usual.transcript) == (direct.source, direct.name, direct.transcript)
    streamed = tmp_path / "stream.wav"
    streamed.write_bytes(path.read_bytes()[:40] + bytes(4) + path.read_bytes()[44:])
    monkeypatch.undo()
    monkeypatch.setattr(read, "LARGE", 1000)
    assert np.array_equal(read.load_waveform(Clip(str(streamed), start=3.0, end=4.0)).samples, usual.samples)


def test_the_digest_of_a_large_file_is_made_without_the_file_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "long.wav"
    path.write_bytes(file_of(sine()))
    monkeypatch.setattr(clips, "LARGE", 1000)
    monkeypatch.setattr(clips, "read_clip", pytest.fail)
    assert clips.source_digest(Clip(str(path))) == hash64(path.read_bytes())


def test_a_loader_decodes_a_compressed_file_once_to_inspect_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one.flac", "copy.flac"):
        (tmp_path / name).write_bytes(file_of(sine(), form="FLAC"))
    loader = read.ClipLoader()
    first = loader.load(Clip(str(tmp_path / "one.flac")), ("flac",))
    monkeypatch.setattr(read, "_decode", pytest.fail)
    again = loader.load(Clip(str(tmp_path / "copy.flac")), ("flac",))
    assert first.header == again.header
    assert first.header is not None
    assert read.passthrough(again, ("flac",)) is not None
    assert loader.load(Clip(str(tmp_path / "one.flac"))).header is None, "a condition decodes it anyhow"


@pytest.mark.parametrize(
    ("layout", "there"),  # in the order of Vorbis: front left, centre, right and so on; the last is the deep one
    [("3.0", (1, 3, 2)), ("5.0", (1, 3, 2, 4, 5)), ("5.1", (1, 3, 2, 5, 6, 4)), ("7.1", (1, 3, 2, 7, 8, 5, 6, 4))],
)
@pytest.mark.parametrize("subtype", ["VORBIS", "OPUS"])
def test_channels_of_ogg_come_in_the_order_of_a_wav(layout: str, there: tuple[int, ...], subtype: str) -> None:
    written = np.stack([sine(50.0 + 5 * at, rate=48000, amplitude=0.1 * at) for at in there], axis=1)
    heard = read.decode_audio(file_of(written, 48000, "OGG", subtype), f"{layout}.ogg").samples
    loud = np.sqrt(2 * np.mean(np.square(heard[:, 4800:43200]), axis=1))
    assert np.argsort(loud).tolist() == list(range(len(there))), loud


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "is empty, expected sound"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "a text that begins 'version https://git-lfs.'"),
        (b"<!DOCTYPE html><html>", "a text that begins '<!DOCTYPE html>"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "is no sound file that can be read, but 108 bytes that begin 89 50 4e 47"),
        (raw_wav(b"", bits=16), "holds no sound: wav of 16000 Hz"),
        (raw_wav(bytes(400), rate=0), "broken.wav"),
        (raw_wav(bytes(400), rate=3), "has 3 samples a second, expected at least 1000"),
        (file_of(sine())[:20], "cannot be decoded"),
        (b"\xff\xfb\x90\x00" + bytes(5000), "cannot be decoded"),
    ],
)
def test_what_is_no_sound_fails_with_its_name_and_what_it_is(data: bytes, told: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.wav"
    path.write_bytes(data)
    with pytest.raises(AudioError) as failure:
        read.load_waveform(Clip(str(path)))
    assert str(path) in str(failure.value)
    assert told in str(failure.value)


def test_a_missing_file_and_a_folder_fail(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.wav", tmp_path):
        with pytest.raises(AudioError, match="cannot be read"):
            read.load_waveform(Clip(str(path), name="the clip"))


@pytest.mark.parametrize(("form", "subtype"), FORMS)
@pytest.mark.parametrize("kept", [0.1, 0.5, 0.97])
def test_a_file_cut_short_fails_or_says_so(form: str, subtype: str, kept: float) -> None:
    data = file_of(np.random.default_rng(3).normal(0, 0.1, 80000), 16000, form, subtype)
    short = data[: int(len(data) * kept)]
    try:
        wave = read.decode_audio(short, "short")
    except AudioError:
        return
    assert 0 < wave.samples.shape[1] < 80000
    assert any(note.startswith("truncated: ") for note in wave.notes)
    info = read.inspect_audio(short, "short")
    assert info.frames == wave.samples.shape[1]
    assert not info.plain or form == "OGG"


@pytest.mark.parametrize("kept", [0.4, 0.999, 1.0])
@pytest.mark.parametrize("form", ["AIFF", "AU", "W64", "webm"])
def test_what_decoders_do_not_mind_is_seen_by_the_container(form: str, kept: float) -> None:
    noise = np.random.default_rng(3).normal(0, 0.1, 80000)
    data = av_file(noise, 48000, "webm", "libopus", 48000) if form == "webm" else file_of(noise, 16000, form, "PCM_16")
    notes = read.decode_audio(data[: int(len(data) * kept)], "short").notes
    assert any(note.startswith("truncated: ") for note in notes) == (kept < 1)


def test_an_ogg_without_its_last_page_says_so() -> None:
    whole = file_of(np.random.default_rng(3).normal(0, 0.1, 80000), 16000, "OGG", "VORBIS")
    assert not read.decode_audio(whole, "whole").notes
    (note,) = read.inspect_audio(whole[: whole.rfind(b"OggS")], "short").notes
    assert note == "the last page is not marked as the end: what followed may be missing"


def test_broken_bytes_never_end_in_anything_but_samples_or_a_failure() -> None:
    dice = random.Random(4)
    files = [file_of(sine(seconds=0.3), 16000, *kind) for kind in FORMS]
    files += [av_file(sine(seconds=0.3), 16000, "mp4", "aac", 16000), file_of(sine(seconds=0.3), subtype="FLOAT")]
    for _ in range(300):
        data = bytearray(dice.choice(files))
        del data[dice.randrange(len(data) // 2, len(data)) :]
        for _ in range(dice.choice((0, 1, 3, 20))):
            data[dice.randrange(min(len(data), dice.choice((60, 400, 10**6))))] = dice.choice((0, 127, 128, 255))
        try:
            wave = read.decode_audio(bytes(data), "x")
        except AudioError:
            continue
        assert wave.samples.shape[1] > 0
        assert np.all(np.isfinite(wave.samples))


def test_without_pyav_a_failure_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    data = av_file(sine(), 16000, "mp4", "aac", 16000)
    monkeypatch.delitem(sys.modules, "earmark.audio._pyav", raising=False)
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(AudioError, match=r"clip: libsndfile does not read it \(m4a: .*pip install 'earmark\[av\]'"):
        read.decode_audio(data, "clip")
    with pytest.raises(AudioError, match="is no sound file that can be read"):
        read.decode_audio(b"neither is this", "clip")


def test_threads_decode_side_by_side() -> None:
    rng = np.random.default_rng(5)
    files = [file_of(rng.normal(0, 0.1, 16000), 16000, *kind) for kind in FORMS]
    expected = [read.decode_audio(data, "clip").samples for data in files]
    wrong: list[int] = []

    def work() -> None:
        for _ in range(20):
            for data, samples in zip(files, expected, strict=True):
                if not np.array_equal(read.decode_audio(data, "clip").samples, samples):
                    wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_source_is_carried_and_is_of_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_bytes(file_of(sine()))
    (tmp_path / "b.wav").write_bytes(file_of(sine()))
    one, other = (read.load_waveform(Clip(str(tmp_path / name))) for name in ("a.wav", "b.wav"))
    assert one.source == other.source != ""
    sound = EncodedAudio(file_of(sine()), "wav", 16000, 1, 1.0, "x", "the-source", ("before",))
    assert (read.load_waveform(sound).source, read.load_waveform(sound).notes) == ("the-source", ("before",))
    assert read.load_waveform(SynthSpec("tone", {"frequency": 440, "seconds": 0.1, "level": -20})).source


@pytest.mark.parametrize(
    ("samples", "told"),
    [
        (np.zeros((5, 3)), "may be channels first or last"),
        (np.zeros((2, 2, 2)), "may be channels first or last"),
        (np.zeros(0), "holds no sound"),
        (np.zeros((2, 0)), "holds no sound"),
        ([[0.0], [0.0, 1.0]], "its rows differ in length"),
        (np.zeros(100, np.int64), "samples are int64, whose full scale is unknown"),
        (np.zeros(100, bool), "samples are bool"),
        (np.linspace(-20000, 20000, 1000), "samples reach 20000, expected -1 to 1"),
        (np.full(100, 1e39), "sample 0 is not a finite number"),
    ],
)
def test_an_array_that_cannot_be_understood_is_refused(samples: object, told: str) -> None:
    with pytest.raises(AudioError, match="array: ") as failure:
        read.from_array(samples, 16000)
    assert told in str(failure.value)


def test_a_cell_that_cannot_be_understood_is_refused() -> None:
    for cell, told in (
        ({"path": None, "bytes": None}, "a mapping of path, bytes"),
        ({}, "a mapping of nothing"),
        (3, "found int"),
        ({"array": [0.0], "sampling_rate": 0}, "a mapping of array, sampling_rate"),
    ):
        with pytest.raises(AudioError) as failure:
            read.from_datasets_cell(cell, "row 3")
        assert "row 3: found " in str(failure.value)
        assert told in str(failure.value)


@given(st.sampled_from([np.int16, np.int32, np.uint8]), st.integers(1, 8), st.integers(33, 60))
def test_arrays_of_whole_numbers_span_full_scale(kind: type[np.integer], channels: int, frames: int) -> None:
    limits = np.iinfo(kind)
    samples = np.full((channels, frames), limits.min, kind)
    samples[:, 0] = limits.max
    for order in (samples, samples.T):
        shaped = _arrays.to_channels_first(order, "x")
        assert shaped.shape == (channels, frames)
        assert np.all(shaped[:, 1:] == -1.0)
        assert np.all(shaped[:, 0] > 0.99)


def test_a_wave_is_what_it_is() -> None:
    wave = Waveform(np.zeros((1, 10), np.float32), 8000)
    assert read.load_waveform(wave) is wave


def test_an_archives_member_that_unpacks_to_too_much_is_not_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.wav", bytes(50_000_000))
    assert (tmp_path / "a.zip").stat().st_size < 100_000
    bomb = Clip(str(tmp_path / "a.zip"), member="bomb.wav", name="bomb.wav")
    with pytest.raises(AudioError, match=r"bomb\.wav: has 50,000,000 bytes, the limit is max_audio_bytes=1000000"):
        read.ClipLoader(Limits(max_bytes=1_000_000)).load(bomb)
