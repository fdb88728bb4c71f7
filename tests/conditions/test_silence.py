"""Silence: as much of it as there was sound, and nothing that tells what was heard."""

from __future__ import annotations

import pytest
from condition_sounds import NONE, speech_like, tone

from earmark.engine.load import load_condition
from earmark.errors import UsageError
from earmark.types import Audio, Item, Part, Prompt, SynthSpec, Turn, Waveform, replace


def silent(*parts: Part) -> tuple[Part, ...]:
    condition = load_condition("silence", 0, NONE)
    assert condition is not None
    return condition.apply(Prompt((Turn("user", parts),)), Item("1")).turns[0].parts


@pytest.mark.parametrize(
    "sound",
    [tone(440.0), speech_like(1.5, 44100, 2), SynthSpec("tone", {"frequency": 440.0, "seconds": 0.3, "level": -20.0})],
    ids=["mono", "stereo", "recipe"],
)
def test_nothing_is_heard_as_long_as_before(sound: Audio) -> None:
    (found,) = silent(sound)
    assert isinstance(found, Waveform)
    assert not found.samples.any()
    assert found.notes[-1] == "replaced by silence"
    if isinstance(sound, Waveform):
        assert (found.samples.shape, found.rate) == (sound.samples.shape, sound.rate)
    else:
        assert found.seconds == 0.3


def test_words_stay_and_transcripts_do_not() -> None:
    first, sound, last = silent("Listen:", replace(tone(440.0), transcript="the answer is B", name="a"), "Which?")
    assert (first, last) == ("Listen:", "Which?")
    assert isinstance(sound, Waveform)
    assert (sound.transcript, sound.name) == ("", "a")


def test_it_takes_no_argument() -> None:
    with pytest.raises(UsageError, match="silence takes no argument"):
        load_condition("silence:3", 0, NONE)
