"""Decoding with FFmpeg through PyAV: m4a, mp4, webm, aac, amr, and what libsndfile refuses. An extra, `earmark[av]`."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

import av
import numpy as np
from av.container import InputContainer

from earmark.audio._collect import DecodedAudio, DecodeRequest, SampleBuffer
from earmark.audio._sniff import NAMES
from earmark.errors import AudioError
from earmark.types import Hertz, Samples

COMMON_CODECS: Final = {  # what a reader of these containers expects inside
    "m4a": ("aac", "alac"),
    "webm": ("opus", "vorbis"),
    "mp3": ("mp3", "mp3float"),
    "flac": ("flac",),
    "ogg": ("vorbis",),
    "opus": ("opus",),
}


def decode(data: bytes, kind: str, request: DecodeRequest, refusal: str) -> DecodedAudio:
    """The samples of a file that libsndfile has refused, saying why. `kind` is FFmpeg's name for what it is."""
    try:
        with _open(data, kind) as file:
            if not file.streams.audio:
                raise AudioError(f"{request.name}: is {NAMES.get(kind, kind)} without any sound in it")
            return _read(file, kind, request)
    except av.FFmpegError as error:
        raise AudioError(
            f"{request.name}: cannot be decoded (libsndfile: {refusal}; FFmpeg: {_error_text(error)})"
        ) from error


def _open(data: bytes, kind: str) -> InputContainer:
    try:
        return av.open(io.BytesIO(data), mode="r", format=kind)
    except UnicodeDecodeError:
        # a title in some other encoding; PyAV 19 no longer minds, and no longer takes this setting
        lenient: dict[str, Any] = {"metadata_errors": "replace"}
        file: InputContainer = av.open(io.BytesIO(data), mode="r", format=kind, **lenient)
        return file


def _read(file: InputContainer, kind: str, request: DecodeRequest) -> DecodedAudio:
    stream = file.streams.audio[0]
    notes: list[str] = []
    frames = _frames(file, notes)
    begun = next(frames, None)  # what is inside may differ from what the head says, in rate and channels too
    rate = begun.sample_rate if begun else getattr(stream, "rate", 0)  # a stream has none where no decoder is known
    channels = begun.layout.nb_channels if begun else getattr(stream, "channels", 0)
    if not rate or not channels:
        raise AudioError(f"{request.name}: holds sound in a coding that FFmpeg cannot decode ({NAMES.get(kind, kind)})")
    promised = round(float(stream.duration * stream.time_base) * rate) if stream.duration and stream.time_base else None
    request.check_header(promised, channels, rate)
    buffer = SampleBuffer(request, rate, channels)
    if begun:
        _gather(chain([begun], frames), buffer, notes)
    name = _name(file, kind)
    plain = stream.codec_context.name in COMMON_CODECS.get(name, ()) and not notes
    decoder = f"PyAV {av.__version__}"
    return DecodedAudio(name, plain, rate, channels, buffer.frames, promised, buffer.samples(), tuple(notes), decoder)


def _frames(file: InputContainer, notes: list[str]) -> Iterator[av.AudioFrame]:
    """The sound as it is decoded; what stops it early is added to the notes."""
    try:
        yield from file.decode(file.streams.audio[0])
    except av.FFmpegError as error:
        notes.append(f"decoding stopped early ({_error_text(error)})")


def _gather(frames: Iterator[av.AudioFrame], buffer: SampleBuffer, notes: list[str]) -> None:
    """Put what is wanted on the heap."""
    first, count = buffer.wanted.frame_range(buffer.rate)
    passed = 0
    for block in _blocks(frames, buffer.rate, buffer.channels, notes):
        begin = max(0, first - passed)
        end = block.shape[1] if count is None else min(block.shape[1], first + count - passed)
        passed += block.shape[1]
        if begin < end:
            buffer.add(block[:, begin:end])
        if count is not None and passed >= first + count:
            return


def _blocks(frames: Iterator[av.AudioFrame], rate: Hertz, channels: int, notes: list[str]) -> Iterator[Samples]:
    """Float samples, channel by channel, as long as the sound stays what it was at its beginning."""
    floats = av.AudioResampler(
        format="flt"
    )  # channels side by side: PyAV crashes on more than 8 in planes of their own
    for frame in frames:
        if (frame.sample_rate, frame.layout.nb_channels) != (rate, channels):
            notes.append("decoding stopped early (rate or channels change midway)")
            return
        for even in floats.resample(frame):
            yield _samples(even, channels)
    for even in floats.resample(None):
        yield _samples(even, channels)


def _samples(frame: av.AudioFrame, channels: int) -> Samples:
    return np.asarray(frame.to_ndarray(), np.float32).reshape(-1, channels).T


def _name(file: InputContainer, kind: str) -> str:
    """Our name for what the bytes are."""
    codec = file.streams.audio[0].codec_context.name
    if kind == "mp4":
        return "mp4" if file.streams.video else "m4a"
    if kind == "ogg" and codec in ("opus", "libopus"):
        return "opus"
    return NAMES.get(kind, kind)


def _error_text(error: av.FFmpegError) -> str:
    return (error.strerror or type(error).__name__).rstrip(". ")
