"""The head of a wav file, read by its own bytes.

    RIFF size WAVE [chunk id, size, content]...

The chunk "fmt " tells how samples are written, and "data" holds them.

RIFX is the same with its numbers big end first; RF64 keeps sizes beyond 4 GiB in a chunk "ds64". Sizes lie: a program
that writes into a pipe leaves 0 or FFFFFFFF where the length should stand, and a file cut short promises what it has
not.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

import numpy as np

from earmark.types import Samples

PCM: Final = 1
FLOAT: Final = 3
COMPANDED: Final = (6, 7)  # A-law and mu-law
EXTENSIBLE: Final = 0xFFFE  # the tag proper stands further on
LEFT_OPEN: Final = 0x7FFFF000  # a length from here on that the file does not have was never filled in
WIDTHS: Final = (8, 16, 24, 32)  # bits of a whole number


class RiffHeader(NamedTuple):
    """Fields of the header, and the number of bytes that follow it."""

    kind: bytes  # RIFF, RIFX or RF64
    tag: int  # how samples are written
    channels: int
    rate: int
    align: int  # bytes of a frame
    bits: int
    start: int  # where samples begin
    header_bytes: int | None  # bytes of samples by the head; None: left open
    available_bytes: int  # bytes of samples in the file, as far as the head lets them go

    @property
    def sizes_match(self) -> bool:
        """True if a reader that believes the head reads what is there."""
        return self.header_bytes is not None and 0 < self.header_bytes == self.available_bytes

    @property
    def is_ordinary(self) -> bool:
        """True if every reader of wav files takes it: whole numbers of whole bytes."""
        return (
            self.kind == b"RIFF"
            and self.tag == PCM
            and self.bits in WIDTHS
            and self.channels > 0
            and self.rate > 0
            and self.align == self.channels * self.bits // 8
            and self.sizes_match
            and self.available_bytes % self.align == 0
        )

    @property
    def is_wide(self) -> bool:
        """True if its samples are whole numbers of 5 to 8 bytes, which few readers take."""
        return self.tag == PCM and self.channels > 0 and self.rate > 0 and 4 < self.align / self.channels <= 8

    def frames(self, size: int) -> int | None:
        """Number of frames so many bytes are, where a frame has a size of its own."""
        if self.tag in (PCM, FLOAT, *COMPANDED) and self.align:
            return size // self.align
        return None


def parse_header(data: bytes) -> RiffHeader | None:
    """The head of a wav file; nothing where the bytes are none, or lack the two chunks that make one.

    >>> parse_header(b"RIFF....WAVE") is None
    True
    """
    kind = data[:4]
    if kind not in (b"RIFF", b"RIFX", b"RF64") or data[8:12] != b"WAVE":
        return None
    order = ">" if kind == b"RIFX" else "<"
    form: tuple[int, int, int, int, int] | None = None
    long_size: int | None = None
    offset = 12
    while offset + 8 <= len(data):
        name, size = struct.unpack_from(f"{order}4sI", data, offset)
        offset += 8
        if name == b"ds64" and offset + 16 <= len(data):
            long_size = struct.unpack_from(f"{order}Q", data, offset + 8)[0]
        elif name == b"fmt " and offset + 16 <= len(data):
            form = _format_fields(data, offset, size, order)
        elif name == b"data" and form:
            promised = _header_length(
                data, offset, long_size if kind == b"RF64" and size == 0xFFFFFFFF else size, order
            )
            rest = len(data) - offset
            return RiffHeader(kind, *form, offset, promised, rest if promised is None else min(promised, rest))
        offset += size + size % 2
    return None


def _format_fields(data: bytes, offset: int, size: int, order: str) -> tuple[int, int, int, int, int]:
    tag, channels, rate, _, align, bits = struct.unpack_from(f"{order}HHIIHH", data, offset)
    if tag == EXTENSIBLE and size >= 26 and offset + 26 <= len(data):
        tag = struct.unpack_from(f"{order}H", data, offset + 24)[0]
    return tag, channels, rate, align, bits


def _header_length(data: bytes, offset: int, size: int | None, order: str) -> int | None:
    """The length by the head, or nothing where nobody has filled it in."""
    rest = len(data) - offset
    if size is None or (size > rest and size >= LEFT_OPEN):
        return None
    if size == 0 and rest and not _chunks(data, offset, order):
        return None
    return size


def _chunks(data: bytes, offset: int, order: str) -> bool:
    """True if the rest of a file is further chunks, one after the other to its end, and so no sound."""
    while offset + 8 <= len(data):
        name, size = struct.unpack_from(f"{order}4sI", data, offset)
        if not name.isascii() or not name.decode("ascii").isprintable():
            return False
        offset += 8 + size + size % 2
    return offset in (len(data), len(data) + 1)


def wide_samples(data: bytes, header: RiffHeader) -> Samples:
    """Samples that are whole numbers of 5 to 8 bytes, shape (channels, frames)."""
    width = header.align // header.channels
    raw = np.frombuffer(data, np.uint8, header.available_bytes // header.align * header.align, header.start).reshape(
        -1, width
    )
    full = np.zeros((len(raw), 8), np.uint8)
    full[:, 8 - width :] = raw[:, ::-1] if header.kind == b"RIFX" else raw  # the most significant byte comes last
    numbers = full.view("<i8")[:, 0] / 2.0**63
    return numbers.astype(np.float32).reshape(-1, header.channels).T


def with_length(data: bytes, header: RiffHeader) -> bytes:
    """The same file with the length that it has, for readers that believe a 0."""
    order = ">" if header.kind == b"RIFX" else "<"
    size = min(header.available_bytes, 0xFFFFFFFF)
    return data[: header.start - 4] + struct.pack(f"{order}I", size) + data[header.start :]
