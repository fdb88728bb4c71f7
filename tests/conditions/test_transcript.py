"""Transcripts: of the data, or of a model."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from condition_sounds import ITEM, NONE, make_condition, through, tone

from earmark.errors import Rejected
from earmark.types import Prompt, Turn, replace


def test_a_transcript_comes_from_the_data() -> None:
    condition = make_condition("transcript", "", 0, NONE)
    said = replace(tone(440), transcript=" hello there ")
    prompt = condition.apply(Prompt((Turn("user", (said, "Which?")),)), ITEM)
    assert prompt.turns[0].parts == ('Transcript of the audio: "hello there"', "Which?")
    with pytest.raises(Rejected, match=r"tone: the data has no transcript of it.*condition=transcript:whisper_tiny"):
        condition.apply(Prompt((Turn("user", (tone(440),)),)), ITEM)


@pytest.fixture
def echo(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model in the user's own folder that says how long the sound is."""
    folder = Path("conf/model")
    folder.mkdir(parents=True)
    (folder / "echo.yaml").write_text("# says how long\nbackend: fake\nreply: echoing.words:length\n")
    Path("echoing").mkdir()
    Path("echoing/words.py").write_text(
        "calls = []\n"
        "def length(prompt):\n"
        "    calls.append(1)\n"
        "    return f'{prompt.turns[0].parts[0].seconds:g} s in {len(prompt.turns[0].parts)} part'\n"
    )
    monkeypatch.syspath_prepend(str(Path.cwd()))


@pytest.mark.usefixtures("echo")
def test_a_transcript_comes_from_a_model_and_each_sound_is_asked_about_once() -> None:
    from echoing import words  # type: ignore[import-not-found] # written by the fixture

    condition = make_condition("transcript", "echo", 0, NONE)
    assert condition.name == "transcript:echo"
    prompt = Prompt((Turn("user", (tone(440, 0.5), tone(440, 0.25), tone(440, 0.5), "Which?")),))
    expected = (
        'Transcript of the audio: "0.5 s in 1 part"',
        'Transcript of the audio: "0.25 s in 1 part"',
        'Transcript of the audio: "0.5 s in 1 part"',
        "Which?",
    )
    assert condition.apply(prompt, ITEM).turns[0].parts == expected
    assert len(words.calls) == 2
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(condition.apply(prompt, ITEM).turns[0].parts)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4

    async def inside() -> Prompt:
        return condition.apply(prompt, ITEM)

    assert asyncio.run(inside()).turns[0].parts == expected, "on a thread that runs a loop of its own too"


def test_a_recogniser_that_does_not_open_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    from earmark.errors import BadSetup
    from earmark.models import whisper_tiny

    monkeypatch.setattr(whisper_tiny, "find_spec", lambda _: None)
    condition = make_condition("transcript", "whisper_tiny", 0, NONE)
    for _ in range(2):
        with pytest.raises(BadSetup, match="the embedded Whisper model is not installed"):
            through(condition, tone(440))
