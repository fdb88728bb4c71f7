"""Several sounds as one."""

from __future__ import annotations

import numpy as np
import pytest

from earmark.audio.join import join_audio
from earmark.audio.prepare import prepare_audio
from earmark.errors import Rejected
from earmark.types import Capabilities, EncodedAudio, Prompt, SynthSpec, Turn, Waveform, replace

LEFT_RIGHT = np.stack([np.full(8000, 0.5), np.full(8000, 0.1)]).astype(np.float32)


def wave(samples: object, rate: int, name: str) -> Waveform:
    return Waveform(np.atleast_2d(np.asarray(samples, np.float32)), rate, name, f"the words of {name}", f"id-{name}")


def test_sounds_follow_each_other_with_silence_between() -> None:
    first, second = wave(np.full(8000, 0.25), 8000, "a"), wave(np.full(4000, 0.5), 8000, "b")
    joined = join_audio((first, second), 0.5)
    assert joined.samples.shape == (1, 8000 + 4000 + 4000)
    assert np.all(joined.samples[0, :8000] == 0.25)
    assert not joined.samples[0, 8000:12000].any()
    assert np.all(joined.samples[0, 12000:] == 0.5)
    assert (joined.name, joined.source) == ("a+b", "id-a+id-b")
    assert joined.transcript == "the words of a the words of b"


def test_the_highest_rate_is_taken_and_unlike_channels_are_mixed() -> None:
    joined = join_audio((wave(LEFT_RIGHT, 8000, "stereo"), wave(np.zeros(16000), 16000, "mono")), 0.0)
    assert (joined.rate, joined.samples.shape) == (16000, (1, 32000))
    assert joined.samples[0, 4000] == pytest.approx(0.3, abs=0.01)
    alike = join_audio((wave(LEFT_RIGHT, 8000, "one"), wave(LEFT_RIGHT, 8000, "two")), 0.0)
    assert alike.samples.shape == (2, 16000)


def test_a_model_of_one_clip_is_sent_two_as_one_where_it_wants_that() -> None:
    tone = SynthSpec("tone", {"frequency": 440, "seconds": 0.5, "level": -20}, "tone")
    prompt = Prompt((Turn("user", ("First", tone, "then", tone, "which?")), Turn("user", ("again?", tone))))
    with pytest.raises(Rejected, match=r"set `join: 1` beside `clips` .*acousticbench: join=true"):
        prepare_audio(prompt, Capabilities(clips=1))
    pair = replace(prompt, turns=prompt.turns[:1])
    parts = prepare_audio(pair, Capabilities(clips=1, join=1.0)).turns[0].parts
    assert [type(part).__name__ for part in parts] == ["str", "EncodedAudio", "str", "str"]
    assert isinstance(parts[1], EncodedAudio)
    assert (parts[1].seconds, parts[1].notes[-1]) == (2.0, "joined 2 sounds, 1 s of silence between")
    assert prepare_audio(pair, Capabilities(clips=2, join=1.0)) == prepare_audio(pair, Capabilities(clips=2))
    with pytest.raises(Rejected, match="the prompt holds 2 clips"):
        prepare_audio(prompt, Capabilities(clips=1, join=1.0))
