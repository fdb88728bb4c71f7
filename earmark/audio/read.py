"""From references and bytes to samples.

What a file is, is told by its bytes and never by its name. Every way to fail ends in `SoundFailed` with the name of the
clip: a clip that decodes to nothing is a failure, not silence.
"""

from __future__ import annotations

import io
import wave as riff

import numpy as np
import soundfile
from msgspec import Struct

from earmark.audio.make import make
from earmark.data.clips import clip_with_source
from earmark.errors import SoundFailed
from earmark.types import Clip, Heard, Hertz, Recipe, Samples, Seconds, Sound, Wave, replace

FORMATS = {"WAV": "wav", "WAVEX": "wav", "RF64": "wav", "FLAC": "flac", "OGG": "ogg", "MP3": "mp3"}
WAV_HEAD = 44  # bytes, at least
PLAIN_WAV = ("PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT")  # what every reader of wav files takes


class Info(Struct, frozen=True):
    """What the head of a sound file says."""

    format: str
    plain: bool  # False: a flavour of the format that some readers refuse
    rate: Hertz
    channels: int
    frames: int

    @property
    def seconds(self) -> Seconds:
        return self.frames / self.rate


def inspect(data: bytes, name: str) -> Info:
    """Read the head of a sound file.

    >>> from earmark.audio.encode import wav
    >>> inspect(wav(Wave(np.zeros((1, 160), np.float32), 16000)), "clip").seconds
    0.01
    """
    plain = _plain_wav(data)
    if plain is not None:
        return plain
    try:
        with soundfile.SoundFile(io.BytesIO(data)) as file:
            kind = "opus" if file.subtype == "OPUS" else FORMATS.get(file.format, file.format.lower())
            known = file.format in FORMATS and (kind != "wav" or (data[:4] == b"RIFF" and file.subtype in PLAIN_WAV))
            info = Info(kind, known, file.samplerate, file.channels, file.frames)
    except soundfile.LibsndfileError as error:
        raise SoundFailed(f"{name}: not a sound file that can be read ({error.error_string.rstrip('.')})") from error
    if info.frames <= 0:
        raise SoundFailed(f"{name}: holds no sound (a head of {len(data)} bytes and no samples)")
    return info


def _plain_wav(data: bytes) -> Info | None:
    """The head of the commonest file of all, an ordinary wav whose sizes add up, in a tenth of the time."""
    if data[:4] != b"RIFF":
        return None
    try:
        with riff.open(io.BytesIO(data)) as file:
            rate, channels, frames = file.getframerate(), file.getnchannels(), file.getnframes()
            size = frames * channels * file.getsampwidth()
    except (riff.Error, EOFError):
        return None
    return Info("wav", True, rate, channels, frames) if 0 < size <= len(data) - WAV_HEAD and rate else None


def decode(data: bytes, name: str, start: Seconds = 0.0, end: Seconds | None = None) -> Wave:
    """Samples of a sound file, or of the stretch of it from `start` to `end`."""
    try:
        with soundfile.SoundFile(io.BytesIO(data)) as file:
            first = round(start * file.samplerate)
            file.seek(min(first, file.frames))
            frames = -1 if end is None else max(0, round(end * file.samplerate) - first)
            samples: Samples = file.read(frames, dtype="float32", always_2d=True).T
            rate = file.samplerate
    except soundfile.LibsndfileError as error:
        raise SoundFailed(f"{name}: cannot be decoded ({error.error_string.rstrip('.')})") from error
    if samples.shape[1] == 0:
        raise SoundFailed(
            f"{name}: holds no sound between {start:g} s and {'its end' if end is None else f'{end:g} s'}"
        )
    if not np.isfinite(samples).all():
        at = int(np.argmin(np.isfinite(samples).all(axis=0)))
        raise SoundFailed(f"{name}: sample {at} is not a number")
    return Wave(samples, rate, name)


def wave(heard: Heard) -> Wave:
    """The samples of any sound, wherever it is now."""
    if isinstance(heard, Wave):
        return heard
    if isinstance(heard, Recipe):
        return make(heard)
    if isinstance(heard, Sound):
        return replace(decode(heard.data, heard.name), source=heard.source)
    data, source = clip_with_source(heard)
    decoded = decode(data, title(heard), heard.start, heard.end)
    return replace(decoded, name=title(heard), words=heard.words, source=source)


def title(heard: Heard) -> str:
    """What to call a sound in a message."""
    return heard.name or (heard.path if isinstance(heard, Clip) else type(heard).__name__.lower())
