"""Limits on sound and its rates."""

from __future__ import annotations

from pathlib import Path

import pytest
from sounds import file_of, sine

from earmark.audio.limits import DEFAULT_LIMITS, MAX_RATE, MIN_RATE, check_rate, limits_of
from earmark.audio.prepare import fit_audio
from earmark.audio.read import ClipLoader, passthrough
from earmark.errors import AudioError
from earmark.types import Capabilities, Clip, Limits, SynthSpec


@pytest.mark.parametrize("rate", [MIN_RATE - 1, MAX_RATE + 1, 0, float("nan")])
def test_a_rate_that_no_sound_has_is_refused(rate: float) -> None:
    with pytest.raises(AudioError, match=r"clip: has .* samples a second, expected at least 1000 and at most 768000"):
        check_rate(rate, "clip")
    check_rate(MIN_RATE, "clip")
    check_rate(MAX_RATE, "clip")


def test_sound_that_takes_the_place_of_a_clip_has_its_limits(tmp_path: Path) -> None:
    path = tmp_path / "clip.wav"
    path.write_bytes(file_of(sine()))
    limits = Limits(max_seconds=2.0)
    assert limits_of(ClipLoader(limits).load(Clip(str(path)))) == limits
    assert limits_of(SynthSpec("silence", {"seconds": 1.0})) == DEFAULT_LIMITS


def test_bytes_that_a_condition_hands_over_keep_the_limits_of_the_run(tmp_path: Path) -> None:
    path = tmp_path / "clip.wav"
    path.write_bytes(file_of(sine()))
    encoded = passthrough(ClipLoader().load(Clip(str(path))))
    assert encoded is not None
    with pytest.raises(AudioError, match=r"the limit is max_audio_seconds=0\.5;"):
        fit_audio(encoded, Capabilities(), Limits(max_seconds=0.5))
    assert fit_audio(encoded, Capabilities(), Limits(max_seconds=1.0)) is encoded
