"""Prompts as they are prepared for a model: what holds no sound fails alone, and what fits goes out as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cooked_clips import SAMPLES, WAVS
from mine import bench
from sounds import file_of

from earmark.audio import read
from earmark.engine.prepare import PreparedItem, PromptPreparer
from earmark.journal import CompletedIndex
from earmark.models.fake import FakeModel
from earmark.types import Capabilities, Clip, EncodedAudio, Item, Prompt, Turn, Waveform, replace


def cooked(clip: Clip, hears: Capabilities = WAVS) -> Any:
    """What the run makes of an item with a clip: a job to be asked, or a record of its failure."""
    benchmark = replace(
        bench.load(bench.Settings()), prompt=lambda item: Prompt((Turn("user", (*item.clips, "Which?")),))
    )
    kitchen = PromptPreparer(benchmark, iter(()), FakeModel(lambda _: "A", capabilities=hears), CompletedIndex())
    return kitchen.prepare_item(Item("the-item", "t", clips=(clip,)), None, 0)


@pytest.fixture
def cases(shared: Path) -> Path:
    return shared / "cases" / "audio-cases"


@pytest.mark.shared
@pytest.mark.parametrize("name", ["header-only.wav", "m4a-claims-3s-no-frames.m4a"])
def test_c08_what_holds_no_sound_is_a_failure_of_its_item(cases: Path, name: str) -> None:
    record = cooked(Clip(str(cases / name)))
    assert record.failure.state == "sound-failed"
    assert name in record.failure.message
    assert "holds no sound" in record.failure.message
    assert record.item.id == "the-item"
    assert record.failure.attempts == 0, "nothing was sent"


def test_c16_neither_does_such_a_file_go_out_untouched(tmp_path: Path) -> None:
    noise = np.zeros(16000, np.float32)
    noise[8000] = np.nan
    (tmp_path / "nan.wav").write_bytes(file_of(noise, subtype="FLOAT"))
    record = cooked(Clip(str(tmp_path / "nan.wav")))
    assert "sample 8000" in record.failure.message


@pytest.mark.parametrize("frames", [80, 1, 19200])
def test_c20_very_short_and_all_silent_clips_are_sent_as_they_are(frames: int, tmp_path: Path) -> None:
    (tmp_path / "short.wav").write_bytes(file_of(np.zeros(frames)))
    for hears in (WAVS, SAMPLES):
        job = cooked(Clip(str(tmp_path / "short.wav")), hears)
        assert isinstance(job, PreparedItem)
        (part, _) = job.prompt.turns[0].parts
        assert isinstance(part, EncodedAudio | Waveform)
        assert round(part.seconds * 16000) == frames
        assert np.all(np.isfinite(read.load_waveform(part).samples))
