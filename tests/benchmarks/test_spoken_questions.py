"""Spoken questions: the answer is in what is said, in balance, and no order of the answers tells it."""

from __future__ import annotations

from pathlib import Path

import pytest

from earmark.benchmarks import spoken_questions
from earmark.benchmarks.spoken_questions import QUESTIONS
from earmark.engine.load import load_benchmark
from earmark.errors import UsageError
from earmark.types import Benchmark, Clip, Item


@pytest.fixture(autouse=True)
def _no_voice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        spoken_questions, "speak", lambda texts, _=None: [Path(f"{at}.wav") for at in range(len(texts))]
    )


def benchmark(seed: int = 0) -> Benchmark:
    return load_benchmark("spoken_questions", (), {"seed": seed})


def items(seed: int = 0) -> list[Item]:
    return list(benchmark(seed).items())


@pytest.mark.parametrize("seed", range(5))
def test_every_question_is_asked_once_with_its_own_right_answer(seed: int) -> None:
    found = {}
    for item in items(seed):
        (clip,) = item.clips
        (target,) = item.targets
        found[clip.transcript] = (item.text(target), {*item.choices} - {item.text(target)})
    assert found == {question: (right, {wrong}) for question, right, wrong in QUESTIONS}


@pytest.mark.parametrize("seed", range(5))
def test_always_the_same_letter_is_right_half_of_the_time(seed: int) -> None:
    assert [item.targets[0] for item in items(seed)].count("A") == len(QUESTIONS) / 2


def test_the_order_depends_on_the_seed_alone() -> None:
    assert items(3) == items(3)
    assert [item.targets for item in items(3)] != [item.targets for item in items(4)]


def test_the_question_is_in_the_sound_and_not_in_the_words() -> None:
    for item, (question, right, wrong) in zip(items(), QUESTIONS, strict=True):
        (turn,) = benchmark().prompt(item).turns
        clip, text = turn.parts
        assert isinstance(clip, Clip)
        assert isinstance(text, str)
        assert question not in text
        assert right in text
        assert wrong in text


def test_there_is_one_task() -> None:
    with pytest.raises(UsageError, match="spoken_questions has no task 'answers'"):
        load_benchmark("spoken_questions", ("answers",), {})
