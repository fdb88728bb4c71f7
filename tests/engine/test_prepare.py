"""Preparing items: each file is read once, whatever is done with it."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cooked_clips import SAMPLES, WAVS
from mine import bench
from sounds import file_of, sine

from earmark.audio import read
from earmark.data import clips
from earmark.data.cache import hash64
from earmark.engine.barrier import Tracebacks
from earmark.engine.digests import audio_digest
from earmark.engine.load import load_condition
from earmark.engine.prepare import PreparedItem, PromptPreparer
from earmark.journal import Record
from earmark.models.fake import FakeModel
from earmark.types import (
    Benchmark,
    Capabilities,
    Clip,
    EncodedAudio,
    Item,
    LoadedClip,
    NamedCondition,
    Prompt,
    Turn,
    Waveform,
    replace,
)

CONDITIONS = ("plain", "silence", "no-media", "transcript", "noise:10", "telephone", "gain:-6", "speed:1.2", "swap")
UNREAD = ("no-media", "transcript")


def benchmark_of(*items: Item) -> Benchmark:
    def prompt(item: Item) -> Prompt:
        return Prompt((Turn("user", (*item.clips, "Which?")),))

    return replace(bench.make(), items=lambda: items, prompt=prompt)


def prepare(benchmark: Benchmark, text: str, formats: tuple[str, ...] = ("wav", "flac")) -> PreparedItem | Record:
    model = FakeModel(lambda _: "A", capabilities=Capabilities(formats=formats))
    preparer = PromptPreparer(benchmark.prompt, model.capabilities, Tracebacks())
    return preparer.prepare_item(next(iter(benchmark.items())), load_condition(text, 3, benchmark), 0)


@pytest.fixture
def items(tmp_path: Path) -> tuple[Item, Item]:
    (tmp_path / "own.flac").write_bytes(file_of(sine(), form="FLAC"))
    with zipfile.ZipFile(tmp_path / "clips.zip", "w") as archive:
        archive.writestr("other.wav", file_of(sine(880.0)))
    own = Clip(str(tmp_path / "own.flac"), name="own.flac", transcript="a tone")
    other = Clip(str(tmp_path / "clips.zip"), member="other.wav", name="other.wav", transcript="a tone")
    return Item("one", "t", clips=(own,)), Item("two", "t", clips=(other,))


@pytest.mark.parametrize("formats", [("wav", "flac"), ("wav",), ("samples",)], ids=",".join)
@pytest.mark.parametrize("text", CONDITIONS)
@pytest.mark.parametrize("first", [0, 1], ids=["file", "member"])
def test_a_recording_is_read_once(
    text: str, formats: tuple[str, ...], first: int, items: tuple[Item, Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []
    read_bytes = clips._clip_bytes

    def count(clip: Clip) -> bytes:
        reads.append(clip.name)
        return read_bytes(clip)

    monkeypatch.setattr(clips, "_clip_bytes", count)
    monkeypatch.setattr(clips, "source_digest", pytest.fail)
    prepared = prepare(benchmark_of(items[first], items[1 - first]), text, formats)
    assert isinstance(prepared, PreparedItem), prepared.failure
    assert reads.count(items[first].clips[0].name) == (text not in UNREAD)
    assert len(reads) == len(set(reads))


@pytest.mark.parametrize("text", CONDITIONS)
def test_the_journal_names_the_recording_by_the_bytes_that_were_read(text: str, items: tuple[Item, Item]) -> None:
    prepared = prepare(benchmark_of(*items), text)
    assert isinstance(prepared, PreparedItem)
    source = hash64(Path(items[0].clips[0].path).read_bytes())  # type: ignore[union-attr]
    own = text not in (*UNREAD, "swap")
    assert ([sound.source for sound in prepared.record.audio_sent] == [source]) == own
    assert prepared.record.audio_digest == (hash64(source.encode()) if own else "")


def test_a_file_that_changed_has_another_digest(items: tuple[Item, Item]) -> None:
    benchmark = benchmark_of(*items)
    prompt = benchmark.prompt(items[0])
    before = prepare(benchmark, "plain")
    assert isinstance(before, PreparedItem)
    assert before.record.audio_digest == audio_digest(prompt)
    Path(items[0].clips[0].path).write_bytes(file_of(sine(500.0), form="FLAC"))  # type: ignore[union-attr]
    after = prepare(benchmark, "plain")
    assert isinstance(after, PreparedItem)
    assert before.record.audio_digest != after.record.audio_digest == audio_digest(prompt)


@pytest.mark.parametrize("data", [None, b""], ids=["missing", "empty"])
@pytest.mark.parametrize("text", [text for text in CONDITIONS if text not in UNREAD])
def test_a_clip_that_cannot_be_read_fails_its_item_and_not_the_run(
    text: str, data: bytes | None, items: tuple[Item, Item]
) -> None:
    path = Path(items[0].clips[0].path)  # type: ignore[union-attr]
    path.unlink() if data is None else path.write_bytes(data)
    record = prepare(benchmark_of(*items), text)
    assert isinstance(record, Record)
    assert record.failure
    assert record.failure.state == "sound-failed"
    assert "own.flac" in record.failure.message


@pytest.mark.parametrize("text", UNREAD)
def test_a_condition_that_needs_no_sound_reads_none(text: str, items: tuple[Item, Item]) -> None:
    Path(items[0].clips[0].path).unlink()  # type: ignore[union-attr]
    assert isinstance(prepare(benchmark_of(*items), text), PreparedItem)


def test_a_model_without_ears_is_told_so_before_anything_is_read(items: tuple[Item, Item]) -> None:
    Path(items[0].clips[0].path).unlink()  # type: ignore[union-attr]
    model = FakeModel(lambda _: "A", capabilities=Capabilities(clips=0))
    record = PromptPreparer(benchmark_of(*items).prompt, model.capabilities, Tracebacks()).prepare_item(
        items[0], None, 0
    )
    assert isinstance(record, Record)
    assert record.failure
    assert "the model takes none" in record.failure.message


def test_a_condition_is_given_loaded_clips(items: tuple[Item, Item]) -> None:
    class Spy:
        removes_audio = keeps_words = False

        def apply(self, prompt: Prompt, item: Item) -> Prompt:
            (clip,) = (part for part in prompt.turns[0].parts if not isinstance(part, str))
            assert isinstance(clip, LoadedClip)
            assert (clip.clip, clip.transcript) == (item.clips[0], "a tone")
            return prompt

    benchmark = benchmark_of(*items)
    model = FakeModel(lambda _: "A", capabilities=Capabilities(formats=("flac",)))
    prepared = PromptPreparer(benchmark.prompt, model.capabilities, Tracebacks()).prepare_item(
        items[0], NamedCondition("spy", Spy()), 0
    )
    assert isinstance(prepared, PreparedItem)
    assert prepared.record.audio_sent[0].format == "flac"


def cooked(clip: Clip, hears: Capabilities = WAVS) -> Any:
    """What the run makes of an item with a clip: a job to be asked, or a record of its failure."""
    benchmark = replace(bench.make(), prompt=lambda item: Prompt((Turn("user", (*item.clips, "Which?")),)))
    preparer = PromptPreparer(benchmark.prompt, hears, Tracebacks())
    return preparer.prepare_item(Item("the-item", "t", clips=(clip,)), None, 0)


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
