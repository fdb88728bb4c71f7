"""Manifests of the Open ASR Leaderboard: MODEL_<model>_DATASET_<path>_<name>_<split>.jsonl, a line for each recording.

    audio_filepath, duration, time, text, pred_text; parent_id and chunk_index where a recording was cut up

A run is a model, a task a data set as the file's name has it. The first hyphen of the model's name stands for the slash
that a file's name cannot have. Texts are as they were written: raw by the scripts of today, normalised by those for
services, which normalise before they write. Chunks of one recording are joined in their order and are one item, whose
reference is the first chunk's, as the leaderboard scores them. A recording whose request failed is in no manifest, and
nothing tells how many there were. A file without a reference text stands for silence.

English is scored by the leaderboard's rule: its normaliser, compounds merged, all words together; its average is the
mean over the sets. Other languages are told by the data set's name and scored by ours: the leaderboard's multilingual
normaliser, and its lattices for Hindi, are not here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from earmark.errors import BadData
from earmark.importers._runs import (
    first_line,
    language_of_name,
    matching_files,
    measure_scorers,
    object_keys,
    plain_name,
    read_lines,
)
from earmark.journal import Record
from earmark.plugins.examples import ImporterExample
from earmark.runs.imported import FunctionImporter, ImportedRun, ScorerSpec, TaskStats
from earmark.runs.imported import NoSettings as Settings
from earmark.types import Clip, Context, Item, Response

PATTERN: Final = "MODEL_*_DATASET_*.jsonl"
NAME: Final = re.compile(r"MODEL_(?P<model>.+?)_DATASET_(?P<dataset>.+)\.jsonl")
ENGLISH: Final = {"name": "wer", "language": "en", "normalizer": "open-asr", "compounds": True}


class ManifestLine(Struct, frozen=True):
    """One recording, or one chunk of one; scripts may write columns of their own beside."""

    text: str | None
    pred_text: str | None
    audio_filepath: str = ""
    duration: float | None = None
    time: float | None = None
    parent_id: str | int | None = None
    chunk_index: int | None = None


def matches(path: Path) -> bool:
    """True if a file, or a folder of files, has this format."""
    return any({"text", "pred_text"} <= object_keys(first_line(file)) for file in matching_files(path, PATTERN))


def read(path: Path) -> Iterator[ImportedRun]:
    """Yield a run for each model."""
    models: dict[str, dict[str, Path]] = {}
    for file in matching_files(path.absolute(), PATTERN):
        if name := NAME.fullmatch(file.name):
            models.setdefault(name["model"].replace("-", "/", 1), {})[plain_name(name["dataset"])] = file
    for model, tasks in models.items():
        yield ImportedRun(
            benchmark="open_asr",
            tasks=(),
            model=model,
            records=(record for task, file in tasks.items() for record in _records(task, file)),
            scorers=scorers,
            average=True,
            files=tuple(tasks.values()),
        )


def scorers(task_stats: TaskStats) -> list[ScorerSpec]:
    """The leaderboard's own rule for English, ours for others."""
    language = language_of_name(task_stats.task) or "en"
    return [*measure_scorers(task_stats), ENGLISH if language == "en" else {"name": "wer", "language": language}]


def _records(task: str, file: Path) -> Iterator[Record]:
    chunks: dict[str, list[ManifestLine]] = {}
    for number, line in read_lines(file, ManifestLine, "a line of an Open ASR manifest"):
        if line.parent_id is None:
            yield _record(f"{number - 1}", task, line)
        else:
            chunks.setdefault(str(line.parent_id), []).append(line)
    for parent, parts in chunks.items():
        yield _record(parent, task, _join_chunks(parent, parts, file))


def _join_chunks(parent: str, chunks: list[ManifestLine], file: Path) -> ManifestLine:
    """The chunks of a recording as one line."""
    places = [chunk.chunk_index for chunk in chunks]
    if sorted(place for place in places if place is not None) != list(range(len(chunks))):
        raise BadData(
            f"{file}: recording '{parent}' has the chunks {', '.join(map(str, places))}, expected all from 0 on; the "
            "missing ones "
            "would count as words left out: complete the manifest, or take the recording out"
        )
    chunks = sorted(chunks, key=lambda chunk: chunk.chunk_index or 0)
    texts = [text for chunk in chunks if (text := (chunk.pred_text or "").strip())]
    times = [chunk.time for chunk in chunks if chunk.time is not None]
    return ManifestLine(chunks[0].text, " ".join(texts), parent, time=sum(times) if times else None)


def _record(name: str, task: str, line: ManifestLine) -> Record:
    named = line.audio_filepath if not re.fullmatch(r"sample_\d+|\d+", line.audio_filepath) else ""
    clips = (Clip(named, name=named),) if named and line.parent_id is None else ()
    item = Item(name, task, clips=clips, targets=((line.text or "").strip(),))
    return Record(item, response=Response((line.pred_text or "").strip(), seconds=line.time or 0.0))


def load(settings: Settings, context: Context) -> FunctionImporter:  # noqa: ARG001 - alike for all
    """Load the importer."""
    return FunctionImporter(matches, read)


def examples() -> tuple[ImporterExample, ...]:
    return (
        ImporterExample(
            recorded="open_asr",
            cut="MODEL_some-lab-large-v2_DATASET_hf-audio-open-asr-leaderboard_earnings22_test.jsonl",
        ),
    )
