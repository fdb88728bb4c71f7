"""From samples to the bytes of a sound file.

    wav     16-bit samples, a head of 44 bytes
    flac    16-bit samples, about 0.6 of a wav
    mp3     constant bit rate
    ogg     Vorbis
    opus    Opus in Ogg

The last three lose something, and are made only where a model takes nothing better or a condition wants them.
"""

from __future__ import annotations

import io
import wave as riff
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import soundfile
from msgspec import Struct

from earmark.audio.limits import MAX_RATE
from earmark.errors import AudioError
from earmark.types import Hertz, Waveform

FORMATS: Final = ("wav", "flac", "mp3", "ogg", "opus")  # the best first
FULL_SCALE: Final = 32768.0
MP3_BITS: Final = 128_000  # a second, where nobody says


class Encoder(Struct, frozen=True):
    """Encoder settings of libsndfile for a format."""

    container: str
    subtype: str
    rates: tuple[Hertz, ...] = ()  # none: any
    channels: int = 8
    max_rate: Hertz = MAX_RATE  # beyond it libsndfile refuses, or crashes the process


ENCODERS: Final = {
    "flac": Encoder("FLAC", "PCM_16", max_rate=655_350),
    "mp3": Encoder("MP3", "MPEG_LAYER_III", (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000), 2),
    "ogg": Encoder("OGG", "VORBIS", max_rate=200_000),
    "opus": Encoder("OGG", "OPUS", (8000, 12000, 16000, 24000, 48000)),
}


def encode_wav(sound: Waveform) -> bytes:
    """A wav file of 16-bit samples. Samples beyond full scale are clipped; `count_clipped` counts them.

    >>> len(encode_wav(Waveform(np.zeros((2, 100), np.float32), 8000)))
    444
    """
    out = io.BytesIO()
    with riff.open(out, "wb") as file:
        file.setnchannels(sound.samples.shape[0])
        file.setsampwidth(2)
        file.setframerate(sound.rate)
        file.writeframes(pcm(sound).tobytes())
    return out.getvalue()


def pcm(sound: Waveform) -> npt.NDArray[np.int16]:
    """Samples as 16-bit whole numbers, shape (frames, channels), clipped at full scale."""
    whole: npt.NDArray[np.float32] = np.rint(sound.samples.T * np.float32(FULL_SCALE))
    np.clip(whole, -FULL_SCALE, FULL_SCALE - 1, out=whole)
    return whole.astype(np.int16)


def encode(sound: Waveform, form: str, bits: int | None = None) -> bytes:
    """A sound file of one of `FORMATS`; `bits` a second for mp3 and opus, about. Raises AudioError where it cannot be
    made.

    The rate must be one that the format has: see `rate_for`.
    """
    if form == "wav":
        return encode_wav(sound)
    encoder = ENCODERS[form]
    channels = sound.samples.shape[0]
    if channels > encoder.channels or sound.rate != rate_for(form, sound.rate):
        raise AudioError(f"{sound.name}: {channels} channels at {sound.rate} Hz are more than {form} holds")
    out = io.BytesIO()
    bits = MP3_BITS if form == "mp3" and bits is None else bits
    options: dict[str, Any] = {"bitrate_mode": "CONSTANT"} if form == "mp3" else {}
    if bits is not None:
        options["compression_level"] = compression(form, sound.rate, bits, channels)
    # libsndfile writes stereo mp3 from whole numbers with its channels torn apart; from floats it does not
    samples = pcm(sound) if form == "flac" else np.clip(sound.samples.T, np.float32(-1.0), np.float32(1.0))
    try:
        soundfile.write(out, samples, sound.rate, encoder.subtype, format=encoder.container, **options)
    except soundfile.LibsndfileError as error:
        raise AudioError(f"{sound.name}: cannot be written as {form} ({error.error_string.rstrip('.')})") from error
    return out.getvalue()


def rate_for(form: str, rate: Hertz) -> Hertz:
    """The rate that a format has for sound of some rate: the next higher, else its highest.

    >>> rate_for("opus", 44100), rate_for("wav", 44100)
    (48000, 44100)
    """
    if form not in ENCODERS:
        return rate
    rates = ENCODERS[form].rates
    return min((r for r in rates if r >= rate), default=max(rates)) if rates else min(rate, ENCODERS[form].max_rate)


def compression(form: str, rate: Hertz, bits: float, channels: int = 1) -> float:
    """Compression level of libsndfile for a bit rate: 0 for the highest of a format at a rate, 1 for the lowest.

    >>> round(compression("mp3", 16000, 84_000), 3)
    0.5
    """
    least, most = bitrate_range(form, rate, channels)
    return min(0.9999, max(0.0, (most - bits) / (most - least)))


def bitrate_range(form: str, rate: Hertz, channels: int = 1) -> tuple[int, int]:
    """The least and the most bits a second that a format has at a rate."""
    if form != "mp3":
        return 6_000 * channels, 256_000 * channels
    return (32_000, 320_000) if rate >= 32_000 else (8_000, 160_000) if rate >= 16_000 else (8_000, 64_000)


def count_clipped(sound: Waveform) -> int:
    """Number of samples lie beyond full scale."""
    if sound.samples.min() >= -1.0 and sound.samples.max() <= 1.0:
        return 0
    return int(np.count_nonzero(np.abs(sound.samples) > 1.0))
