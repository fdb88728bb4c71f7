"""Acoustics: no simple meter tells an answer, but the meter of what is asked."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sounds import decibels

from earmark.audio.discrimination import LEVELS, TASKS
from earmark.audio.encode import encode
from earmark.audio.read import load_waveform
from earmark.benchmarks.acoustics import Settings, load
from earmark.types import Context, Item, Source


def a_weights(hertz: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """The A-weighting of IEC 61672, in amplitude."""
    square = hertz**2
    low, middle = square + 20.6**2, np.sqrt((square + 107.7**2) * (square + 737.9**2))
    return 12194**2 * square**2 / (low * middle * (square + 12194**2)) * 10**0.1


def meters(clip: Source) -> dict[str, float]:
    """What simple meters show of a clip, all channels together."""
    made = load_waveform(clip)
    samples = made.samples.astype(np.float64)
    size = 1 << samples.shape[1].bit_length()
    spectrum = np.sum(np.abs(np.fft.rfft(samples, size)) ** 2, axis=0)
    hertz = np.fft.rfftfreq(size, 1 / made.rate)
    return {
        "duration": made.seconds,
        "energy": decibels(float(np.sum(samples**2))),
        "peak": decibels(float(np.max(np.abs(samples))) ** 2),
        "RMS": decibels(float(np.mean(samples**2))),
        "A-weighted level": decibels(float(np.sum(spectrum * a_weights(hertz) ** 2)) / size / samples.shape[1]),
        "centroid": float(np.sum(spectrum * hertz) / np.sum(spectrum)),
        "bytes": len(encode(made, "flac")),
    }


# The meters that measure what a task asks about, by task; bytes of a lossless file are a measure of level.
OWN_METERS = {
    "pitch": {"centroid"},
    "loudness": {"energy", "peak", "RMS", "A-weighted level", "bytes"},
    "timbre": {"centroid"},
}
EACH = 72  # items of each level


CLASSIFIERS = (
    make_pipeline(StandardScaler(), LogisticRegression()),
    DecisionTreeClassifier(max_depth=3, min_samples_leaf=8, random_state=0),
)


def guessed(meter: str, asked: list[Item], shown: list[list[dict[str, float]]]) -> npt.NDArray[np.intp]:
    """How many items each classifier gets right from one meter, cross-validated."""
    columns = [[clip[meter] for clip in clips] for clips in shown]
    if len(columns[0]) > 1:
        columns = [[first - second, first, second] for first, second in columns]
    if asked[0].task == "count":
        columns = [[*row, float(item.choices[0])] for row, item in zip(columns, asked, strict=True)]
    right = np.array([item.targets[0] for item in asked])
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    return np.array([np.sum(cross_val_predict(one, columns, right, cv=folds) == right) for one in CLASSIFIERS])


@pytest.mark.parametrize("task", TASKS)
def test_no_simple_meter_does_better_than_a_coin(task: str) -> None:
    """Neither at any level nor over all levels, by a binomial test that allows for the number of meters, levels and
    tasks.
    """
    by_level: dict[str, list[Item]] = {level: [] for level in LEVELS}
    for item in load(Settings(items=EACH * len(LEVELS)), Context(tasks=(task,))).items():
        by_level[item.tags["level"]].append(item)
    shown = {level: [[meters(clip) for clip in item.clips] for item in asked] for level, asked in by_level.items()}
    all_meters = list(shown["easy"][0][0])
    tests = len(TASKS) * (len(LEVELS) + 1) * len(all_meters) * len(CLASSIFIERS)
    for meter in all_meters:
        right = {level: guessed(meter, asked, shown[level]) for level, asked in by_level.items()}
        if meter in OWN_METERS.get(task, ()):
            assert meter == "bytes" or min(right["easy"]) > 0.95 * EACH, f"the {meter} should tell {task}"
            continue
        for level, counts in {**right, "all": np.sum(list(right.values()), axis=0)}.items():
            of = EACH if level in LEVELS else EACH * len(LEVELS)
            assert binom.sf(max(counts) - 1, of, 0.5) > 0.05 / tests, f"{meter} tells {task}, {level}: {counts} of {of}"
