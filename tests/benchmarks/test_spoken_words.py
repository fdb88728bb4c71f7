"""Spoken words: each word of a set once, among all of its set, from recordings or from a voice."""

from __future__ import annotations

from pathlib import Path

import pytest

from earmark.benchmarks import spoken_words
from earmark.benchmarks.spoken_words import PACKAGE, SOUNDS, WORDS
from earmark.data import debian
from earmark.engine.load import load_benchmark
from earmark.errors import BadData
from earmark.types import Benchmark, Clip, Item


@pytest.fixture(autouse=True)
def _no_voice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spoken_words, "speak", lambda texts, _=None: [Path(f"{text}.wav") for text in texts])


@pytest.fixture
def recordings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The unpacked package, with empty files for sounds."""
    for words in WORDS.values():
        for name in words.values():
            file = tmp_path / SOUNDS / f"{name}.wav"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
    monkeypatch.setattr(debian, "fetch_package", lambda name: {PACKAGE: tmp_path}[name])
    return tmp_path / SOUNDS


def benchmark(voice: str = "packaged", seed: int = 0, *tasks: str) -> Benchmark:
    return load_benchmark("spoken_words", tasks, {"seed": seed, "voice": voice})


def clip(item: Item) -> Clip:
    (found,) = item.clips
    assert isinstance(found, Clip)
    return found


@pytest.mark.parametrize(
    ("task", "size"), [("digits", 10), ("weekdays", 7), ("months", 12), ("letters", 26), ("nato", 26)]
)
def test_every_word_is_asked_once_among_all_of_its_set(task: str, size: int) -> None:
    items = list(benchmark("packaged", 0, task).items())
    assert len(items) == len({item.id for item in items}) == size
    for item in items:
        (target,) = item.targets
        assert sorted(item.choices) == sorted(WORDS[task])
        assert item.text(target) == clip(item).transcript == Path(clip(item).path).stem == item.id


def test_a_letter_stands_under_itself_and_other_words_in_an_order_of_the_seed() -> None:
    for item in benchmark("packaged", 0, "letters").items():
        assert item.choices == item.labels
    orders = [[item.choices for item in benchmark("packaged", seed, "digits").items()] for seed in (0, 0, 1)]
    assert orders[0] == orders[1] != orders[2]
    assert len(set(orders[0])) == 10, "of each item its own"


def test_recordings_are_those_of_the_package(recordings: Path) -> None:
    items = {item.id: item for item in benchmark("recorded").items()}
    assert clip(items["seven"]).path == str(recordings / "digits/7.wav")
    assert clip(items["Sunday"]).path == str(recordings / "digits/day-0.wav")
    assert clip(items["zulu"]).path == str(recordings / "phonetic/z_p.wav")
    assert {item.tags["voice"] for item in items.values()} == {"recorded"}


def test_a_recording_that_is_gone_is_told_by_its_path(recordings: Path) -> None:
    (recordings / "digits/mon-4.wav").unlink()
    with pytest.raises(BadData, match=r"digits/mon-4\.wav: not in Debian's asterisk-core-sounds-en-wav"):
        list(benchmark("recorded", 0, "months").items())


@pytest.mark.parametrize(
    ("unpacked", "apt", "voice"), [(True, False, "recorded"), (False, True, "recorded"), (False, False, "packaged")]
)
def test_the_voice_signs_and_is_told(unpacked: bool, apt: bool, voice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debian, "find_unpacked", lambda _: Path() if unpacked else None)
    monkeypatch.setattr(debian, "is_available", lambda: apt)
    found = benchmark("auto")
    assert found.settings["voice"] == voice
    assert ("not comparable" in found.warnings[0]) == (voice == "packaged")
