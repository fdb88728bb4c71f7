"""From references and bytes to samples.

What a file is, is told by its bytes and never by its name. How long it is, is told by decoding it: heads lie. Every way
to fail ends in `AudioError` with the name of the clip: a clip that decodes to nothing is a failure, not silence.
"""

from __future__ import annotations

import threading
from collections.abc import Collection
from numbers import Real
from pathlib import Path
from typing import Final

from msgspec import Struct

from earmark.audio import _riff, _sndfile
from earmark.audio._arrays import check_samples, to_channels_first, unpack_cell
from earmark.audio._collect import DecodedAudio, DecodeRequest
from earmark.audio._ends import truncation_note
from earmark.audio._sniff import NAMES, container, first_bytes
from earmark.audio.limits import MAX_RATE, MIN_RATE, Limits, check_rate, current_limits
from earmark.audio.synth import synthesize
from earmark.data.cache import hash64
from earmark.data.clips import LARGE, read_clip, size, source_digest
from earmark.errors import AudioError
from earmark.types import Audio, Clip, EncodedAudio, Hertz, Seconds, SynthSpec, Waveform, replace

INSTALL: Final = "pip install 'earmark[av]'"
FORMATS_OF_CONTAINER: Final = {  # what the bytes may be, beside wav, that some model takes as they are
    "mp3": ("mp3",),
    "flac": ("flac",),
    "ogg": ("ogg", "opus"),
    "mp4": ("m4a",),
    "matroska": ("webm",),
}
CACHE_SIZE: Final = 4096
_info_cache: dict[str, AudioInfo] = {}  # the latest files that had to be decoded to be known, the oldest first
_cache_lock = threading.Lock()


class AudioInfo(Struct, frozen=True):
    """Properties of a sound file, as decoded rather than as its header claims."""

    format: str
    plain: bool  # False: not what every reader of the format takes, or its head lies
    rate: Hertz
    channels: int
    frames: int
    notes: tuple[str, ...] = ()

    @property
    def seconds(self) -> Seconds:
        return self.frames / self.rate


def inspect_audio(data: bytes, name: str, limits: Limits | None = None) -> AudioInfo:
    """Inspect a sound file. The header of an ordinary wav is trusted; any other file is decoded, once. Raises
    AudioError.

    >>> import numpy as np
    >>> from earmark.audio.encode import encode_wav
    >>> inspect_audio(encode_wav(Waveform(np.zeros((1, 160), np.float32), 16000)), "clip").seconds
    0.01
    """
    if (ordinary := _ordinary_wav(data, name, limits)) is not None:
        return ordinary
    digest = hash64(data)
    known = _info_cache.get(digest)
    if known is None:
        request = DecodeRequest(name, limits=limits or current_limits(), keep=False)
        seen = _decode(data, request)
        remarks = seen.remarks(request)
        known = AudioInfo(seen.format, seen.plain and seen.header_ok, seen.rate, seen.channels, seen.frames, remarks)
        with _cache_lock:
            _info_cache[digest] = known
            if len(_info_cache) > CACHE_SIZE:
                del _info_cache[next(iter(_info_cache))]
    return known


def decode_audio(
    data: bytes, name: str, start: Seconds = 0.0, end: Seconds | None = None, limits: Limits | None = None
) -> Waveform:
    """Samples of a sound file, or of the stretch of it from `start` to `end` in seconds. Raises AudioError where there
    are none.
    """
    request = DecodeRequest(name, start, end, limits or current_limits())
    return _to_waveform(_decode(data, request), request)


def load_waveform(audio: Audio, limits: Limits | None = None) -> Waveform:
    """The samples of any sound, wherever it is now. Raises AudioError where there are none."""
    if isinstance(audio, Waveform):
        return audio
    if isinstance(audio, SynthSpec):
        return synthesize(audio)
    if isinstance(audio, EncodedAudio):
        decoded = decode_audio(audio.data, audio.name, limits=limits)
        return replace(decoded, source=audio.source, notes=(*audio.notes, *decoded.notes))
    if (audio.start or audio.end is not None) and (stretch := _from_disk(audio, limits)):
        return stretch
    data, digest = clip_bytes(audio, limits)
    return decode_clip(audio, data, digest, limits)


def decode_clip(clip: Clip, data: bytes, digest: str, limits: Limits | None = None) -> Waveform:
    """The samples of a clip whose bytes are at hand."""
    decoded = decode_audio(data, display_name(clip), clip.start, clip.end, limits)
    return replace(decoded, transcript=clip.transcript, source=digest)


def passthrough(
    clip: Clip, data: bytes, digest: str, formats: Collection[str] = (), limits: Limits | None = None
) -> EncodedAudio | None:
    """A whole clip as the bytes that it is; nothing where some readers would not take them, or be misled.

    What cannot be of one of the `formats`, if any are given, is not looked at: it will have to be decoded anyhow.
    """
    name = display_name(clip)
    info = _ordinary_wav(data, name, limits)
    if info is None:
        possible = FORMATS_OF_CONTAINER.get(container(data) or "", ())
        if not possible or (formats and not any(form in formats for form in possible)):
            return None
        info = inspect_audio(data, name, limits)
    if not info.plain:
        return None
    return EncodedAudio(data, info.format, info.rate, info.channels, info.seconds, name, digest, info.notes)


def _ordinary_wav(data: bytes, name: str, limits: Limits | None) -> AudioInfo | None:
    """An ordinary wav, whose head can be believed: its sizes add up, and its rate is one. Raises AudioError."""
    usual = _riff.parse_canonical(data)
    if usual is None:
        header = _riff.parse_header(data)
        if not header or not header.is_ordinary:
            return None
        usual = (header.rate, header.channels, header.available_bytes // header.align)
    rate, channels, frames = usual
    check_rate(rate, name)
    limits = limits or current_limits()
    if frames > limits.max_seconds * rate:
        DecodeRequest(name, limits=limits, keep=False).check(frames, channels, rate)
    return AudioInfo("wav", True, rate, channels, frames)


def clip_bytes(clip: Clip, limits: Limits | None = None) -> tuple[bytes, str]:
    """The bytes behind a clip and what names them. Raises AudioError beyond the limits, which are looked at before it
    is read.
    """
    limits = limits or current_limits()
    if clip.row is None:
        _check_size(clip, limits)
    data, digest = read_clip(clip)
    if len(data) > limits.max_bytes:
        raise AudioError(
            f"{display_name(clip)}: has {len(data):,} bytes, the limit is max_audio_bytes={limits.max_bytes}"
        )
    return data, digest


def from_datasets_cell(cell: object, name: str = "cell") -> Waveform:
    """The samples of what somebody else holds sound in: a cell of `datasets` in any of its shapes, bytes, or a path.

    >>> load_waveform = from_datasets_cell({"array": [0.0, 0.5, -0.5], "sampling_rate": 16000})
    >>> load_waveform.rate, load_waveform.samples.shape
    (16000, (1, 3))
    """
    held, rate = (cell, None) if isinstance(cell, bytes | str | Path) else unpack_cell(cell, name)
    if rate is not None:
        return from_array(held, rate, name)
    if isinstance(held, bytes):
        return replace(decode_audio(held, name), source=hash64(held))
    return load_waveform(Clip(str(held)))


def from_array(samples: object, rate: Hertz, name: str = "array") -> Waveform:
    """Samples of any type, one channel or channels in either order, as a wave.

    >>> import numpy as np
    >>> from_array(np.array([0, 16384, -32768], np.int16), 8000).samples.tolist()
    [[0.0, 0.5, -1.0]]
    """
    hertz = _rate(rate, name)
    fitting = to_channels_first(samples, name)
    sane, notes = check_samples(fitting, name)
    return Waveform(sane, hertz, name, source=hash64(fitting.tobytes()), notes=notes)


def _rate(value: object, name: str) -> Hertz:
    """A rate that somebody else has written down."""
    if not (isinstance(value, Real) and MIN_RATE <= float(value) <= MAX_RATE):
        raise AudioError(f"{name}: its rate is {value!r}, expected at least {MIN_RATE} hertz and at most {MAX_RATE}")
    return int(float(value))


def display_name(audio: Audio) -> str:
    """Name of a sound for messages."""
    return audio.name or (audio.path if isinstance(audio, Clip) else type(audio).__name__.lower())


def _decode(data: bytes | str, request: DecodeRequest) -> DecodedAudio:
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


def _to_waveform(decoded: DecodedAudio, request: DecodeRequest) -> Waveform:
    remarks = decoded.remarks(request)
    samples, notes = check_samples(decoded.samples, request.name)
    by = (f"decoded by {decoded.decoder}",) if decoded.decoder else ()
    return Waveform(samples, decoded.rate, request.name, notes=(*remarks, *by, *notes))


def _from_disk(clip: Clip, limits: Limits | None) -> Waveform | None:
    """A stretch of a large file, without the rest of it in memory; nothing where the clip is anything else."""
    if clip.row is not None or clip.member or size(clip) <= LARGE:
        return None
    limits = limits or current_limits()
    _check_size(clip, limits)
    request = DecodeRequest(display_name(clip), clip.start, clip.end, limits)
    decoded = _decode(clip.path, request)
    if not decoded.frames:  # a head that leaves the length open has to be filled in first
        return None
    return replace(_to_waveform(decoded, request), transcript=clip.transcript, source=source_digest(clip))


def _check_size(clip: Clip, limits: Limits) -> None:
    n_bytes = size(clip)
    if n_bytes > limits.max_bytes:
        raise AudioError(
            f"{display_name(clip)}: has {n_bytes:,} bytes, the limit is max_audio_bytes={limits.max_bytes}; raise the "
            "limit, or cut the file"
        )
