"""What decoders have in common: what is wanted, the limits that hold, and the heap that blocks are gathered on.

Memory is taken for what has been decoded and never for what a head promises: a file of 4 kB may promise an hour.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from msgspec import Struct

from earmark.audio.limits import LIMITS, Limits, check_rate
from earmark.errors import SoundFailed
from earmark.types import Hertz, Samples, Seconds

BLOCK: Final = 1 << 20  # frames at a time: most clips whole, and 4 MiB a channel of those that are not
SAMPLE_BYTES: Final = 4
SLACK: Final = {"wav": 0, "flac": 0, "aiff": 0, "au": 0, "caf": 0, "mp3": 1152}  # frames by which a head may be wrong;
BLOCKS: Final = 2400  # of other formats: a codec fills its first and last block
BRIEF: Final[Seconds] = 0.01  # by which a stretch may be shorter than asked for without a word


class Wanted(Struct, frozen=True):
    """What is to be decoded, under which name and limits."""

    name: str
    start: Seconds = 0.0
    end: Seconds | None = None
    limits: Limits = LIMITS
    keep: bool = True  # False: only to see how much there is

    @property
    def whole(self) -> bool:
        return not self.start and self.end is None

    def stretch(self, rate: Hertz) -> tuple[int, int | None]:
        """The first frame, and how many; None: all that follow."""
        if not (0 <= self.start < math.inf and (self.end is None or 0 <= self.end < math.inf)):
            raise SoundFailed(
                f"{self.name}: a stretch from {self.start} s to {self.end} s is none; expected seconds from 0 on"
            )
        first = round(self.start * rate)
        return first, None if self.end is None else max(0, round(self.end * rate) - first)

    def check_promise(self, promised: int | None, channels: int, rate: Hertz) -> None:
        """Raise SoundFailed where a head tells an impossible rate, or promises more than may be decoded."""
        check_rate(rate, self.name)
        if promised is not None:
            first, count = self.stretch(rate)
            left = max(0, promised - first)
            self.check(left if count is None else min(left, count), channels, rate, "by its header ")

    def check(self, frames: int, channels: int, rate: Hertz, by: str = "") -> None:
        """Raise SoundFailed where so much may not be decoded."""
        said = (
            "decode a stretch of it (start and end of the clip), or raise the limit"
            if self.whole
            else "decode a shorter stretch, or raise the limit"
        )
        if frames > self.limits.longest * rate:
            raise SoundFailed(
                f"{self.name}: {by}lasts {frames / rate:,.1f} s, the limit is longest={self.limits.longest:g}; {said}"
            )
        size = frames * channels * SAMPLE_BYTES
        if self.keep and size > self.limits.largest:
            raise SoundFailed(
                f"{self.name}: {by}would take {size:,} bytes of memory, the limit is largest={self.limits.largest}; {said}"
            )


class Decoded(Struct, frozen=True, eq=False):
    """What has been decoded, and what the head said about it."""

    format: str
    plain: bool  # False: a flavour of the format that some readers refuse
    rate: Hertz
    channels: int
    frames: int
    promised: int | None  # frames by the head, of the whole file
    samples: Samples  # (channels, frames), or none where they were not kept
    notes: tuple[str, ...] = ()
    decoder: str = ""  # where it is not the usual one

    @property
    def honest(self) -> bool:
        """Whether the head says how much there is."""
        return self.promised is None or abs(self.promised - self.frames) <= SLACK.get(self.format, BLOCKS)

    def remarks(self, wanted: Wanted) -> tuple[str, ...]:
        """What a reader must know. Raises SoundFailed where there is no sound."""
        seconds = self.frames / self.rate
        asked = (wanted.end or 0.0) - wanted.start
        if not self.frames:
            raise SoundFailed(f"{wanted.name}: {self._nothing(wanted)}")
        if wanted.end is not None and seconds < asked - BRIEF:
            return (*self.notes, f"the stretch is short: {asked:g} s were wanted, {seconds:.2f} s are there")
        if wanted.whole and not self.honest and self.promised is not None:
            said = "truncated: " if self.promised > self.frames else ""
            return (*self.notes, f"{said}the header promises {self.promised} frames, {self.frames} are there")
        return self.notes

    def _nothing(self, wanted: Wanted) -> str:
        because = f" ({'; '.join(self.notes)})" if self.notes else ""
        if not wanted.whole:
            end = "its end" if wanted.end is None else f"{wanted.end:g} s"
            return f"holds no sound between {wanted.start:g} s and {end}{because}"
        told = f", although its header promises {self.promised / self.rate:.2f} s" if self.promised else ""
        return f"holds no sound: {self.format} of {self.rate} Hz and {self.channels} channels without samples{told}{because}"


class Heap:
    """Blocks of samples as they come."""

    def __init__(self, wanted: Wanted, rate: Hertz, channels: int) -> None:
        self.wanted, self.rate, self.channels = wanted, rate, channels
        self.frames = 0
        self._blocks: list[Samples] = []

    def add(self, block: Samples) -> None:
        """One more block, shape (channels, frames); raises SoundFailed where it is one too many."""
        self.frames += block.shape[1]
        self.wanted.check(self.frames, self.channels, self.rate)
        if self.wanted.keep:
            self._blocks.append(block)

    def samples(self) -> Samples:
        """All of them in a row."""
        if len(self._blocks) == 1:
            return self._blocks[0]
        return np.concatenate(self._blocks, axis=1) if self._blocks else np.zeros((self.channels, 0), np.float32)
