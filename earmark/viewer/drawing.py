"""Waveforms and spectrograms of sounds, read block by block, so that a long recording never lies in memory decoded."""

from __future__ import annotations

import functools
import io
import struct
import zlib
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import soundfile

from earmark.audio.read import decode_audio
from earmark.errors import AskError, BadData
from earmark.types import EncodedAudio, Samples, Waveform

POINTS: Final = 1600  # of a waveform, at most
COLUMNS: Final = 1000  # of a spectrogram, at most
ROWS: Final = 256
WINDOW: Final = 2 * ROWS  # samples of a window of the spectrogram
WINDOWS: Final = 6  # of a column, at most
BLOCK: Final = 1 << 18  # frames that are decoded at a time
RANGE: Final = 80.0  # dB from the loudest cell down to black
MAX_CHANNELS: Final = 2  # that are drawn
ANCHORS: Final = (
    (0, 0, 4), (28, 16, 68), (79, 18, 123), (129, 37, 129), (181, 54, 122), (229, 80, 100), (251, 135, 97),
    (254, 194, 135), (252, 253, 191),
)  # fmt: skip


class SoundInfo(NamedTuple):
    """Shape and levels of a sound."""

    rate: int
    channels: int
    duration: float
    level: float | None  # root mean square in dB below full scale; None: silent
    peak: float  # largest absolute sample
    peaks: list[list[float]]  # largest absolute sample of each stretch, by channel


class Blocks:
    """The samples of a sound in blocks of shape (frames, channels)."""

    def __init__(self, audio: EncodedAudio) -> None:
        """Raise BadData for bytes that are no sound."""
        self._file: soundfile.SoundFile | None = None
        self._samples: Samples | None = None
        try:
            self._file = soundfile.SoundFile(io.BytesIO(audio.data))
            self.rate, self.channels, self.frames = self._file.samplerate, self._file.channels, self._file.frames
        except soundfile.LibsndfileError:
            waveform = _decode(audio)
            self._samples = waveform.samples.T
            self.rate, (self.frames, self.channels) = waveform.rate, self._samples.shape

    def __iter__(self) -> Iterator[tuple[int, Samples]]:
        """Yield each block with the number of its first frame."""
        if self._samples is not None:
            yield 0, self._samples
            return
        assert self._file is not None  # noqa: S101 - one of the two is there
        self._file.seek(0)
        start = 0
        for block in self._file.blocks(BLOCK, dtype="float32", always_2d=True):
            yield start, block
            start += len(block)


def _decode(audio: EncodedAudio) -> Waveform:
    """Decode formats that libsndfile does not read, all at once."""
    try:
        return decode_audio(audio.data, audio.name)
    except AskError as error:
        raise BadData(f"{audio.name}: cannot be decoded ({error})") from error


def describe_sound(audio: EncodedAudio) -> SoundInfo:
    """Compute the waveform and the levels of a sound. Raises BadData for bytes that are no sound."""
    blocks = Blocks(audio)
    frames, drawn = max(1, blocks.frames), min(blocks.channels, MAX_CHANNELS)
    points = min(POINTS, frames)
    peaks = np.zeros((drawn, points), np.float32)
    edges = np.arange(points, dtype=np.int64) * frames // points  # first frame of each point
    squares, count = 0.0, 0
    for start, block in blocks:
        if start >= frames:
            break
        flat = block.ravel()
        squares += float(np.dot(flat, flat))
        count += block.size
        first, last = np.searchsorted(edges, (start, start + len(block) - 1), side="right") - 1
        firsts = np.maximum(edges[first : last + 1] - start, 0)
        for channel in range(drawn):
            largest = np.maximum.reduceat(np.abs(block[:, channel]), firsts)
            np.maximum(peaks[channel, first : last + 1], largest, out=peaks[channel, first : last + 1])
    mean = squares / count if count else 0.0
    level = 10 * float(np.log10(mean)) if mean > 0 else None
    return SoundInfo(
        blocks.rate, blocks.channels, blocks.frames / blocks.rate, level, float(peaks.max(initial=0.0)),
        [[round(float(value), 4) for value in channel] for channel in peaks],
    )  # fmt: skip


def draw_spectrogram(audio: EncodedAudio, channel: int = 0) -> bytes:
    """Draw the spectrogram of a channel as a PNG: time to the right, 0 to half the rate upwards, loud is bright."""
    blocks = Blocks(audio)
    if not 0 <= channel < blocks.channels:
        raise BadData(f"channel {channel}: found {blocks.channels} channels")
    columns = max(1, min(COLUMNS, blocks.frames // (WINDOW // 8)))
    power = np.zeros((columns, ROWS))
    counts = np.zeros(columns)
    starts, owners = _window_starts(blocks.frames, columns)
    taper = np.hanning(WINDOW).astype(np.float32)
    rest: Samples = np.zeros(0, np.float32)
    done = 0
    for start, block in blocks:
        base = start - rest.size
        samples = np.concatenate([rest, block[:, channel]])
        ready = int(np.searchsorted(starts, base + samples.size - WINDOW, side="right"))
        _add_windows(samples, starts[done:ready] - base, owners[done:ready], taper, (power, counts))
        done = ready
        rest = samples[-(WINDOW - 1) :]
    if done < starts.size:  # shorter than a window
        padded = np.pad(rest, (0, WINDOW))
        offsets = np.clip(starts[done:] - (blocks.frames - rest.size), 0, padded.size - WINDOW)
        _add_windows(padded, offsets, owners[done:], taper, (power, counts))
    decibels = 10 * np.log10(power / np.maximum(counts, 1)[:, None] + 1e-12)
    top = max(float(decibels.max()), -90.0)
    cells = np.clip((decibels - top + RANGE) / RANGE, 0, 1) * 255
    return encode_png(cells.T[::-1].astype(np.uint8))


def _window_starts(frames: int, columns: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return first frames of all windows, and the column of each."""
    each = int(min(WINDOWS, max(1, frames // (columns * WINDOW))))
    centres = (np.arange(columns * each) + 0.5) * frames / (columns * each)
    starts = np.clip(centres.astype(np.int64) - WINDOW // 2, 0, max(0, frames - WINDOW))
    return starts, np.arange(columns * each) // each


def _add_windows(
    samples: Samples,
    offsets: npt.NDArray[np.int64],
    owners: npt.NDArray[np.int64],
    taper: Samples,
    sums: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]],
) -> None:
    """Add the power of windows to their columns."""
    power, counts = sums
    if samples.size < WINDOW:
        return
    windows = np.lib.stride_tricks.sliding_window_view(samples, WINDOW)
    for first in range(0, len(offsets), 512):
        part = windows[offsets[first : first + 512]] * taper
        spectra = np.square(np.abs(np.fft.rfft(part, axis=1)))[:, :ROWS] / WINDOW
        np.add.at(power, owners[first : first + 512], spectra)
        np.add.at(counts, owners[first : first + 512], 1)


@functools.cache
def palette() -> bytes:
    """Return 256 colours from black to light yellow, brighter throughout."""
    anchors = np.array(ANCHORS, np.float64)
    places = np.linspace(0, len(anchors) - 1, 256)
    channels = [np.interp(places, np.arange(len(anchors)), anchors[:, index]) for index in range(3)]
    return bytes(np.stack(channels, axis=1).round().astype(np.uint8).tobytes())


def encode_png(cells: npt.NDArray[np.uint8]) -> bytes:
    """Encode cells of shape (height, width) as a PNG with the palette.

    >>> encode_png(np.zeros((2, 3), np.uint8))[:8]
    b'\\x89PNG\\r\\n\\x1a\\n'
    """
    height, width = cells.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), cells], axis=1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    body = zlib.compress(rows.tobytes(), 6)
    chunks = (chunk(b"IHDR", head), chunk(b"PLTE", palette()), chunk(b"IDAT", body), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
