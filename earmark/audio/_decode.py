"""Decodes sound files: by libsndfile, or by FFmpeg what that does not read."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from earmark.audio import _sndfile
from earmark.audio._collect import DecodedAudio, DecodeRequest
from earmark.audio._ends import truncation_note
from earmark.audio._sniff import NAMES, container, first_bytes
from earmark.errors import AudioError
from earmark.types import replace

INSTALL: Final = "pip install 'earmark[av]'"


def decode(data: bytes | str, request: DecodeRequest) -> DecodedAudio:
    """By libsndfile, or by FFmpeg what that refuses; with a note where a whole file has lost its end."""
    decoded = _decode_with_fallback(data, request)
    note = truncation_note(data) if isinstance(data, bytes) and request.is_whole and decoded.header_ok else ""
    return replace(decoded, notes=(*decoded.notes, note)) if note else decoded


def _decode_with_fallback(data: bytes | str, request: DecodeRequest) -> DecodedAudio:
    try:
        return _sndfile.decode(data, request)
    except _sndfile.UnsupportedBySndfile as refused:
        refusal = str(refused)
    whole = data if isinstance(data, bytes) else Path(data).read_bytes()
    kind = container(whole)
    if kind is None:
        raise AudioError(f"{request.name}: is no sound file that can be read, but {first_bytes(whole)}")
    try:
        from earmark.audio._pyav import decode as with_ffmpeg  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise AudioError(
            f"{request.name}: libsndfile does not read it ({NAMES.get(kind, kind)}: {refusal}); PyAV may; type: "
            f"{INSTALL}"
        ) from error
    return with_ffmpeg(whole, kind, request, refusal)
