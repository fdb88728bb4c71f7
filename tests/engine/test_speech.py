"""Speech of answers in the folder of the run: moved from the cache, copied from anywhere else."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import cast

import pytest

from earmark.data.cache import cache_dir
from earmark.engine.cache import CachedModel, ResponseCache
from earmark.engine.speech import keep_speech
from earmark.errors import RunStopped
from earmark.models.fake import FakeModel
from earmark.types import Clip, Model, Response

MODEL = FakeModel(lambda _: "Yes.")


def keep(path: Path, run: Path, model: Model = MODEL) -> Response:
    """An answer whose speech lies somewhere, after it was recorded."""
    response = Response("Yes.", speech=Clip(str(path), name="x", transcript="Yes."))
    return asyncio.run(keep_speech(response, run, model))


def test_a_file_of_the_cache_is_moved_and_any_other_is_copied(tmp_path: Path) -> None:
    in_cache, own = cache_dir("speech", "replies") / "a.wav", tmp_path / "own.wav"
    for path in (in_cache, own):
        path.write_bytes(b"RIFF" + path.name.encode())
        kept = keep(path, tmp_path).speech
        assert kept
        assert (tmp_path / kept.path).read_bytes() == b"RIFF" + path.name.encode()
        assert (kept.path, kept.transcript) == (f"speech/{kept.name}", "Yes.")
    assert (in_cache.exists(), own.exists()) == (False, True)


def test_answers_that_are_cached_leave_their_speech_in_the_cache(tmp_path: Path) -> None:
    path = cache_dir("speech", "replies") / "b.wav"
    path.write_bytes(b"RIFF")
    memory = ResponseCache(tmp_path / "answers.sqlite")
    cached = cast("Model", CachedModel(MODEL, memory, {}))
    assert [keep(path, tmp_path, cached).speech for _ in range(2)] == [keep(path, tmp_path).speech] * 2
    memory.close()


def test_speech_that_is_not_there_is_left_out_with_a_note(tmp_path: Path) -> None:
    kept = keep(tmp_path / "none.wav", tmp_path)
    assert (kept.text, kept.speech, kept.notes) == (
        "Yes.",
        None,
        (f"speech left out: no file {tmp_path / 'none.wav'}",),
    )


def test_a_folder_that_cannot_be_written_stops_the_run(tmp_path: Path) -> None:
    (tmp_path / "speech").write_text("a file")
    (tmp_path / "own.wav").write_bytes(b"RIFF")
    with pytest.raises(RunStopped, match="the speech of an answer cannot be kept there"):
        keep(tmp_path / "own.wav", tmp_path)
