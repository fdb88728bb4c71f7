"""File type by magic bytes, for files that libsndfile does not know.

Only what is listed here is given to FFmpeg, and under its name: left to guess, FFmpeg takes a text file for a playlist
and opens the addresses in it.
"""

from __future__ import annotations

from typing import Final

MAGIC: Final[tuple[tuple[int, bytes, str], ...]] = (  # where, what, FFmpeg's name for it
    (4, b"ftyp", "mp4"),
    (4, b"moov", "mp4"),
    (4, b"mdat", "mp4"),
    (4, b"wide", "mp4"),
    (0, b"\x1a\x45\xdf\xa3", "matroska"),
    (0, b"OggS", "ogg"),
    (0, b"fLaC", "flac"),
    (0, b"RIFF", "wav"),
    (0, b"RF64", "wav"),
    (0, b"FORM", "aiff"),
    (0, b"caff", "caf"),
    (0, b"#!AMR", "amr"),
    (0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "asf"),
    (0, b"FLV\x01", "flv"),
    (0, b"wvpk", "wv"),
    (0, b"MAC ", "ape"),
    (0, b"\x0b\x77", "ac3"),
    (0, b"ID3", "mp3"),
)
NAMES: Final = {"mp4": "m4a", "matroska": "webm", "wav": "wav", "flac": "flac", "mp3": "mp3", "ogg": "ogg"}
SHOWN_BYTES: Final = 24  # bytes of what is no sound, in a message


def container(data: bytes) -> str | None:
    """FFmpeg's name for what the bytes are, or nothing.

    >>> container(b"\\x00\\x00\\x00\\x1cftypM4A "), container(b"<!DOCTYPE html>")
    ('mp4', None)
    """
    for offset, magic, name in MAGIC:
        if data[offset : offset + len(magic)] == magic:
            return name
    if len(data) > 2 and data[0] == 0xFF and data[1] & 0xF6 == 0xF0:
        return "aac"
    if len(data) > 2 and data[0] == 0xFF and data[1] & 0xE0 == 0xE0:
        return "mp3"
    if len(data) > 188 and data[0] == data[188] == 0x47:
        return "mpegts"
    return None


def first_bytes(data: bytes) -> str:
    """The first bytes of a file as a reader of messages knows them again.

    >>> first_bytes(b"version https://git-lfs.github.com/spec/v1")
    "a text that begins 'version https://git-lfs.'"
    """
    head = data[:SHOWN_BYTES]
    if not head:
        return "nothing at all"
    if all(32 <= byte < 127 or byte in b"\r\n\t" for byte in head):
        return f"a text that begins {head.decode('ascii')!r}"
    return f"{len(data):,} bytes that begin {head[:8].hex(' ')}"
