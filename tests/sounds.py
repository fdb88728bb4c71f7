"""Sound files made on the fly."""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np
import numpy.typing as npt
import soundfile

Floats = npt.NDArray[np.float64]


def sine(frequency: float = 440.0, seconds: float = 1.0, rate: int = 16000, amplitude: float = 0.5) -> Floats:
    return amplitude * np.sin(2 * np.pi * frequency * np.arange(round(seconds * rate)) / rate)


def file_of(samples: npt.ArrayLike, rate: int = 16000, form: str = "WAV", subtype: str = "PCM_16", **how: Any) -> bytes:
    """A sound file; samples as soundfile takes them, (frames,) or (frames, channels)."""
    out = io.BytesIO()
    soundfile.write(out, np.asarray(samples), rate, subtype, format=form, **how)
    return out.getvalue()


def raw_wav(payload: bytes, *, tag: int = 1, bits: int = 16, rate: int = 16000, channels: int = 1) -> bytes:
    """A wav file byte by byte."""
    align = channels * bits // 8
    form = struct.pack("<HHIIHH", tag, channels, rate, rate * align % 2**32, align, bits)
    return (
        b"RIFF"
        + struct.pack("<I", 36 + len(payload))
        + b"WAVEfmt "
        + struct.pack("<I", 16)
        + form
        + b"data"
        + struct.pack("<I", len(payload))
        + payload
    )


def with_sizes(wav: bytes, riff: int, data: int) -> bytes:
    """A wav file with other numbers in its two size fields."""
    return wav[:4] + struct.pack("<I", riff) + wav[8:40] + struct.pack("<I", data) + wav[44:]


def av_file(samples: Floats, rate: int, form: str, codec: str, at: int) -> bytes:
    """A sound file as FFmpeg writes it, at a rate of its own."""
    import av

    out = io.BytesIO()
    with av.open(out, "w", format=form) as file:
        stream: Any = file.add_stream(codec, rate=at, layout="mono")
        frame = av.AudioFrame.from_ndarray((samples * 32767).astype(np.int16)[None], format="s16", layout="mono")
        frame.sample_rate = rate
        context = stream.codec_context
        fitting = av.AudioResampler(context.format, "mono", at, context.frame_size or None)
        for ready in [*fitting.resample(frame), *fitting.resample(None), None]:
            for packet in stream.encode(ready):
                file.mux(packet)
    return out.getvalue()


def decibels(power: float) -> float:
    return float(10 * np.log10(power))
