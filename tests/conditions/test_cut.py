"""Cut: the beginning of a sound."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from condition_sounds import ITEM, NONE, make_condition, through, tone
from sounds import file_of, sine

from earmark.audio import read
from earmark.types import Clip, Prompt, SynthSpec, Turn


def test_cut_leaves_the_beginning_and_what_is_shorter_alone(tmp_path: Path) -> None:
    path = tmp_path / "clip.wav"
    path.write_bytes(file_of(sine(seconds=2.0)))
    condition = make_condition("cut", "0.5", 0, NONE)
    for whole in (Clip(str(path), name="clip"), tone(440, 2.0), SynthSpec("silence", {"seconds": 2.0})):
        (beginning,) = through(condition, whole)
        assert beginning.samples.shape == (1, 8000)
        assert np.array_equal(beginning.samples, read.load_waveform(whole).samples[:, :8000])
        assert beginning.notes[-1] == "cut to its first 0.5 s"
    stretch = Clip(str(path), start=1.0, end=1.8)
    assert np.array_equal(through(condition, stretch)[0].samples, read.load_waveform(stretch).samples[:, :8000])
    for short_one in (Clip(str(path), end=0.5), tone(440, 0.5), tone(440, 0.1)):
        prompt = condition.apply(Prompt((Turn("user", (short_one,)),)), ITEM)
        assert prompt.turns[0].parts[0] is short_one
