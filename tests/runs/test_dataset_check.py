"""The check of a data set before anything is asked, and of the records after."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import duckdb
import numpy as np
import pytest
import soundfile
from mine import bench
from recorded_runs import ITEMS, QUICK, checked, item, of, run

from earmark.data.clips import source_digest
from earmark.engine import digests
from earmark.engine.questions import questions
from earmark.errors import BadData, RunMismatch
from earmark.journal import read_journal
from earmark.runs.dataset_check import check_records
from earmark.types import Benchmark, Clip, ImageRef, Item, SynthSpec, replace


def test_records_that_nobody_asked_for_are_named(tmp_path: Path) -> None:
    outcome = run("model=fake")
    fewer = bench.make(items=ITEMS - 1)
    with pytest.raises(RunMismatch, match="40 records for 39 questions; nobody asked for item item-39"):
        check_records(outcome.folder / "responses.jsonl", ITEMS, ITEMS - 1, questions(fewer, (None,), QUICK))


def test_targets_are_matched_to_labels_before_anything_is_asked() -> None:
    """Finding K6, of a run."""
    found = checked(*map(item, ("kick ", "(B)", "B.", "B. kick", "KICK", "B")))
    assert [each.targets for each in found] == [("B",)] * 6
    doubled = Item("1", "all", choices=("yes", "yes", "no"), labels=("A", "B", "C"), targets=("yes",))
    assert checked(doubled)[0].targets == ("A", "B")


def test_targets_that_name_no_choice_are_refused_before_anything_is_asked() -> None:
    wrong = [replace(item("cymbal"), id=f"x{at}") for at in range(7)]
    with pytest.raises(BadData, match=r"7 of 8 items have a target.*: 'x0' \('cymbal'\), .*'x4' .* and 2 more"):
        run("model=fake", benchmark=of([item("kick"), *wrong]))
    assert not list(Path("results").rglob("run.json"))


@pytest.mark.parametrize(
    "wrong",
    [
        Item("1", "all", choices=("a", "b"), labels=("A",), targets=("A",)),
        Item("1", "all", choices=("a", "b"), labels=("A", "A"), targets=("A",)),
        Item(1, "all"),  # type: ignore[arg-type]
        Item("1", "all", targets=(3,)),  # type: ignore[arg-type]
    ],
)
def test_an_item_that_no_journal_holds_is_refused_by_name(wrong: Item) -> None:
    with pytest.raises(BadData, match="1"):
        run("model=fake", benchmark=of([wrong]))


def age(path: Path, seconds: int = 100) -> None:
    os.utime(path, ns=(time.time_ns() - seconds * 10**9,) * 2)


def unfinished(benchmark: Benchmark) -> Path:
    """A run of which all questions but the last are completed."""
    folder = run("model=fake", benchmark=benchmark).folder
    journal = folder / "responses.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))
    (folder / "metrics.json").unlink()
    return folder


@pytest.fixture
def clips_read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Paths of the clips that are read to be compared."""
    read: list[str] = []

    def count(part: Clip | SynthSpec | ImageRef) -> str:
        read.extend([part.path] if isinstance(part, Clip) else [])
        return source_digest(part)

    monkeypatch.setattr(digests, "source_digest", count)
    return read


def with_clips(folder: Path) -> Benchmark:
    for index in range(6):
        soundfile.write(folder / f"clip-{index}.wav", np.full(160, index, "int16"), 16000)
        age(folder / f"clip-{index}.wav")
    return bench.make(items=6, data=str(folder))


def test_a_resumed_run_reads_no_clip_that_has_not_changed(tmp_path: Path, clips_read: list[str]) -> None:
    benchmark = with_clips(tmp_path)
    folder = unfinished(benchmark)
    assert all(record.file_stamp for record in read_journal(folder / "responses.jsonl"))
    assert run("model=fake", benchmark=benchmark).folder == folder
    assert clips_read == []


def test_a_resumed_run_reads_a_clip_that_was_touched_and_finds_one_that_has_changed(
    tmp_path: Path, clips_read: list[str]
) -> None:
    benchmark = with_clips(tmp_path)
    folder = unfinished(benchmark)
    age(tmp_path / "clip-1.wav", 50)
    assert run("model=fake", benchmark=benchmark).folder == folder
    assert clips_read == [f"{tmp_path}/clip-1.wav"]
    unfinished(benchmark)
    soundfile.write(tmp_path / "clip-2.wav", np.full(160, 999, "int16"), 16000)  # of the same size
    age(tmp_path / "clip-2.wav", 50)
    with pytest.raises(RunMismatch, match=r"item item-2: a clip \(clip-2.wav\) has changed"):
        run("model=fake", benchmark=benchmark)


def test_the_signed_digest_of_a_file_vouches_for_its_cells(tmp_path: Path, clips_read: list[str]) -> None:
    def in_parquet(path: Path) -> Benchmark:
        clips = [Clip(str(path), row, "audio", name=f"{row}") for row in range(4)]
        items = [Item(clip.name, "all", "Which?", (clip,), labels=("A", "B"), targets=("A",)) for clip in clips]
        return replace(bench.make(), items=lambda: iter(items), files=lambda: (str(path),))

    soundfile.write(tmp_path / "clip.wav", np.full(160, 1, "int16"), 16000)
    path = tmp_path / "data" / "a.parquet"
    path.parent.mkdir()
    cells = f"select content as audio from read_blob('{tmp_path}/clip.wav'), range(4)"  # noqa: S608
    duckdb.connect().execute(f"copy ({cells}) to '{path}' (format parquet)")
    folder = unfinished(in_parquet(path))
    copied = tmp_path / "elsewhere" / "data" / "a.parquet"
    copied.parent.mkdir(parents=True)
    shutil.copyfile(path, copied)  # with another time and inode
    assert run("model=fake", benchmark=in_parquet(copied)).folder == folder
    assert clips_read == []
