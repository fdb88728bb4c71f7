"""Acoustics: the answer is in the sound and nowhere else, in balance, and the same bytes everywhere."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from contract import every_example
from sounds import decibels

from earmark.audio.discrimination import LEVELS, SPLITS, TASKS
from earmark.audio.prepare import prepare_audio
from earmark.audio.read import decode_audio, load_waveform
from earmark.audio.synth import RATE
from earmark.benchmarks.acoustics import Settings, load
from earmark.engine.load import load_benchmark, load_condition
from earmark.errors import UsageError
from earmark.plugins import display_name
from earmark.types import Capabilities, Context, EncodedAudio, Item, NamedCondition

Signal = npt.NDArray[np.float64]
Observer = Callable[[Item, list[Signal]], str]
WHOLE = 96  # items of a task: of every level four in each half


def items(task: str, count: int = WHOLE, **settings: Any) -> list[Item]:
    return list(load(Settings(items=count, **settings), Context("acoustics", tasks=(task,))).items())


def sent(item: Item) -> list[EncodedAudio]:
    benchmark = load(Settings(), Context("acoustics", tasks=(item.task,)))
    return [
        part
        for part in prepare_audio(benchmark.prompt(item), Capabilities()).turns[0].parts
        if isinstance(part, EncodedAudio)
    ]


def signals(item: Item, condition: NamedCondition | None = None) -> list[Signal]:
    """What a model that is sent the sounds can decode, one array of channels each."""
    if condition is None:
        return [decode_audio(sound.data, sound.name).samples.astype(np.float64) for sound in sent(item)]
    heard = prepare_audio(
        condition.apply(load(Settings(), Context("acoustics", tasks=(item.task,))).prompt(item), item),
        Capabilities(rates=(RATE,)),
    )
    return [
        load_waveform(part).samples.astype(np.float64)
        for part in heard.turns[0].parts
        if isinstance(part, EncodedAudio)
    ]


# ---------------------------------------------------------------- ideal observers: each measures one thing


def power(signal: Signal) -> float:
    return float(np.mean(signal**2))


def peak_hertz(signal: Signal) -> float:
    """The strongest frequency, between the bins of a fine spectrum."""
    size = 1 << 18
    spectrum = np.abs(np.fft.rfft(signal * np.hanning(signal.size), size))
    return float(np.argmax(spectrum)) * RATE / size


def smooth(values: Signal, frames: int) -> Signal:
    return np.convolve(values, np.ones(frames) / frames, "valid")


def sounding(signal: Signal) -> Signal:
    """What lies between the first and the last 10 ms that are no softer than the loudest by more than 20 dB."""
    power = smooth(signal**2, 160)
    loud = np.flatnonzero(power > np.max(power) / 100)
    return signal[loud[0] : loud[-1] + 160]


def lasting(signal: Signal) -> float:
    return float(sounding(signal).size)


def quietest(frames: int) -> Callable[[Signal], float]:
    """The least power in so many frames, but for the first and last of what sounds, to that of the whole."""

    def least(signal: Signal) -> float:
        within = sounding(np.diff(signal))  # so that slow noise under it counts less
        return float(np.min(smooth(within**2, frames)[400:-400]) / np.mean(within**2))

    return least


def onsets(signal: Signal) -> npt.NDArray[np.intp]:
    """Where a beep begins: loud, after 10 ms that were not."""
    envelope = smooth(np.abs(signal), 32)
    loud = envelope > 0.3 * np.max(envelope)
    before = np.convolve(loud, np.ones(160))[: loud.size] - loud
    return np.flatnonzero(loud & (before == 0))


def spacing(signal: Signal) -> float:
    return float(np.median(np.diff(onsets(signal))))


def centroid(signal: Signal) -> float:
    spectrum = np.abs(np.fft.rfft(signal)) ** 2
    return float(np.sum(spectrum * np.fft.rfftfreq(signal.size, 1 / RATE)) / np.sum(spectrum))


def lingering(signal: Signal) -> float:
    """How little the power falls at once where it falls most, in decibels."""
    levels = 10 * np.log10(np.convolve(signal**2, np.ones(480) / 480, "valid")[::80])
    falls = levels[:-8] - levels[8:]
    return -float(np.max(falls[levels[:-8] > np.max(levels) - 4]))


def tonal(signal: Signal) -> float:
    """How far the strongest frequency stands out."""
    spectrum = np.abs(np.fft.rfft(signal * np.hanning(signal.size))) ** 2
    return float(np.max(spectrum) / np.mean(spectrum))


def low_first(signal: Signal) -> float:
    """How much earlier the low half of the spectrum begins than the high half."""
    begins = []
    for low, high in ((200, 600), (900, 2500)):
        size = 2 * signal.size  # so that what ends abruptly does not ring around into the beginning
        spectrum = np.fft.rfft(signal, size)
        hertz = np.fft.rfftfreq(size, 1 / RATE)
        spectrum[(hertz < low) | (hertz > high)] = 0
        band = np.abs(np.fft.irfft(spectrum, size))[: signal.size]
        begins.append(int(np.flatnonzero(band > 0.4 * np.max(band[signal.size // 2 :]))[0]))
    return float(begins[1] - begins[0])


def rise(signal: Signal) -> float:
    third = signal.size // 3
    return peak_hertz(signal[-third:]) - peak_hertz(signal[:third])


def more(measure: Callable[[Signal], float]) -> Observer:
    """The answer is the sound with more of it."""

    def answer(item: Item, heard: list[Signal]) -> str:
        first, second = (measure(signal[0]) for signal in heard)
        return item.labels[0] if first > second else item.labels[1]

    return answer


def less(measure: Callable[[Signal], float]) -> Observer:
    return more(lambda signal: -measure(signal))


def positive(measure: Callable[[Signal], float]) -> Observer:
    """The answer is the first choice where the one sound has more than nothing of it."""

    def answer(item: Item, heard: list[Signal]) -> str:
        (signal,) = heard
        return item.labels[0] if measure(signal[0]) > 0 else item.labels[1]

    return answer


def louder_side(item: Item, heard: list[Signal]) -> str:
    (signal,) = heard
    left, right = signal
    return item.labels[0] if power(left) > power(right) else item.labels[1]


def counted(item: Item, heard: list[Signal]) -> str:
    (signal,) = heard
    return item.labels[item.choices.index(str(onsets(signal[0]).size))]


# Who answers, and up to which level at least without a mistake.
OBSERVERS: dict[str, tuple[Observer, str]] = {
    "pitch": (more(peak_hertz), "impossible"),
    "loudness": (more(power), "impossible"),
    "duration": (more(lasting), "impossible"),
    "gap": (less(quietest(16)), "threshold"),
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
                assert answer(item, signals(item)) == item.targets[0], f"{item.id} of seed {seed}: {item.tags}"


@pytest.mark.parametrize("task", TASKS)
def test_the_answer_is_not_in_the_words(task: str) -> None:
    """All that a model reads, and the order of the items, leave either answer as likely, at every level of either half."""
    prompt = load(Settings(), Context("acoustics")).prompt
    texts: dict[tuple[str, str, str], Counter[str]] = {}
    for item in items(task, 192):
        text = str(prompt(item).turns[-1].parts[-1])
        key = ("" if task == "count" else text, item.tags["level"], item.tags["half"])
        texts.setdefault(key, Counter())[item.targets[0]] += 1
    assert len(texts) == len(LEVELS) * len(SPLITS)
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


# ---------------------------------------------------------------- conditions: what is asked about is still so, or they are refused

CONDITIONS = (
    "noise:20",
    "noise:pink@20",
    "noise:babble@30",
    "telephone",
    "codec:mp3@32k",
    "codec:opus@24k",
    "speed:0.8",
    "speed:1.25",
    "reverb:0.1",
    "cut:0.35",
    "gain:-40",
    "gain:12",
)
REFUSED = {(task, "cut") for task in ("duration", "gap", "tempo", "count", "order", "distance")} | {
    ("loudness", "gain:12")
}
SMALL = {"gap": less(quietest(320))}  # who measures milliseconds is deceived by noise: these are asked for less


def condition_for(text: str, task: str) -> NamedCondition:
    condition = load_condition(text, 3, load_benchmark("acoustics", (task,), {}))
    assert condition
    return condition


def refusal(text: str, task: str) -> str:
    """Why a condition is refused for a task; empty if it is not."""
    try:
        condition_for(text, task)
    except UsageError as error:
        return str(error)
    return ""


def added_conditions() -> Iterator[str]:
    """Examples of conditions that change a sound and are not listed above."""
    for name, example in every_example("conditions"):
        text = ":".join(filter(None, (display_name("conditions", name), example.argument)))
        listed = any(other.partition(":")[0] == text.partition(":")[0] for other in CONDITIONS)
        if example.own_sound and not listed and not condition_for(text, "pitch").condition.removes_audio:
            yield text


@pytest.mark.parametrize("task", TASKS)
def test_what_is_asked_about_is_still_so_under_a_condition_or_it_is_refused(task: str) -> None:
    answer = SMALL.get(task, OBSERVERS[task][0])
    asked = [item for item in items(task, 48) if item.tags["level"] in ("easy", "fair")]
    for text in (*CONDITIONS, *added_conditions()):
        if {(task, text), (task, text.partition(":")[0])} & REFUSED:
            with pytest.raises(UsageError, match=f"{text} changes what {task} of acoustics asks about"):
                condition_for(text, task)
            continue
        if text not in CONDITIONS and (message := refusal(text, task)):
            assert f"{text} changes what {task} of acoustics asks about" in message
            continue
        condition = condition_for(text, task)
        wrong = [item.id for item in asked if answer(item, signals(item, condition)) != item.targets[0]]
        assert not wrong, f"{text}: {wrong}"


@pytest.mark.parametrize(
    "text", ["noise:20", "noise:-10", "noise:pink@-10", "noise:babble@-10", "gain:-40", "reverb:0.5"]
)
def test_sounds_differ_in_level_as_they_are_stated_to(text: str) -> None:
    """At every level of `loudness`, in noise that is far stronger than the sound too."""
    condition = condition_for(text, "loudness")
    for item in items("loudness", 24):
        levels = [decibels(power(signal)) for signal in signals(item, condition)]
        louder = levels[0] - levels[1] if item.targets == ("A",) else levels[1] - levels[0]
        assert louder == pytest.approx(float(item.tags["difference"].split()[0]), abs=0.5), item.id


def test_a_run_of_what_is_refused_names_the_tasks_that_are_left() -> None:
    with pytest.raises(UsageError) as refused:
        load_condition("gain:6", 0, load_benchmark("acoustics", ("pitch", "loudness", "gap"), {}))
    assert str(refused.value) == (
        "condition=gain:6 changes what loudness of acoustics asks about, so its answers would be wrong; "
        "leave it out: acoustics:pitch,gap"
    )


# SHA-256 over the wav files of the first 24 items of each task, seed 0: the same on every machine and Python.
PINNED = {
    "pitch": "d206228be74b5fc934c2cff1597e89ac",
    "loudness": "960ad2b1068005a5a4d9c90bf85f9054",
    "duration": "8dfacba5fc582c2c9bbfbcd81bf29913",
    "gap": "665e16e0c75c923183f7b4ef97db3a2a",
    "tempo": "474dee6923463e0a10ff86e13a53b083",
    "order": "0dcba9c4b0766e9309bb06815dbba6de",
    "timbre": "bc734a8b3dbf0ee70120b62aacc3504f",
    "distance": "2afbc7adc35f66a1e3b2856253d0fb8d",
    "side": "8ddebb1a528376613729ed5d062863ed",
    "noise": "d2a2fe9b72f235e5079d14b8fe02f977",
    "count": "18d3f29e6f6114eaa38264d9eea14812",
    "contour": "9a082f4f1eff87b899c7bed7413958b6",
}


@pytest.mark.parametrize("task", TASKS)
def test_the_same_seed_gives_the_same_bytes_anywhere(task: str) -> None:
    found = hashlib.sha256()
    for item in items(task, 24):
        for sound in sent(item):
            found.update(sound.data)
    assert found.hexdigest()[:32] == PINNED[task]


def test_wrong_words_are_told() -> None:
    with pytest.raises(
        UsageError, match="acoustics has no task 'colour'; did you mean contour\\? There are: pitch, loudness, duration"
    ):
        load(Settings(), Context("acoustics", tasks=("colour",)))
    assert "left and right are lost" in load(Settings(), Context("acoustics")).warnings[0]
    assert load(Settings(), Context("acoustics", tasks=("pitch",))).warnings == ()


def test_every_row_can_be_broken_down_by_level_and_half() -> None:
    made = load(Settings(items=24), Context("acoustics"))
    tags = [item.tags for item in made.items()]
    assert made.slices == ("level", "half")
    assert {tag["level"] for tag in tags} == set(LEVELS)
    assert {tag["half"] for tag in tags} == set(SPLITS)
