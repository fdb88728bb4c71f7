"""Acoustics: the answer is in the sound and nowhere else, in balance, and the same bytes everywhere."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from earmark.audio import read
from earmark.audio.make import RATE
from earmark.audio.prepare import prepare
from earmark.benchmarks.acoustics import HALVES, LEVELS, TASKS, Settings, load
from earmark.errors import UsageError
from earmark.types import Hears, Item, Sound

Signal = npt.NDArray[np.float64]
WHOLE = 96  # items of a task: of every level four in each half


def items(task: str, count: int = WHOLE, **settings: Any) -> list[Item]:
    return list(load(Settings(items=count, **settings), (task,)).items())


def sent(item: Item) -> list[Sound]:
    benchmark = load(Settings(), (item.task,))
    return [part for part in prepare(benchmark.prompt(item), Hears()).turns[0].parts if isinstance(part, Sound)]


def signals(item: Item) -> list[Signal]:
    """What a model that is sent the sounds can decode, one array of channels each."""
    return [read.decode(sound.data, sound.name).samples.astype(np.float64) for sound in sent(item)]


# ---------------------------------------------------------------- ideal observers: each measures one thing


def power(signal: Signal) -> float:
    return float(np.mean(signal**2))


def peak_hertz(signal: Signal) -> float:
    """The strongest frequency, between the bins of a fine spectrum."""
    size = 1 << 18
    spectrum = np.abs(np.fft.rfft(signal * np.hanning(signal.size), size))
    return float(np.argmax(spectrum)) * RATE / size


def lasting(signal: Signal) -> float:
    loud = np.flatnonzero(np.abs(signal) > 0.02)
    return float(loud[-1] - loud[0])


def quietest_millisecond(signal: Signal) -> float:
    """The least power in any millisecond but the first and last."""
    windows = np.convolve(signal**2, np.ones(16) / 16, "valid")[400:-400]
    return float(np.min(windows))


def onsets(signal: Signal) -> npt.NDArray[np.intp]:
    """Where a beep begins: loud, after 10 ms that were not."""
    loud = np.abs(signal) > 0.005
    before = np.convolve(loud, np.ones(160))[: loud.size] - loud
    return np.flatnonzero(loud & (before == 0))


def spacing(signal: Signal) -> float:
    return float(np.median(np.diff(onsets(signal))))


def centroid(signal: Signal) -> float:
    spectrum = np.abs(np.fft.rfft(signal)) ** 2
    return float(np.sum(spectrum * np.arange(spectrum.size)) / np.sum(spectrum))


def lingering(signal: Signal) -> float:
    """The share of power between the beeps and after them."""
    at = np.arange(signal.size) / RATE
    between = np.zeros(signal.size, bool)
    for beep in range(3):
        between |= (at > 0.3 * beep + 0.12) & (at < 0.3 * beep + 0.3)
    return power(signal[between]) / power(signal)


def tonal(signal: Signal) -> float:
    """How far the strongest frequency stands out."""
    spectrum = np.abs(np.fft.rfft(signal * np.hanning(signal.size))) ** 2
    return float(np.max(spectrum) / np.median(spectrum))


def low_first(signal: Signal) -> float:
    """How much earlier the low half of the spectrum begins than the high half."""
    begins = []
    for low, high in ((200, 600), (1000, 2200)):
        spectrum = np.fft.rfft(signal)
        hertz = np.fft.rfftfreq(signal.size, 1 / RATE)
        spectrum[(hertz < low) | (hertz > high)] = 0
        band = np.abs(np.fft.irfft(spectrum, signal.size))
        begins.append(int(np.flatnonzero(band > 0.4 * np.max(band[signal.size // 2 :]))[0]))
    return float(begins[1] - begins[0])


def rise(signal: Signal) -> float:
    third = signal.size // 3
    return peak_hertz(signal[-third:]) - peak_hertz(signal[:third])


def more(measure: Callable[[Signal], float]) -> Callable[[Item], str]:
    """The answer is the sound with more of it."""

    def answer(item: Item) -> str:
        first, second = (measure(signal[0]) for signal in signals(item))
        return item.labels[0] if first > second else item.labels[1]

    return answer


def less(measure: Callable[[Signal], float]) -> Callable[[Item], str]:
    return more(lambda signal: -measure(signal))


def positive(measure: Callable[[Signal], float]) -> Callable[[Item], str]:
    """The answer is the first choice where the one sound has more than nothing of it."""

    def answer(item: Item) -> str:
        (signal,) = signals(item)
        return item.labels[0] if measure(signal[0]) > 0 else item.labels[1]

    return answer


def louder_side(item: Item) -> str:
    (signal,) = signals(item)
    left, right = signal
    return item.labels[0] if power(left) > power(right) else item.labels[1]


def counted(item: Item) -> str:
    (signal,) = signals(item)
    return item.labels[item.choices.index(str(onsets(signal[0]).size))]


# Who answers, and up to which level at least without a mistake.
OBSERVERS: dict[str, tuple[Callable[[Item], str], str]] = {
    "pitch": (more(peak_hertz), "impossible"),
    "loudness": (more(power), "impossible"),
    "duration": (more(lasting), "impossible"),
    "gap": (less(quietest_millisecond), "threshold"),
    "tempo": (less(spacing), "threshold"),
    "timbre": (more(centroid), "impossible"),
    "distance": (more(lingering), "moderate"),
    "noise": (more(tonal), "hard"),
    "order": (positive(low_first), "hard"),
    "side": (louder_side, "impossible"),
    "count": (counted, "impossible"),
    "contour": (positive(rise), "hard"),
}


@pytest.mark.parametrize("task", TASKS)
def test_the_answer_is_in_the_sound(task: str) -> None:
    """Whoever measures the one thing a task is about gives every answer, to a level that people find hard or beyond."""
    answer, upto = OBSERVERS[task]
    reached = LEVELS[: LEVELS.index(upto) + 1]
    for seed in (0, 1):
        for item in items(task, seed=seed):
            if item.tags["level"] in reached:
                assert answer(item) == item.targets[0], f"{item.id} of seed {seed}: {item.tags}"


@pytest.mark.parametrize("task", TASKS)
def test_the_answer_is_not_in_the_words(task: str) -> None:
    """All that a model reads, and the order of the items, leave either answer as likely, at every level of either half."""
    prompt = load(Settings()).prompt
    texts: dict[tuple[str, str, str], Counter[str]] = {}
    for item in items(task, 192):
        text = str(prompt(item).turns[-1].parts[-1])
        key = ("" if task == "count" else text, item.tags["level"], item.tags["half"])
        texts.setdefault(key, Counter())[item.targets[0]] += 1
    assert len(texts) == len(LEVELS) * len(HALVES)
    assert all(answers["A"] == answers["B"] for answers in texts.values())
    order = "".join(item.targets[0] for item in items(task, 192))
    assert 30 < sum(order[at : at + 2] == "AB" for at in range(0, 192, 2)) < 66, "pairs come in either order"


def test_the_two_numbers_of_a_count_are_right_alike() -> None:
    asked = items("count", 480)
    right = Counter(item.choices.index(str(item.clips[0].settings["count"])) for item in asked)  # type: ignore[union-attr]
    assert right[0] == right[1]
    assert all(int(item.choices[1]) - int(item.choices[0]) == 1 for item in asked)
    assert all(item.text(item.targets[0]) == str(item.clips[0].settings["count"]) for item in asked)  # type: ignore[union-attr]


@pytest.mark.parametrize("task", TASKS)
def test_halves_are_of_different_items_and_make_up_the_whole(task: str) -> None:
    whole, train, evaluated = (items(task, split=split) for split in ("all", "train", "eval"))
    assert len(train) == len(evaluated) == len(whole) / 2
    assert not {item.id for item in train} & {item.id for item in evaluated}
    assert sorted((*train, *evaluated), key=lambda item: item.id) == whole
    levels = Counter((item.tags["half"], item.tags["level"]) for item in whole)
    assert set(levels.values()) == {WHOLE // len(LEVELS) // 2}
    recordings = [{str(clip) for item in half for clip in item.clips} for half in (train, evaluated)]
    assert not recordings[0] & recordings[1]


@pytest.mark.parametrize("task", TASKS)
def test_an_item_stays_what_it_is_however_many_there_are(task: str) -> None:
    assert items(task, 24) == items(task, WHOLE)[:24]
    assert items(task, 24, seed=1) != items(task, 24)
    assert [item.id for item in items(task, 2)] == [f"{task}-001", f"{task}-002"]


@pytest.mark.parametrize("task", TASKS)
def test_every_sound_is_sent_as_it_is_made(task: str) -> None:
    for item in items(task, 24):
        assert set(item.tags) == {"level", "difference", "half"}
        for sound in sent(item):
            assert sound.notes == ()
            assert (sound.format, sound.rate, sound.channels) == ("wav", RATE, 2 if task == "side" else 1)
            assert 0.29 < sound.seconds < 4.5


@pytest.mark.parametrize("task", TASKS)
def test_loudness_does_not_tell_what_something_else_is_to_tell(task: str) -> None:
    """In tasks of two clips that are not about level, the power tells the answer no better than a coin."""
    asked = [item for item in items(task, 192) if item.tags["level"] not in ("easy", "fair")]
    if len(asked[0].clips) == 2 and task not in (
        "loudness",
        "tempo",
    ):  # more beeps are more power: part of being faster
        right = sum(more(power)(item) == item.targets[0] for item in asked)
        assert 0.3 < right / len(asked) < 0.7, f"{right} of {len(asked)}"


# SHA-256 over the wav files of the first 24 items of each task, seed 0: the same on every machine and Python.
PINNED = {
    "pitch": "11462f59c6d4d1eb4060a2d85b893b27",
    "loudness": "ae2d9d3d018f1a16c09824b282cd1d8f",
    "duration": "f88ce575bc9b5b0e4983864c4c5a9c6c",
    "gap": "711f30bcf50deb9433fb4e56a09e13eb",
    "tempo": "795cd6bbdbcb95ff5c62a8d490be4cf9",
    "order": "7916eac1f05deb480e6df774bd383b0d",
    "timbre": "97273e6eab94afcdf6bbcbe4fdc339ae",
    "distance": "7539c36d2d5c7b21acfb08b6ec61300c",
    "side": "b3c126bd108cb2f7923dcbe75806214b",
    "noise": "8708cea56835a81bc7d6802651135a69",
    "count": "6ce2304254bb141a7bbc52edb8e9fbef",
    "contour": "8f5a6ff8def30c3b0eb783f8521dd478",
}


@pytest.mark.parametrize("task", TASKS)
def test_the_same_seed_gives_the_same_bytes_anywhere(task: str) -> None:
    found = hashlib.sha256()
    for item in items(task, 24):
        for sound in sent(item):
            found.update(sound.data)
    assert found.hexdigest()[:32] == PINNED[task]


def test_wrong_words_are_told() -> None:
    with pytest.raises(UsageError, match="acoustics has no task 'colour'; there are: pitch, loudness, duration"):
        load(Settings(), ("colour",))
    assert "left and right are lost" in load(Settings()).notices[0]
    assert load(Settings(), ("pitch",)).notices == ()


def test_every_row_can_be_broken_down_by_level_and_half() -> None:
    made = load(Settings(items=24))
    tags = [item.tags for item in made.items()]
    assert made.slices == ("level", "half")
    assert {tag["level"] for tag in tags} == set(LEVELS)
    assert {tag["half"] for tag in tags} == set(HALVES)
