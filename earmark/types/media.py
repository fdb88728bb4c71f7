"""Sound and pictures, from a reference to bytes on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

from msgspec import Meta, Struct

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


Samples: TypeAlias = "npt.NDArray[np.float32]"
Seconds: TypeAlias = float
Timeout: TypeAlias = Annotated[Seconds, Meta(gt=0, le=1e9)]  # of a wait: it may be long, and it ends
Hertz: TypeAlias = int


class Clip(Struct, frozen=True, omit_defaults=True, tag="clip"):
    """Recorded sound by reference: nothing is read until it is needed, so a benchmark of a million items streams.

    The sound is the file itself, one cell of a parquet file (`row` counted from 0 over the whole file, `column` such as
    `audio.bytes`), or one member of a zip archive.
    """

    path: str
    row: int | None = None
    column: str = ""
    member: str = ""
    start: Seconds = 0.0
    end: Seconds | None = None  # None: to the end
    name: str = ""  # what the source calls it
    transcript: str = ""  # what is said in it, where the source tells
    codec: str = ""  # how the protocol has it coded before it is sent, such as "mp3@64k"; empty: as it is


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """Limits on sound: how much is taken into memory at most, one clip at a time."""

    max_seconds: Seconds = 4 * 3600.0  # of what is decoded
    max_bytes: int = 1 << 30  # bytes of a file, and of its samples once decoded


class AudioHeader(Struct, frozen=True):
    """Properties of a sound file, as decoded rather than as its header claims."""

    format: str
    plain: bool  # False: not what every reader of the format takes, or its header lies
    rate: Hertz
    channels: int
    frames: int
    notes: tuple[str, ...] = ()

    @property
    def seconds(self) -> Seconds:
        return self.frames / self.rate


class LoadedClip(Struct, frozen=True, eq=False):
    """A clip whose file has been read, once: what is prepared, signed and written down comes from here."""

    clip: Clip
    data: bytes  # the whole file; none of a stretch of a large one, which is decoded from the disk
    digest: str  # of the recording
    limits: Limits  # under which it was read, and is decoded
    header: AudioHeader | None = None  # where it may be sent as it is

    @property
    def name(self) -> str:
        return self.clip.name

    @property
    def transcript(self) -> str:
        return self.clip.transcript


class SynthSpec(Struct, frozen=True, omit_defaults=True, tag="recipe"):
    """Sound that is computed when it is needed: a maker of `audio/synth.py` and its numbers."""

    generator: str
    settings: dict[str, float | int | str] = {}
    name: str = ""
    transcript: str = ""


class Waveform(Struct, frozen=True, eq=False):
    """Samples and their rate, never apart."""

    samples: Samples
    rate: Hertz
    name: str = ""
    transcript: str = ""
    source: str = ""  # a digest of the recording or recipe it comes from
    notes: tuple[str, ...] = ()  # what was done to it on the way here

    @property
    def seconds(self) -> Seconds:
        return float(self.samples.shape[1] / self.rate)


class EncodedAudio(Struct, frozen=True):
    """Sound as bytes, the way a model is sent it."""

    data: bytes
    format: str  # "wav", "mp3", "flac", "ogg", "opus", "m4a", "webm"
    rate: Hertz
    channels: int
    seconds: Seconds
    name: str = ""
    source: str = ""  # a digest of the recording or recipe it comes from
    notes: tuple[str, ...] = ()
    base64: bytes = b""  # the same as text, where the model wants it so: made while the bytes are at hand


class ImageRef(Struct, frozen=True, omit_defaults=True, tag="picture"):
    """An image by reference; `width` in pixels scales it, keeping its shape."""

    path: str
    name: str = ""
    width: int | None = None
    detail: str = ""  # what some servers call how closely to look: "low", "high", "auto"


class ImageBytes(Struct, frozen=True):
    """A picture as bytes, the way a model is sent it."""

    data: bytes
    mime: str  # "image/jpeg", "image/png", ...
    name: str = ""
    detail: str = ""
    source: str = ""  # a digest of the file it comes from
    base64: bytes = b""  # the same as text


Source: TypeAlias = Clip | SynthSpec
Audio: TypeAlias = Clip | LoadedClip | SynthSpec | Waveform | EncodedAudio
Part: TypeAlias = str | Clip | LoadedClip | SynthSpec | Waveform | EncodedAudio | ImageRef | ImageBytes
