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

from earmark.audio import _riff
from earmark.audio._arrays import check_samples, to_channels_first, unpack_cell
from earmark.audio._collect import DecodedAudio, DecodeRequest
from earmark.audio._sniff import container
from earmark.audio.limits import DEFAULT_LIMITS, MAX_RATE, MIN_RATE, check_rate
from earmark.audio.synth import synthesize
from earmark.data.cache import hash64
from earmark.data.clips import LARGE, read_clip, size, source_digest
from earmark.errors import AudioError
from earmark.types import (
    Audio,
    AudioHeader,
    Clip,
    EncodedAudio,
    Hertz,
    Limits,
    LoadedClip,
    Seconds,
    SynthSpec,
    Waveform,
    replace,
)

FORMATS_OF_CONTAINER: Final = {  # what the bytes may be, beside wav, that some model takes as they are
    "mp3": ("mp3",),
    "flac": ("flac",),
    "ogg": ("ogg", "opus"),
    "mp4": ("m4a",),
    "matroska": ("webm",),
}
MAX_HEADERS: Final = 4096  # that a loader remembers


class ClipLoader:
    """Reads clips under some limits, and remembers the headers of those that have to be decoded to be inspected."""

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self.limits = limits
        self._headers: dict[str, AudioHeader] = {}  # by digest, the oldest first
        self._lock = threading.Lock()

    def load(self, clip: Clip, formats: Collection[str] | None = None) -> LoadedClip:
        """Read a clip. Raises AudioError where it cannot be read, or is larger than the limits allow.

        With `formats` (empty: any) it is read to be sent: as its protocol has it coded, and with its header where it
        may be one of these formats.
        """
        whole = not clip.start and clip.end is None
        n_bytes = size(clip) if clip.row is None else 0
        self._check_size(clip, n_bytes)
        if not whole and not clip.member and n_bytes > LARGE:
            return LoadedClip(clip, b"", source_digest(clip), self.limits)
        data, digest = read_clip(clip)
        self._check_size(clip, len(data))
        if not whole or formats is None:
            return LoadedClip(clip, data, digest, self.limits)
        recorded = digest
        if clip.codec:
            from earmark.audio.media import encode_clip  # noqa: PLC0415 - of few benchmarks

            data = encode_clip(clip)
            recorded = hash64(data)
        name = display_name(clip)
        header = _ordinary_wav(data, name, self.limits)
        if header is None and _may_be_sent(data, formats):
            header = self._inspect(data, name, recorded)
        return LoadedClip(clip, data, digest, self.limits, header)

    def _inspect(self, data: bytes, name: str, digest: str) -> AudioHeader:
        header = self._headers.get(digest)
        if header is None:
            header = inspect_audio(data, name, self.limits)
            with self._lock:
                self._headers[digest] = header
                if len(self._headers) > MAX_HEADERS:
                    del self._headers[next(iter(self._headers))]
        return header

    def _check_size(self, clip: Clip, n_bytes: int) -> None:
        if n_bytes > self.limits.max_bytes:
            advice = "; raise the limit, or cut the file" if clip.row is None else ""
            raise AudioError(
                f"{display_name(clip)}: has {n_bytes:,} bytes, the limit is max_audio_bytes={self.limits.max_bytes}"
                f"{advice}"
            )


def inspect_audio(data: bytes, name: str, limits: Limits = DEFAULT_LIMITS) -> AudioHeader:
    """Inspect a sound file. The header of an ordinary wav is trusted; any other file is decoded. Raises AudioError.

    >>> import numpy as np
    >>> from earmark.audio.encode import encode_wav
    >>> inspect_audio(encode_wav(Waveform(np.zeros((1, 160), np.float32), 16000)), "clip").seconds
    0.01
    """
    if (ordinary := _ordinary_wav(data, name, limits)) is not None:
        return ordinary
    request = DecodeRequest(name, limits=limits, keep=False)
    seen = _decode(data, request)
    remarks = seen.remarks(request)
    return AudioHeader(seen.format, seen.plain and seen.header_ok, seen.rate, seen.channels, seen.frames, remarks)


def decode_audio(
    data: bytes, name: str, start: Seconds = 0.0, end: Seconds | None = None, limits: Limits = DEFAULT_LIMITS
) -> Waveform:
    """Samples of a sound file, or of the stretch of it from `start` to `end` in seconds. Raises AudioError where there
    are none.
    """
    request = DecodeRequest(name, start, end, limits)
    return _to_waveform(_decode(data, request), request)


def load_waveform(audio: Audio, limits: Limits = DEFAULT_LIMITS) -> Waveform:
    """The samples of any sound, wherever it is now. Raises AudioError where there are none.

    A clip that has been loaded keeps the limits under which it was.
    """
    if isinstance(audio, Waveform):
        return audio
    if isinstance(audio, SynthSpec):
        return synthesize(audio)
    if isinstance(audio, EncodedAudio):
        decoded = decode_audio(audio.data, audio.name, limits=limits)
        return replace(decoded, source=audio.source, notes=(*audio.notes, *decoded.notes))
    loaded = ClipLoader(limits).load(audio) if isinstance(audio, Clip) else audio
    clip = loaded.clip
    request = DecodeRequest(display_name(clip), clip.start, clip.end, loaded.limits)
    decoded_audio = _decode(loaded.data or clip.path, request)
    if not loaded.data and not decoded_audio.frames:  # a header that leaves the length open has to be filled in first
        decoded_audio = _decode(read_clip(clip)[0], request)
    return replace(_to_waveform(decoded_audio, request), transcript=clip.transcript, source=loaded.digest)


def check_encoded(audio: EncodedAudio, limits: Limits) -> None:
    """Raise AudioError for a sound beyond the limits: a condition may have taken it from elsewhere."""
    DecodeRequest(audio.name, limits=limits, keep=False).check(
        round(audio.seconds * audio.rate), audio.channels, audio.rate
    )


def passthrough(clip: LoadedClip, formats: Collection[str] = ()) -> EncodedAudio | None:
    """A whole clip as the bytes that it is; None where some readers would not take them, or be misled.

    A clip that cannot be of one of the `formats`, if any are given, is not inspected: it has to be decoded anyhow.
    """
    name, header = display_name(clip), clip.header
    if header is None and (header := _ordinary_wav(clip.data, name, clip.limits)) is None:
        if not _may_be_sent(clip.data, formats):
            return None
        header = inspect_audio(clip.data, name, clip.limits)
    if not header.plain:
        return None
    return EncodedAudio(
        clip.data, header.format, header.rate, header.channels, header.seconds, name, clip.digest, header.notes
    )


def _may_be_sent(data: bytes, formats: Collection[str]) -> bool:
    """True if compressed sound may be of a format that is sent as it is."""
    possible = FORMATS_OF_CONTAINER.get(container(data) or "", ())
    return bool(possible) and (not formats or any(form in formats for form in possible))


def _ordinary_wav(data: bytes, name: str, limits: Limits) -> AudioHeader | None:
    """Header of an ordinary wav, which can be believed: its sizes add up, and its rate is one. Raises AudioError."""
    header = _riff.parse_header(data)
    if not header or not header.is_ordinary:
        return None
    frames = header.available_bytes // header.align
    check_rate(header.rate, name)
    DecodeRequest(name, limits=limits, keep=False).check(frames, header.channels, header.rate)
    return AudioHeader("wav", True, header.rate, header.channels, frames)


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
    path = audio.path if isinstance(audio, Clip) else audio.clip.path if isinstance(audio, LoadedClip) else ""
    return audio.name or path or type(audio).__name__.lower()


def _decode(data: bytes | str, request: DecodeRequest) -> DecodedAudio:
    from earmark.audio._decode import decode  # noqa: PLC0415 - a run of generated sounds decodes nothing

    return decode(data, request)


def _to_waveform(decoded: DecodedAudio, request: DecodeRequest) -> Waveform:
    remarks = decoded.remarks(request)
    samples, notes = check_samples(decoded.samples, request.name)
    by = (f"decoded by {decoded.decoder}",) if decoded.decoder else ()
    return Waveform(samples, decoded.rate, request.name, notes=(*remarks, *by, *notes))
