"""Places in which a file of a run is looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from earmark.data.clips import source_digest
from earmark.errors import BadData
from earmark.runs.media_paths import MediaFinder, parse_mapping
from earmark.types import Clip


def test_the_first_place_with_the_recorded_bytes_is_taken(tmp_path: Path) -> None:
    run = tmp_path / "results/m/b/t"
    run.mkdir(parents=True)
    finder = MediaFinder(run, tmp_path / "cwd")
    for place, data in (("cwd/a.wav", b"changed"), ("results/m/b/a.wav", b"other"), ("a.wav", b"sent")):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_bytes(data)
    sent = source_digest(Clip(str(tmp_path / "a.wav")))
    found = finder.find(Clip("a.wav", start=1.0), {sent})
    assert (found.path, found.name, found.start) == (str(tmp_path / "a.wav"), "a.wav", 1.0)
    assert finder.find(Clip("a.wav")).path == str(tmp_path / "cwd/a.wav")  # nothing is recorded: the first
    with pytest.raises(BadData, match=r"cwd/a\.wav is not the file that was sent"):
        finder.find(Clip("a.wav"), {"0" * 16})


def test_an_absolute_path_in_the_working_folder_is_looked_for_beside_the_run_too(tmp_path: Path) -> None:
    finder = MediaFinder(tmp_path / "new/results/m/b/t", Path("/old"))
    assert tmp_path / "new/d/a.wav" in finder.candidates("/old/d/a.wav")
    assert finder.candidates("/data/a.wav")[0] == Path("/data/a.wav")


def test_mappings_change_the_beginning_or_name_a_folder(tmp_path: Path) -> None:
    moved, folder = parse_mapping(f"/old/d={tmp_path}"), parse_mapping(str(tmp_path))
    assert [*moved.candidates("/old/d/x/a.wav")] == [tmp_path / "x/a.wav"]
    assert [*moved.candidates("/old/data/a.wav")] == []
    assert [*folder.candidates("/x/../a.wav")] == [tmp_path / "x/a.wav", tmp_path / "a.wav"]
