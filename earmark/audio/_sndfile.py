"""Decoding with libsndfile: wav in its flavours, flac, mp3, ogg, opus, aiff and more. It comes with the core.

Every decoder has a SoundFile of its own, so several threads decode at once. What libsndfile prints about broken mp3
goes to the terminal past Python, and cannot be kept from there without taking it from other threads too.
"""

from __future__ import annotations

import io
from typing import Final

import numpy as np
import soundfile

from earmark.audio import _riff
from earmark.audio._collect import BLOCK, DecodedAudio, DecodeRequest, SampleBuffer
from earmark.audio.limits import check_rate
from earmark.types import Hertz

FORMATS: Final = {"WAV": "wav", "WAVEX": "wav", "RF64": "wav", "FLAC": "flac", "OGG": "ogg", "MP3": "mp3"}
REASONS: Final = {  # what libsndfile says of these is of no help
    1: "its format is not recognised",
    7: "no frame of it can be decoded",
}
RIFF_ORDER: Final = {  # where the channels of Vorbis and Opus, front left, centre, right and so on, stand in a wav
    3: (0, 2, 1),
    5: (0, 2, 1, 3, 4),
    6: (0, 2, 1, 5, 3, 4),
    7: (0, 2, 1, 6, 5, 3, 4),
    8: (0, 2, 1, 7, 5, 6, 3, 4),
}
DENSEST_MP3: Final = 40_000  # bytes a second: 320 kbit/s, above which there is no mp3


class Bytes(io.BytesIO):
    """A file in memory that stays where it is when a broken head sends it before its beginning."""

    def seek(self, offset: int, whence: int = 0, /) -> int:
        before = {0: 0, 1: self.tell(), 2: len(self.getbuffer())}[whence]
        return self.tell() if before + offset < 0 else super().seek(offset, whence)


class UnsupportedBySndfile(Exception):
    """libsndfile cannot read it. Never leaves this floor."""


def decode(data: bytes | str, request: DecodeRequest) -> DecodedAudio:
    """The samples of a file in memory, or of one on disk by its path. Raises Refused, or AudioError beyond a limit."""
    header = _riff.parse_header(data) if isinstance(data, bytes) else None
    if header:
        check_rate(header.rate, request.name)
    if isinstance(data, bytes) and header and header.is_wide:
        return _read_wide(data, header, request)
    if isinstance(data, bytes) and header and header.header_bytes is None:
        data = _riff.with_length(data, header)
    try:
        with soundfile.SoundFile(Bytes(data) if isinstance(data, bytes) else data) as file:
            size = len(data) if isinstance(data, bytes) else None
            return _read(file, header, size, request)
    except soundfile.LibsndfileError as error:
        raise UnsupportedBySndfile(REASONS.get(error.code, error.error_string.rstrip(". "))) from error


def _read(
    file: soundfile.SoundFile, header: _riff.RiffHeader | None, size: int | None, request: DecodeRequest
) -> DecodedAudio:
    rate: Hertz = file.samplerate
    announced = file.frames if 0 <= file.frames < 1 << 62 else None
    first, count = request.frame_range(rate)
    believed = announced
    if file.format == "MP3" and size is not None and announced is not None:
        believed = min(announced, size * rate // DENSEST_MP3)  # of no mp3 is more to be believed before it is decoded
    request.check_header(believed, file.channels, rate)
    buffer = SampleBuffer(request, rate, file.channels)
    if _seek(file, first):
        while count is None or buffer.frames < count:
            most = BLOCK if count is None else min(BLOCK, count - buffer.frames)
            block = file.read(
                _frames_to_allocate(most, announced, first + buffer.frames), dtype="float32", always_2d=True
            )
            if not len(block):
                break
            buffer.add(np.array(block.T) if block.base is not None and len(block) < most // 2 else block.T)
    promised = header.frames(header.header_bytes) if header and header.header_bytes else announced
    kind = "opus" if file.subtype == "OPUS" else FORMATS.get(file.format, file.format.lower())
    plain = file.format in FORMATS and kind != "wav"
    notes = ("the header leaves the length open",) if header and header.header_bytes is None else ()
    order = RIFF_ORDER.get(file.channels) if file.format == "OGG" else None
    samples = buffer.samples() if order is None else buffer.samples()[list(order)]
    return DecodedAudio(kind, plain, rate, file.channels, buffer.frames, promised, samples, notes)


def _read_wide(data: bytes, header: _riff.RiffHeader, request: DecodeRequest) -> DecodedAudio:
    available, promised = (
        header.available_bytes // header.align,
        header.frames(header.header_bytes) if header.header_bytes else None,
    )
    request.check_header(available, header.channels, header.rate)
    first, count = request.frame_range(header.rate)
    buffer = SampleBuffer(request, header.rate, header.channels)
    buffer.add(_riff.wide_samples(data, header)[:, first : None if count is None else first + count])
    return DecodedAudio("wav", False, header.rate, header.channels, buffer.frames, promised, buffer.samples())


def _frames_to_allocate(most: int, announced: int | None, start: int) -> int:
    """Number of frames to make room for: soundfile makes room for as many as it is asked for."""
    return most if announced is None else max(1, min(most, announced - start))


def _seek(file: soundfile.SoundFile, first: int) -> bool:
    """Go to a frame; where the format cannot seek, read up to it. False: the file ends before."""
    if file.seekable():
        if first > file.frames:
            return False
        file.seek(first)
        return True
    while first > 0:
        passed = len(file.read(min(BLOCK, first), dtype="float32", always_2d=True))
        if not passed:
            return False
        first -= passed
    return True
