"""From references and bytes to samples.

What a file is, is told by its bytes and never by its name. How long it is, is told by decoding it: heads lie. Every way
to fail ends in `SoundFailed` with the name of the clip: a clip that decodes to nothing is a failure, not silence.
"""

from __future__ import annotations

import threading
from collections.abc import Collection
from numbers import Real
from pathlib import Path
from typing import Final

from msgspec import Struct

from earmark.audio import _riff, _sndfile
from earmark.audio._arrays import checked, parts, shaped
from earmark.audio._collect import Decoded, Wanted
from earmark.audio._ends import cut_short
from earmark.audio._sniff import NAMES, beginning, container
from earmark.audio.limits import MAX_RATE, MIN_RATE, Limits, check_rate, in_force
from earmark.audio.make import make
from earmark.data.cache import short
from earmark.data.clips import LARGE, clip_with_source, size, source
from earmark.errors import SoundFailed
from earmark.types import Clip, Heard, Hertz, Recipe, Seconds, Sound, Wave, replace

INSTALL: Final = "pip install 'earmark[av]'"
POSSIBLE: Final = {  # what the bytes may be, beside wav, that some model takes as they are
    "mp3": ("mp3",),
    "flac": ("flac",),
    "ogg": ("ogg", "opus"),
    "mp4": ("m4a",),
    "matroska": ("webm",),
}
REMEMBERED: Final = 4096
_looked_at: dict[str, Info] = {}  # the latest files that had to be decoded to be known, the oldest first
_remembering = threading.Lock()


class Info(Struct, frozen=True):
    """What a sound file holds, whatever its head says."""

    format: str
    plain: bool  # False: not what every reader of the format takes, or its head lies
    rate: Hertz
    channels: int
    frames: int
    notes: tuple[str, ...] = ()

    @property
    def seconds(self) -> Seconds:
        return self.frames / self.rate


def inspect(data: bytes, name: str, limits: Limits | None = None) -> Info:
    """What a sound file holds. An ordinary wav is believed; anything else is decoded to see, once. Raises SoundFailed.

    >>> import numpy as np
    >>> from earmark.audio.encode import wav
    >>> inspect(wav(Wave(np.zeros((1, 160), np.float32), 16000)), "clip").seconds
    0.01
    """
    if (ordinary := _ordinary(data, name, limits)) is not None:
        return ordinary
    digest = short(data)
    known = _looked_at.get(digest)
    if known is None:
        wanted = Wanted(name, limits=limits or in_force(), keep=False)
        seen = _decoded(data, wanted)
        remarks = seen.remarks(wanted)
        known = Info(seen.format, seen.plain and seen.honest, seen.rate, seen.channels, seen.frames, remarks)
        with _remembering:
            _looked_at[digest] = known
            if len(_looked_at) > REMEMBERED:
                del _looked_at[next(iter(_looked_at))]
    return known


def decode(
    data: bytes, name: str, start: Seconds = 0.0, end: Seconds | None = None, limits: Limits | None = None
) -> Wave:
    """Samples of a sound file, or of the stretch of it from `start` to `end` in seconds. Raises SoundFailed where there are none."""
    wanted = Wanted(name, start, end, limits or in_force())
    return _wave(_decoded(data, wanted), wanted)


def wave(heard: Heard, limits: Limits | None = None) -> Wave:
    """The samples of any sound, wherever it is now. Raises SoundFailed where there are none."""
    if isinstance(heard, Wave):
        return heard
    if isinstance(heard, Recipe):
        return make(heard)
    if isinstance(heard, Sound):
        decoded = decode(heard.data, heard.name, limits=limits)
        return replace(decoded, source=heard.source, notes=(*heard.notes, *decoded.notes))
    if (heard.start or heard.end is not None) and (stretch := _from_disk(heard, limits)):
        return stretch
    data, digest = clip_bytes(heard, limits)
    return wave_of(heard, data, digest, limits)


def wave_of(clip: Clip, data: bytes, digest: str, limits: Limits | None = None) -> Wave:
    """The samples of a clip whose bytes are at hand."""
    decoded = decode(data, title(clip), clip.start, clip.end, limits)
    return replace(decoded, words=clip.words, source=digest)


def untouched(
    clip: Clip, data: bytes, digest: str, formats: Collection[str] = (), limits: Limits | None = None
) -> Sound | None:
    """A whole clip as the bytes that it is; nothing where some readers would not take them, or be misled.

    What cannot be of one of the `formats`, if any are given, is not looked at: it will have to be decoded anyhow.
    """
    name = title(clip)
    info = _ordinary(data, name, limits)
    if info is None:
        possible = POSSIBLE.get(container(data) or "", ())
        if not possible or (formats and not any(form in formats for form in possible)):
            return None
        info = inspect(data, name, limits)
    if not info.plain:
        return None
    return Sound(data, info.format, info.rate, info.channels, info.seconds, name, digest, info.notes)


def _ordinary(data: bytes, name: str, limits: Limits | None) -> Info | None:
    """An ordinary wav, whose head can be believed: its sizes add up, and its rate is one. Raises SoundFailed."""
    usual = _riff.canonical(data)
    if usual is None:
        found = _riff.head(data)
        if not found or not found.ordinary:
            return None
        usual = (found.rate, found.channels, found.there // found.align)
    rate, channels, frames = usual
    check_rate(rate, name)
    limits = limits or in_force()
    if frames > limits.longest * rate:
        Wanted(name, limits=limits, keep=False).check(frames, channels, rate)
    return Info("wav", True, rate, channels, frames)


def clip_bytes(clip: Clip, limits: Limits | None = None) -> tuple[bytes, str]:
    """The bytes behind a clip and what names them. Raises SoundFailed beyond the limits, which are looked at before it is read."""
    limits = limits or in_force()
    if clip.row is None:
        _check_size(clip, limits)
    data, digest = clip_with_source(clip)
    if len(data) > limits.largest:
        raise SoundFailed(f"{title(clip)}: has {len(data):,} bytes, the limit is largest={limits.largest}")
    return data, digest


def cell(found: object, name: str = "cell") -> Wave:
    """The samples of what somebody else holds sound in: a cell of `datasets` in any of its shapes, bytes, or a path.

    >>> wave = cell({"array": [0.0, 0.5, -0.5], "sampling_rate": 16000})
    >>> wave.rate, wave.samples.shape
    (16000, (1, 3))
    """
    held, rate = (found, None) if isinstance(found, bytes | str | Path) else parts(found, name)
    if rate is not None:
        return array(held, rate, name)
    if isinstance(held, bytes):
        return replace(decode(held, name), source=short(held))
    return wave(Clip(str(held)))


def array(samples: object, rate: Hertz, name: str = "array") -> Wave:
    """Samples of any type, one channel or channels in either order, as a wave.

    >>> import numpy as np
    >>> array(np.array([0, 16384, -32768], np.int16), 8000).samples.tolist()
    [[0.0, 0.5, -1.0]]
    """
    hertz = _rate(rate, name)
    fitting = shaped(samples, name)
    sane, notes = checked(fitting, name)
    return Wave(sane, hertz, name, source=short(fitting.tobytes()), notes=notes)


def _rate(found: object, name: str) -> Hertz:
    """A rate that somebody else has written down."""
    if not (isinstance(found, Real) and MIN_RATE <= float(found) <= MAX_RATE):
        raise SoundFailed(f"{name}: its rate is {found!r}, expected at least {MIN_RATE} hertz and at most {MAX_RATE}")
    return int(float(found))


def title(heard: Heard) -> str:
    """What to call a sound in a message."""
    return heard.name or (heard.path if isinstance(heard, Clip) else type(heard).__name__.lower())


def _decoded(data: bytes | str, wanted: Wanted) -> Decoded:
    """By libsndfile, or by FFmpeg what that refuses; with a note where a whole file has lost its end."""
    decoded = _by_either(data, wanted)
    note = cut_short(data) if isinstance(data, bytes) and wanted.whole and decoded.honest else ""
    return replace(decoded, notes=(*decoded.notes, note)) if note else decoded


def _by_either(data: bytes | str, wanted: Wanted) -> Decoded:
    try:
        return _sndfile.decode(data, wanted)
    except _sndfile.Refused as refused:
        refusal = str(refused)
    whole = data if isinstance(data, bytes) else Path(data).read_bytes()
    kind = container(whole)
    if kind is None:
        raise SoundFailed(f"{wanted.name}: is no sound file that can be read, but {beginning(whole)}")
    try:
        from earmark.audio._pyav import decode as with_ffmpeg  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise SoundFailed(
            f"{wanted.name}: libsndfile does not read it ({NAMES.get(kind, kind)}: {refusal}); PyAV may; type: {INSTALL}"
        ) from error
    return with_ffmpeg(whole, kind, wanted, refusal)


def _wave(decoded: Decoded, wanted: Wanted) -> Wave:
    remarks = decoded.remarks(wanted)
    samples, notes = checked(decoded.samples, wanted.name)
    by = (f"decoded by {decoded.decoder}",) if decoded.decoder else ()
    return Wave(samples, decoded.rate, wanted.name, notes=(*remarks, *by, *notes))


def _from_disk(clip: Clip, limits: Limits | None) -> Wave | None:
    """A stretch of a large file, without the rest of it in memory; nothing where the clip is anything else."""
    if clip.row is not None or clip.member or size(clip) <= LARGE:
        return None
    limits = limits or in_force()
    _check_size(clip, limits)
    wanted = Wanted(title(clip), clip.start, clip.end, limits)
    decoded = _decoded(clip.path, wanted)
    if not decoded.frames:  # a head that leaves the length open has to be filled in first
        return None
    return replace(_wave(decoded, wanted), words=clip.words, source=source(clip))


def _check_size(clip: Clip, limits: Limits) -> None:
    found = size(clip)
    if found > limits.largest:
        raise SoundFailed(
            f"{title(clip)}: has {found:,} bytes, the limit is largest={limits.largest}; raise the limit, or cut the file"
        )
