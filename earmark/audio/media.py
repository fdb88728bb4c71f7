"""Clips and pictures as a protocol has them coded before they are sent: each once, kept under a digest of its bytes.

A coding is written FORMAT@BITRATE/RATE, such as "mp3@64k/16000", and is mono. Pictures are scaled to a width in pixels,
their height to an even number that keeps the shape, and written as JPEG of ffmpeg's quality 6. Both go through FFmpeg's
own libraries inside PyAV, so the bytes are what the program of that name makes, give or take its version.
"""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pybase64

from earmark.data.cache import atomic_write, hash64, media_dir, sha256_file
from earmark.data.clips import read_image
from earmark.errors import AskError, AudioError, BadSetup, Rejected
from earmark.types import Clip, ImageBytes, ImageRef

if TYPE_CHECKING:
    import av
    from av.container import OutputContainer

QUALITY: Final = 6  # of ffmpeg's -q:v
CODING: Final = re.compile(r"(?P<format>mp3)@(?P<kilobits>\d+)k/(?P<rate>\d+)")
MAX_CACHED_IMAGES, MAX_CACHED_CLIPS = 1500, 150  # in memory: about two long histories
MAGIC: Final = {b"\xff\xd8": "image/jpeg", b"\x89PNG": "image/png", b"GIF8": "image/gif", b"RIFF": "image/webp"}


def load_image(image: ImageRef) -> ImageBytes:
    """A picture as bytes: untouched, or scaled where a width is asked for. Raises Rejected where it is none."""
    if image.width is None:
        data = read_image(image)
        return _image(data, image, hash64(data))
    stat = _stat(image.path, image.name, Rejected)
    return _load_scaled(image, stat)


def _image(data: bytes, image: ImageRef, source: str) -> ImageBytes:
    mime = next((mime for magic, mime in MAGIC.items() if data.startswith(magic)), None)
    if mime is None:
        raise Rejected(f"{image.name or image.path}: is no picture of a kind that models take (JPEG, PNG, GIF, WebP)")
    return ImageBytes(data, mime, image.name, image.detail, source, pybase64.b64encode(data))


def _stat(path: str, name: str, kind: type[AskError]) -> tuple[int, int]:
    """Size and time of change of a file: while they stay, what was made of it stays good."""
    try:
        stat = Path(path).stat()
    except OSError as error:
        raise kind(f"{name or path}: cannot be read ({error})") from error
    return stat.st_size, stat.st_mtime_ns


@functools.lru_cache(maxsize=MAX_CACHED_IMAGES)
def _load_scaled(image: ImageRef, stat: tuple[int, int]) -> ImageBytes:  # noqa: ARG001 - remembered by it
    data = read_image(image)
    suffix = f"{image.width}-q{QUALITY}.jpg"
    made = _convert_once(image.path, suffix, lambda: scale(data, image.width or 0, image.name or image.path))
    return _image(made, image, hash64(data))


def encode_clip(clip: Clip) -> bytes:
    """The bytes of a clip as its protocol has it coded. Raises AudioError where it cannot be."""
    return _encode_file(clip.path, clip.name, clip.codec, _stat(clip.path, clip.name, AudioError))


@functools.lru_cache(maxsize=MAX_CACHED_CLIPS)
def _encode_file(path: str, name: str, coding: str, stat: tuple[int, int]) -> bytes:  # noqa: ARG001 - remembered by it
    match = CODING.fullmatch(coding)
    if match is None:
        raise AudioError(f"{name or path}: the coding '{coding}' is not known; expected one such as mp3@64k/16000")
    kilobits, rate = int(match["kilobits"]), int(match["rate"])
    suffix = f"{rate}-{kilobits}k.{match['format']}"
    return _convert_once(path, suffix, lambda: recode(Path(path).read_bytes(), rate, kilobits, name or path))


def _convert_once(path: str, suffix: str, make: Callable[[], bytes]) -> bytes:
    """Convert a file once; later calls return the cached result under the digest of the file's bytes."""
    name = sha256_file(path)
    place = media_dir(name[:2]) / f"{name}-{suffix}"
    return place.read_bytes() if place.exists() else atomic_write(place, make()).read_bytes()


def import_av() -> Any:
    """FFmpeg's libraries. Raises BadSetup where they are not installed."""
    try:
        import av  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise BadSetup("this protocol codes its media, which needs PyAV; type: pip install 'earmark[av]'") from error
    return av


def recode(data: bytes, rate: int, kilobits: int, name: str) -> bytes:
    """A sound file as mp3, mono, at a rate in hertz and kilobits a second. Raises AudioError where it cannot be
    decoded.
    """
    library = import_av()
    out = io.BytesIO()
    try:
        with library.open(io.BytesIO(data)) as source, library.open(out, "w", format="mp3") as sink:
            stream = sink.add_stream("libmp3lame", rate=rate, layout="mono", bit_rate=kilobits * 1000)
            resampler = library.AudioResampler(format="s16p", layout="mono", rate=rate)
            frames = 0
            for frame in source.decode(audio=0):
                frames += frame.samples
                _encode(sink, stream, resampler.resample(frame))
            _encode(sink, stream, resampler.resample(None))
            _encode(sink, stream, [None])
    except (library.FFmpegError, IndexError) as error:
        raise AudioError(f"{name}: cannot be decoded ({error})") from error
    if not frames:
        raise AudioError(f"{name}: holds no sound")
    return out.getvalue()


def _encode(sink: OutputContainer, stream: Any, frames: list[Any]) -> None:
    for frame in frames:
        for packet in stream.encode(frame):
            sink.mux(packet)


def scale(data: bytes, width: int, name: str) -> bytes:
    """A picture as a JPEG, so many pixels wide. Raises Rejected where it cannot be read."""
    library = import_av()
    try:
        with library.open(io.BytesIO(data)) as source:
            frame = next(source.decode(video=0))
            small = _filter_frame(library, source.streams.video[0], frame, f"{width}:-2")
    except (library.FFmpegError, IndexError, StopIteration) as error:
        raise Rejected(f"{name}: is no picture that can be read ({error or 'no frame'})") from error
    return jpeg(library, small)


def _filter_frame(library: Any, stream: Any, frame: av.VideoFrame, size: str) -> Any:
    graph = library.filter.Graph()
    source, sink = graph.add_buffer(template=stream, time_base=stream.time_base), graph.add("buffersink")
    scaler = graph.add("scale", size)
    source.link_to(scaler)
    scaler.link_to(sink)
    graph.configure()
    graph.push(frame)
    return graph.pull()


def jpeg(library: Any, frame: Any) -> bytes:
    """A frame as a JPEG of ffmpeg's quality 6."""
    encoder = library.CodecContext.create("mjpeg", "w")
    full = "yuvj444p" if "444" in frame.format.name else "yuvj422p" if "422" in frame.format.name else "yuvj420p"
    ready = frame.reformat(format=full)
    encoder.width, encoder.height, encoder.pix_fmt, encoder.time_base = ready.width, ready.height, full, Fraction(1, 25)
    # Bounds that meet, for a quality set on the encoder is not heard without one on the frame, which PyAV cannot set.
    # One thread, as several would each make a slice, and other bytes on another machine.
    encoder.options = {"qmin": str(QUALITY), "qmax": str(QUALITY), "threads": "1"}
    ready.pts, ready.time_base = 0, encoder.time_base
    return b"".join(bytes(packet) for packet in [*encoder.encode(ready), *encoder.encode(None)])
