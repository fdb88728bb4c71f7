"""Samples that somebody else has decoded: arrays of any type and either order of axes, and the cells of `datasets`.

A cell of its Audio column is `{"array": samples, "sampling_rate": hertz}` up to version 3, an object with
`get_all_samples()` from version 4 on, and `{"bytes": a file, "path": its name or nothing}` undecoded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from earmark.errors import AudioError
from earmark.types import Samples

MAX_CHANNELS: Final = 32  # of an array whose axes could stand in either order
MAX_ABS_SAMPLE: Final = 32.0  # 30 dB beyond full scale: no headroom is that high
MAX_OUTLIER_SHARE: Final = 0.001  # the share of samples that may be absurd before the whole is


def check_samples(samples: Samples, name: str) -> tuple[Samples, tuple[str, ...]]:
    """Samples that a model can be given, and what had to be done. Raises AudioError for those that are no sound."""
    low, high = float(samples.min()), float(samples.max())  # either is nan where any sample is
    if low >= -MAX_ABS_SAMPLE and high <= MAX_ABS_SAMPLE:
        return samples, ()
    if not np.isfinite(samples).all():
        frame = int(np.argmin(np.isfinite(samples).all(axis=0)))
        raise AudioError(f"{name}: sample {frame} is not a finite number ({float(samples[:, frame].max())})")
    absurd = np.abs(samples) > MAX_ABS_SAMPLE
    if np.mean(absurd) > MAX_OUTLIER_SHARE:
        raise AudioError(
            f"{name}: samples reach {max(-low, high):g}, expected -1 to 1; whole numbers must be divided by their full "
            "scale"
        )
    largest, count = max(-low, high), int(np.count_nonzero(absurd))
    clipped = np.where(absurd, np.sign(samples), samples).astype(np.float32)
    return clipped, (f"out of range: {count} samples set to full scale, the largest was {largest:.3g}",)


def to_channels_first(values: Any, name: str) -> Samples:
    """An array of any type as float32 (channels, frames). Raises AudioError where its order cannot be known.

    >>> to_channels_first([[0, 16384], [0, 0], [0, 0]] * 100, "x")
    Traceback (most recent call last):
        ...
    earmark.errors.AudioError: x: samples are int64, whose full scale is unknown; expected float, int16, int32 or uint8
    """
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise AudioError(f"{name}: its rows differ in length, expected an array of samples") from error
    if array.size == 0:
        raise AudioError(f"{name}: holds no sound (an array of shape {array.shape})")
    return np.ascontiguousarray(_to_float(_order_axes(array, name), name))


def _order_axes(array: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    if array.ndim == 1:
        return array[None]
    if array.ndim == 2:
        rows, columns = array.shape
        if rows == 1 or rows <= MAX_CHANNELS < columns:
            return array
        if columns == 1 or columns <= MAX_CHANNELS < rows:
            return array.T
    raise AudioError(
        f"{name}: an array of shape {array.shape} may be channels first or last; give it as (channels, frames) with at "
        f"most {MAX_CHANNELS} channels and more frames"
    )


def _to_float(array: npt.NDArray[Any], name: str) -> Samples:
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite, and is told by name
            return array.astype(np.float32)
    if array.dtype in (np.int16, np.int32):
        return (array / -float(np.iinfo(array.dtype).min)).astype(np.float32)
    if array.dtype == np.uint8:
        return ((array.astype(np.float32) - 128) / 128).astype(np.float32)
    raise AudioError(
        f"{name}: samples are {array.dtype}, whose full scale is unknown; expected float, int16, int32 or uint8"
    )


def unpack_cell(cell: object, name: str) -> tuple[Any, Any]:
    """Contents of a cell: samples and their rate, or bytes and no rate, or a path and no rate."""
    if hasattr(cell, "get_all_samples"):
        decoded = cell.get_all_samples()
        return decoded.data, decoded.sample_rate
    if isinstance(cell, Mapping):
        if cell.get("array") is not None and cell.get("sampling_rate"):
            return cell["array"], cell["sampling_rate"]
        for key in ("bytes", "path"):
            if cell.get(key):
                return cell[key], None
        description = f"a mapping of {', '.join(map(str, cell)) or 'nothing'}"
    else:
        description = type(cell).__name__
    raise AudioError(
        f"{name}: found {description}, expected array and sampling_rate, bytes, path, or an object with "
        "get_all_samples()"
    )
