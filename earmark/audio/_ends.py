"""True if a file ends where its container says that it does, for those whose decoders do not mind.

ogg, opus   the last page is whole, and marked as the last
webm        EBML header, then Segment id and size: the length of the rest, or left open by who records as it comes
aiff        FORM, and how many bytes follow
au          .snd, where samples begin, and how many bytes they are, or left open
W64         a GUID that begins with riff, and the length of the whole file
"""

from __future__ import annotations

import struct
from typing import Final

PAGE: Final = 27  # bytes of the head of an Ogg page; the last one tells how many lengths follow
LAST_PAGE_FLAG: Final = 4  # among the flags of a page
EBML: Final = b"\x1a\x45\xdf\xa3"
SEGMENT: Final = b"\x18\x53\x80\x67"
OPEN: Final = 0xFFFFFFFF


def truncation_note(data: bytes) -> str:
    """Note on why a file is truncated; empty if it is complete.

    >>> truncation_note(b"FORM" + (100).to_bytes(4, "big") + b"AIFF"), truncation_note(b"RIFF")
    ('truncated: the header promises 108 bytes, 12 are there', '')
    """
    if data[:4] == b"OggS":
        return _ogg(data)
    promised = _header_length(data)
    if promised is None or promised <= len(data):
        return ""
    return f"truncated: the header promises {promised} bytes, {len(data)} are there"


def _ogg(data: bytes) -> str:
    offset = data.rfind(b"OggS")
    lengths = data[offset + PAGE : offset + PAGE + data[offset + PAGE - 1]] if offset + PAGE <= len(data) else b""
    if offset + PAGE > len(data) or offset + PAGE + data[offset + PAGE - 1] + sum(lengths) > len(data):
        return "truncated: the last page is not whole"
    return (
        ""
        if data[offset + 5] & LAST_PAGE_FLAG
        else "the last page is not marked as the end: what followed may be missing"
    )


def _header_length(data: bytes) -> int | None:
    """The length of a whole file by its head."""
    if data[:4] == EBML:
        return _segment(data)
    if data[:4] == b"FORM" and len(data) >= 8:
        return 8 + int(struct.unpack_from(">I", data, 4)[0])
    if data[:4] in (b".snd", b"dns.") and len(data) >= 12:
        begin, size = struct.unpack_from(">II" if data[:1] == b"." else "<II", data, 4)
        return None if size == OPEN else int(begin + size)
    if data[:4] == b"riff" and len(data) >= 24:
        return int(struct.unpack_from("<Q", data, 16)[0])
    return None


def _segment(data: bytes) -> int | None:
    size, offset = _number(data, len(EBML))
    if size is None:
        return None
    offset += size
    if data[offset : offset + 4] != SEGMENT:
        return None
    size, offset = _number(data, offset + 4)
    return None if size is None else offset + size


def _number(data: bytes, offset: int) -> tuple[int | None, int]:
    """A size as EBML writes it, and where it ends: its first byte has as many leading zeros as bytes follow; all ones:
    open.

    >>> _number(bytes([0x81]), 0), _number(bytes([0x40, 0x02]), 0), _number(bytes([0xFF]), 0)
    ((1, 1), (2, 2), (None, 1))
    """
    if offset >= len(data) or not data[offset]:
        return None, offset
    length = 9 - data[offset].bit_length()
    number = int.from_bytes(data[offset : offset + length], "big") & ((1 << 7 * length) - 1)
    return None if number == (1 << 7 * length) - 1 else number, offset + length
