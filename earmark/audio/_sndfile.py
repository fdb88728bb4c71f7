"""Decoding with libsndfile: wav in its flavours, flac, mp3, ogg, opus, aiff and more. It comes with the core.

Every decoder has a SoundFile of its own, so several threads decode at once. What libsndfile prints about broken mp3 goes
to the terminal past Python, and cannot be kept from there without taking it from other threads too.
"""

from __future__ import annotations

import io
from typing import Final

import numpy as np
import soundfile

from earmark.audio import _riff
from earmark.audio._collect import BLOCK, Decoded, Heap, Wanted
from earmark.audio.limits import check_rate
from earmark.types import Hertz

FORMATS: Final = {"WAV": "wav", "WAVEX": "wav", "RF64": "wav", "FLAC": "flac", "OGG": "ogg", "MP3": "mp3"}
REASONS: Final = {  # what libsndfile says of these is of no help
    1: "its format is not recognised",
    7: "no frame of it can be decoded",
}
RIFF_ORDER: Final = {3: (0, 2, 1), 5: (0, 2, 1, 3, 4), 6: (0, 2, 1, 5, 3, 4), 7: (0, 2, 1, 6, 5, 3, 4), 8: (0, 2, 1, 7, 5, 6, 3, 4)}  # fmt: skip
# ^ where the channels of Vorbis and Opus, front left, centre, right and so on, stand in a wav
DENSEST_MP3: Final = 40_000  # bytes a second: 320 kbit/s, above which there is no mp3


class Bytes(io.BytesIO):
    """A file in memory that stays where it is when a broken head sends it before its beginning."""

    def seek(self, offset: int, whence: int = 0, /) -> int:
        before = {0: 0, 1: self.tell(), 2: len(self.getbuffer())}[whence]
        return self.tell() if before + offset < 0 else super().seek(offset, whence)


class Refused(Exception):
    """libsndfile cannot read it. Never leaves this floor."""


def decode(data: bytes | str, wanted: Wanted) -> Decoded:
    """The samples of a file in memory, or of one on disk by its path. Raises Refused, or SoundFailed beyond a limit."""
    found = _riff.head(data) if isinstance(data, bytes) else None
    if found:
        check_rate(found.rate, wanted.name)
    if isinstance(data, bytes) and found and found.wide:
        return _read_wide(data, found, wanted)
    if isinstance(data, bytes) and found and found.promised is None:
        data = _riff.filled_in(data, found)
    try:
        with soundfile.SoundFile(Bytes(data) if isinstance(data, bytes) else data) as file:
            size = len(data) if isinstance(data, bytes) else None
            return _read(file, found, size, wanted)
    except soundfile.LibsndfileError as error:
        raise Refused(REASONS.get(error.code, error.error_string.rstrip(". "))) from error


def _read(file: soundfile.SoundFile, found: _riff.Head | None, size: int | None, wanted: Wanted) -> Decoded:
    rate: Hertz = file.samplerate
    announced = file.frames if 0 <= file.frames < 1 << 62 else None
    first, count = wanted.stretch(rate)
    believed = announced
    if file.format == "MP3" and size is not None and announced is not None:
        believed = min(announced, size * rate // DENSEST_MP3)  # of no mp3 is more to be believed before it is decoded
    wanted.check_promise(believed, file.channels, rate)
    heap = Heap(wanted, rate, file.channels)
    if _seek(file, first):
        while count is None or heap.frames < count:
            most = BLOCK if count is None else min(BLOCK, count - heap.frames)
            block = file.read(_bounded(most, announced, first + heap.frames), dtype="float32", always_2d=True)
            if not len(block):
                break
            heap.add(np.array(block.T) if block.base is not None and len(block) < most // 2 else block.T)
    promised = found.frames(found.promised) if found and found.promised else announced
    kind = "opus" if file.subtype == "OPUS" else FORMATS.get(file.format, file.format.lower())
    plain = file.format in FORMATS and kind != "wav"
    notes = ("the header leaves the length open",) if found and found.promised is None else ()
    order = RIFF_ORDER.get(file.channels) if file.format == "OGG" else None
    samples = heap.samples() if order is None else heap.samples()[list(order)]
    return Decoded(kind, plain, rate, file.channels, heap.frames, promised, samples, notes)


def _read_wide(data: bytes, found: _riff.Head, wanted: Wanted) -> Decoded:
    there, promised = found.there // found.align, found.frames(found.promised) if found.promised else None
    wanted.check_promise(there, found.channels, found.rate)
    first, count = wanted.stretch(found.rate)
    heap = Heap(wanted, found.rate, found.channels)
    heap.add(_riff.wide_samples(data, found)[:, first : None if count is None else first + count])
    return Decoded("wav", False, found.rate, found.channels, heap.frames, promised, heap.samples())


def _bounded(most: int, announced: int | None, at: int) -> int:
    """How many frames to make room for: soundfile makes room for as many as it is asked for."""
    return most if announced is None else max(1, min(most, announced - at))


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
