"""A small set of our own in AcousticBench's schema, for whoever has not the archive.

Its questions and sounds are those of `acoustics.py`, of four tasks, two clips each but for contour. None of it is
AcousticBench's, and a score on it says nothing of a score there. The level that nobody can hear is the diagnostic part:
who does better than chance on it has not been listening.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from earmark.audio.encode import encode_wav
from earmark.audio.read import load_waveform
from earmark.benchmarks import acoustics
from earmark.benchmarks._acousticbench_data import (
    MANIFEST,
    AcousticQuestion,
    ManifestEntry,
    encode_manifest,
    question_digest,
)
from earmark.benchmarks._acousticbench_store import QUESTIONS
from earmark.data.cache import atomic_write, cache_dir, hash64
from earmark.types import Context, Item

TASKS: Final = ("pitch", "loudness", "timbre", "contour")
ITEMS_PER_TASK: Final = 24  # items of a task: each of six levels twice in either half
DIAGNOSTIC: Final = "impossible"
ZIP_TIMESTAMP: Final = (1980, 1, 1, 0, 0, 0)  # the time of every member, so that the same set gives the same bytes


def items() -> tuple[Item, ...]:
    """The items that the set is made of."""
    return tuple(acoustics.load(acoustics.Settings(items=ITEMS_PER_TASK), Context(tasks=TASKS)).items())


def archive_path() -> Path:
    """Path of the archive, whose name depends on its contents."""
    return cache_dir("acousticbench") / f"made-{hash64(repr(items()).encode())}.zip"


def make_archive(log: Callable[[str], object]) -> None:
    """Make the archive if it is not there."""
    path = archive_path()
    if path.exists():
        return
    made = items()
    log(f"making {len(made)} questions in the schema of AcousticBench, none of them its own")
    atomic_write(path, pack_zip(files(made)))


def files(made: tuple[Item, ...]) -> dict[str, bytes]:
    """Every file of the set, the manifest last."""
    lines: dict[str, bytes] = {}
    sounds: dict[str, bytes] = {}
    manifest = []
    for item in made:
        asked = question(item)
        line = msgspec.json.encode(asked)
        clips = {path(clip.name): encode_wav(load_waveform(clip)) for clip in item.clips}
        name = f"{QUESTIONS}/{item.task}.jsonl"
        lines[name] = lines.get(name, b"") + line + b"\n"
        sounds |= clips
        manifest.append(ManifestEntry(item.task, asked.question_id, question_digest(line, clips.values())))
    return lines | sounds | {MANIFEST: encode_manifest(manifest)}


def question(item: Item) -> AcousticQuestion:
    """An item of `acoustics.py` in the schema."""
    first, second = item.choices
    return AcousticQuestion(
        question_id=item.id,
        split="train" if item.tags["half"] == "train" else "eval",
        audio=tuple(path(clip.name) for clip in item.clips),
        question=item.question,
        gold="A" if item.targets == ("A",) else "B",
        kind="diagnostic" if item.tags["level"] == DIAGNOSTIC else "scored",
        choices=(first, second),
    )


def path(clip: str) -> str:
    return f"clips/{clip}.wav"


def pack_zip(files: dict[str, bytes]) -> bytes:
    """Files as a Zip64 archive, the same bytes every time."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as into:
        for name, data in files.items():
            with into.open(zipfile.ZipInfo(name, ZIP_TIMESTAMP), "w", force_zip64=True) as member:
                member.write(data)
    return archive.getvalue()
