"""Shared parts of the decoders: the request, its limits, and the buffer that collects decoded blocks.

Memory is taken for what has been decoded and never for what a head promises: a file of 4 kB may promise an hour.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from msgspec import Struct

from earmark.audio.limits import DEFAULT_LIMITS, check_rate
from earmark.errors import AudioError
from earmark.types import Hertz, Limits, Samples, Seconds

BLOCK: Final = 1 << 20  # frames at a time: most clips whole, and 4 MiB a channel of those that are not
SAMPLE_BYTES: Final = 4
SHORT_TOLERANCE: Final = {
    "wav": 0,
    "flac": 0,
    "aiff": 0,
    "au": 0,
    "caf": 0,
    "mp3": 1152,
}  # frames by which a head may be wrong;
BLOCKS: Final = 2400  # of other formats: a codec fills its first and last block
BRIEF_SECONDS: Final[Seconds] = 0.01  # by which a stretch may be shorter than asked for without a word


class DecodeRequest(Struct, frozen=True):
    """Request to decode: a name, a time range and limits."""

    name: str
    start: Seconds = 0.0
    end: Seconds | None = None
    limits: Limits = DEFAULT_LIMITS
    keep: bool = True  # False: only to see how much there is

    @property
    def is_whole(self) -> bool:
        return not self.start and self.end is None

    def frame_range(self, rate: Hertz) -> tuple[int, int | None]:
        """The first frame, and how many; None: all that follow."""
        if not (0 <= self.start < math.inf and (self.end is None or 0 <= self.end < math.inf)):
            raise AudioError(
                f"{self.name}: a stretch from {self.start} s to {self.end} s is none; expected seconds from 0 on"
            )
        first = round(self.start * rate)
        return first, None if self.end is None else max(0, round(self.end * rate) - first)

    def check_header(self, header_frames: int | None, channels: int, rate: Hertz) -> None:
        """Raise AudioError where a head tells an impossible rate, or promises more than may be decoded."""
        check_rate(rate, self.name)
        if header_frames is not None:
            first, count = self.frame_range(rate)
            left = max(0, header_frames - first)
            self.check(left if count is None else min(left, count), channels, rate, "by its header ")

    def check(self, frames: int, channels: int, rate: Hertz, by: str = "") -> None:
        """Raise AudioError where so much may not be decoded."""
        length = (
            "decode a stretch of it (start and end of the clip), or raise the limit"
            if self.is_whole
            else "decode a shorter stretch, or raise the limit"
        )
        if frames > self.limits.max_seconds * rate:
            raise AudioError(
                f"{self.name}: {by}lasts {frames / rate:,.1f} s, the limit is "
                f"max_audio_seconds={self.limits.max_seconds:g}; {length}"
            )
        size = frames * channels * SAMPLE_BYTES
        if self.keep and size > self.limits.max_bytes:
            raise AudioError(
                f"{self.name}: {by}would take {size:,} bytes of memory, the limit is "
                f"max_audio_bytes={self.limits.max_bytes}; {length}"
            )


class DecodedAudio(Struct, frozen=True, eq=False):
    """Decoded samples, and what the header said about them."""

    format: str
    plain: bool  # False: a flavour of the format that some readers refuse
    rate: Hertz
    channels: int
    frames: int
    header_frames: int | None  # frames by the head, of the whole file
    samples: Samples  # (channels, frames), or none where they were not kept
    notes: tuple[str, ...] = ()
    decoder: str = ""  # where it is not the usual one

    @property
    def header_ok(self) -> bool:
        """True if the head says how much there is."""
        return self.header_frames is None or abs(self.header_frames - self.frames) <= SHORT_TOLERANCE.get(
            self.format, BLOCKS
        )

    def remarks(self, request: DecodeRequest) -> tuple[str, ...]:
        """Notes on the decoding. Raises AudioError if there is no sound."""
        seconds = self.frames / self.rate
        asked = (request.end or 0.0) - request.start
        if not self.frames:
            raise AudioError(f"{request.name}: {self._no_audio_message(request)}")
        if request.end is not None and seconds < asked - BRIEF_SECONDS:
            return (*self.notes, f"the stretch is short: {asked:g} s were wanted, {seconds:.2f} s are there")
        if request.is_whole and not self.header_ok and self.header_frames is not None:
            prefix = "truncated: " if self.header_frames > self.frames else ""
            return (*self.notes, f"{prefix}the header promises {self.header_frames} frames, {self.frames} are there")
        return self.notes

    def _no_audio_message(self, request: DecodeRequest) -> str:
        because = f" ({'; '.join(self.notes)})" if self.notes else ""
        if not request.is_whole:
            end = "its end" if request.end is None else f"{request.end:g} s"
            return f"holds no sound between {request.start:g} s and {end}{because}"
        header_note = (
            f", although its header promises {self.header_frames / self.rate:.2f} s" if self.header_frames else ""
        )
        return (
            f"holds no sound: {self.format} of {self.rate} Hz and {self.channels} channels without samples"
            f"{header_note}{because}"
        )


class SampleBuffer:
    """Blocks of samples as they come."""

    def __init__(self, request: DecodeRequest, rate: Hertz, channels: int) -> None:
        self.wanted, self.rate, self.channels = request, rate, channels
        self.frames = 0
        self._blocks: list[Samples] = []

    def add(self, block: Samples) -> None:
        """One more block, shape (channels, frames); raises AudioError where it is one too many."""
        self.frames += block.shape[1]
        self.wanted.check(self.frames, self.channels, self.rate)
        if self.wanted.keep:
            self._blocks.append(block)

    def samples(self) -> Samples:
        """All of them in a row."""
        if len(self._blocks) == 1:
            return self._blocks[0]
        return np.concatenate(self._blocks, axis=1) if self._blocks else np.zeros((self.channels, 0), np.float32)
