"""Fitting sound to what a model hears: untouched where it fits, else changed and noted, else failed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pybase64
import pytest
from sounds import av_file, file_of, sine

from earmark.audio import read
from earmark.audio.prepare import fit_audio, mix_down, prepare_audio, resample_waveform
from earmark.data.cache import hash64
from earmark.errors import AudioError, Rejected
from earmark.types import Capabilities, Clip, EncodedAudio, Limits, Prompt, SynthSpec, Turn, Waveform, replace

ALL = Capabilities(formats=("wav", "mp3", "flac", "ogg", "opus", "m4a", "webm"))
FILES = {
    "wav": file_of(sine()),
    "flac": file_of(sine(), form="FLAC"),
    "mp3": file_of(sine(), form="MP3", subtype="MPEG_LAYER_III"),
    "ogg": file_of(sine(), form="OGG", subtype="VORBIS"),
    "opus": file_of(sine(), form="OGG", subtype="OPUS"),
    "m4a": av_file(sine(), 16000, "mp4", "aac", 16000),
    "webm": av_file(sine(), 16000, "webm", "libopus", 48000),
}


def clip(folder: Path, data: bytes, **fields: object) -> Clip:
    (folder / "clip").write_bytes(data)
    return replace(Clip(str(folder / "clip"), name="clip"), **fields)


@pytest.mark.parametrize("form", FILES)
def test_bytes_that_fit_pass_untouched(form: str, tmp_path: Path) -> None:
    heard = clip(tmp_path, FILES[form])
    for hears in (ALL, replace(ALL, formats=()), replace(ALL, formats=(form,))):
        sent = fit_audio(heard, hears)
        assert isinstance(sent, EncodedAudio)
        assert (sent.data, sent.format, sent.notes) == (FILES[form], form, ())
        assert sent.source == hash64(FILES[form])
        assert sent.seconds == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("form", FILES)
def test_bytes_that_do_not_fit_become_wav(form: str, tmp_path: Path) -> None:
    sent = fit_audio(clip(tmp_path, FILES[form]), Capabilities(formats=("wav",), rates=(8000,)))
    assert isinstance(sent, EncodedAudio)
    assert (sent.format, sent.rate, sent.channels) == ("wav", 8000, 1)
    assert sent.source == hash64(FILES[form])
    assert sent.notes[-1] == "re-encoded as wav"
    heard = read.decode_audio(sent.data, "sent")
    assert heard.seconds == pytest.approx(sent.seconds)
    assert np.sqrt(np.mean(heard.samples**2)) == pytest.approx(np.sqrt(0.125), abs=0.02)


@pytest.mark.parametrize("form", ["flac", "mp3", "ogg", "opus"])
def test_a_model_that_takes_no_wav_gets_what_it_takes(form: str, tmp_path: Path) -> None:
    sent = fit_audio(clip(tmp_path, file_of(sine(rate=22050), 22050)), Capabilities(formats=(form,)))
    assert isinstance(sent, EncodedAudio)
    assert sent.format == form == read.inspect_audio(sent.data, "sent").format
    assert read.decode_audio(sent.data, "sent").seconds == pytest.approx(1.0, abs=0.15)
    assert sent.notes[-1] == f"re-encoded as {form}"
    if form == "opus":
        assert sent.rate == 24000
        assert sent.notes[0].startswith("resampled 22050 to 24000 Hz")


def test_a_model_that_takes_what_nobody_makes_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match="clip: the model takes m4a, which Earmark cannot make"):
        fit_audio(clip(tmp_path, FILES["wav"]), Capabilities(formats=("m4a",)))


def test_samples_are_given_where_they_are_taken(tmp_path: Path) -> None:
    sent = fit_audio(
        clip(tmp_path, FILES["wav"], transcript="beep"), Capabilities(formats=("samples",), rates=(8000,), channels=1)
    )
    assert isinstance(sent, Waveform)
    assert (sent.rate, sent.samples.shape, sent.transcript) == (8000, (1, 8000), "beep")
    assert sent.source == hash64(FILES["wav"])


def test_base64_is_made_where_it_is_wanted(tmp_path: Path) -> None:
    sent = fit_audio(clip(tmp_path, FILES["wav"]), Capabilities(base64=True))
    assert isinstance(sent, EncodedAudio)
    assert pybase64.b64decode(sent.base64) == sent.data
    again = fit_audio(EncodedAudio(FILES["wav"], "wav", 16000, 1, 1.0), Capabilities(base64=True))
    assert isinstance(again, EncodedAudio)
    assert again.base64 == sent.base64


def test_sound_as_bytes_is_fitted_too() -> None:
    sound = EncodedAudio(FILES["flac"], "flac", 16000, 1, 1.0, "x", "the-source", ("before",))
    assert fit_audio(sound, ALL) is sound
    sent = fit_audio(sound, Capabilities(formats=("wav",), rates=(8000,)))
    assert isinstance(sent, EncodedAudio)
    assert (sent.format, sent.rate, sent.source, sent.notes[0]) == ("wav", 8000, "the-source", "before")


def test_a_rate_is_chosen_upwards_if_it_can_be() -> None:
    wave = read.from_array(sine(), 16000)
    for rates, chosen in (((8000, 24000, 48000), 24000), ((8000, 11025), 11025), ((16000, 8000), 16000)):
        assert fit_audio(wave, Capabilities(rates=rates)).rate == chosen


def test_what_lasts_too_long_is_a_failure_and_never_cut(tmp_path: Path) -> None:
    for form in ("wav", "mp3", "m4a"):
        with pytest.raises(AudioError, match=r"the model hears 0\.5 s; nothing was cut or sent"):
            fit_audio(clip(tmp_path, FILES[form]), replace(ALL, seconds=0.5))


def test_too_many_clips_or_any_for_a_model_without_ears_are_refused() -> None:
    tone = SynthSpec("tone", {"frequency": 440.0, "seconds": 0.1, "level": -20.0})
    prompt = Prompt((Turn("user", (tone, tone, "Which?")),))
    with pytest.raises(Rejected, match="the prompt holds 2 clips, the model takes 1"):
        prepare_audio(prompt, Capabilities(clips=1))
    with pytest.raises(Rejected, match="the model takes none; ask one that hears, or a cascade"):
        prepare_audio(prompt, Capabilities(clips=0))
    sent = prepare_audio(prompt, Capabilities(clips=2)).turns[0].parts
    assert [type(part) for part in sent] == [EncodedAudio, EncodedAudio, str]


def test_channels_are_mixed_by_their_mean() -> None:
    wave = read.from_array(np.stack([sine(), 0.5 * sine()]), 16000)
    sent = fit_audio(wave, Capabilities(formats=("samples",), channels=1))
    assert isinstance(sent, Waveform)
    assert np.allclose(sent.samples[0], 0.75 * sine(), atol=1e-6)
    assert sent.notes == ("mixed 2 channels to 1",)
    assert fit_audio(wave, Capabilities(formats=("samples",), channels=2)).notes == ()


def test_channels_that_cancel_are_not_mixed_to_nothing() -> None:
    wave = read.from_array(np.stack([0.9 * sine(), -0.9 * sine()]), 16000)
    one = mix_down(wave)
    assert np.allclose(one.samples[0], 0.9 * sine(), atol=1e-6)
    assert one.notes == ("channel 1 of 2 taken alone: mixed, the channels cancel each other",)
    silent = mix_down(read.from_array(np.zeros((2, 100)), 16000))
    assert silent.notes == ("mixed 2 channels to 1",)
    assert not silent.samples.any()


def test_too_short_to_resample_is_a_failure() -> None:
    with pytest.raises(AudioError, match="array: 1 samples at 44100 Hz are less than one at 8000 Hz"):
        resample_waveform(read.from_array([0.5], 44100), 8000)


def test_resampling_that_goes_beyond_full_scale_is_clipped_and_noted() -> None:
    square = np.sign(sine(frequency=1010.0, rate=44100))
    for hears in (Capabilities(rates=(16000,)), Capabilities(formats=("samples",), rates=(16000,))):
        sent = fit_audio(read.from_array(square, 44100), hears)
        assert any(note.startswith("clipped samples: ") for note in sent.notes)
        assert np.max(np.abs(read.load_waveform(sent).samples)) <= 1.0


def test_limits_are_passed_on(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match="the limit is max_audio_bytes=1000"):
        prepare_audio(Prompt((Turn("user", (clip(tmp_path, FILES["wav"]),)),)), ALL, Limits(max_bytes=1000))


def test_a_stretch_is_cut_out_and_sent_as_wav(tmp_path: Path) -> None:
    sent = fit_audio(clip(tmp_path, FILES["wav"], start=0.25, end=0.75), ALL)
    assert isinstance(sent, EncodedAudio)
    assert sent.seconds == 0.5
    assert np.array_equal(np.frombuffer(sent.data[44:], "<i2"), np.frombuffer(FILES["wav"][44:], "<i2")[4000:12000])


@pytest.mark.parametrize("subtype", ["FLOAT", "DOUBLE", "ULAW", "ALAW"])
def test_flavours_that_some_readers_refuse_are_written_plainly(subtype: str, tmp_path: Path) -> None:
    sent = fit_audio(clip(tmp_path, file_of(sine(), subtype=subtype)), ALL)
    assert isinstance(sent, EncodedAudio)
    assert sent.data[:4] == b"RIFF"
    assert sent.data[20:22] == b"\x01\x00"
    assert sent.notes == ("re-encoded as wav",)
