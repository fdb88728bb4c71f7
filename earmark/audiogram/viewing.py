"""Audiograms for the viewer, which knows no dimensions: thresholds with their curves, and trials as a benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from earmark.audiogram.results import load_audiogram
from earmark.audiogram.trials import as_benchmark, plan_of
from earmark.runs.signature import load_signature
from earmark.types import Benchmark

CURVE_POINTS: Final = 60  # of a fitted curve that is drawn


def describe_audiogram(run: Path) -> dict[str, Any]:
    """Describe an audiogram, each fitted curve as points of level and share."""
    audiogram = load_audiogram(run)
    page: dict[str, Any] = msgspec.to_builtins(audiogram)
    for result, shown in zip(audiogram.results, page["results"], strict=True):
        shown["fitted"] = []
        if result.curve and result.points:
            levels = np.linspace(result.points[0].level, result.points[-1].level, CURVE_POINTS)
            shown["fitted"] = np.stack([levels, result.curve.right(levels)], axis=1).tolist()
    return page


def open_trials(run: Path) -> Benchmark:
    """Open the trials of an audiogram as the benchmark that made their prompts."""
    signature = load_signature(run)
    most = signature.capabilities.clips if signature.capabilities else None
    one_clip = most is not None and most < 2
    return as_benchmark(plan_of(signature.benchmark["settings"]), one_clip=one_clip)
