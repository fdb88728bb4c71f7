"""A small set of our own in AcousticBench's schema, for whoever has not the archive.

Its questions and sounds are those of `acoustics.py`, of four tasks, two clips each but for contour. None of it is
AcousticBench's, and a score on it says nothing of a score there. The level that nobody can hear is the diagnostic part: who
does better than chance on it has not been listening.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from earmark.audio.encode import wav
from earmark.audio.read import wave
from earmark.benchmarks import acoustics
from earmark.benchmarks._acousticbench_data import MANIFEST, Entry, Question, digest, lines_of
from earmark.benchmarks._acousticbench_store import QUESTIONS
from earmark.data.cache import folder, short, write
from earmark.types import Item

TASKS: Final = ("pitch", "loudness", "timbre", "contour")
EACH: Final = 24  # items of a task: each of six levels twice in either half
DIAGNOSTIC: Final = "impossible"
LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)  # the time of every member, so that the same set gives the same bytes


def items() -> tuple[Item, ...]:
    """The items that the set is made of."""
    return tuple(acoustics.load(acoustics.Settings(items=EACH), TASKS).items())


def place() -> Path:
    """Where the archive lies once it is made, under a name that tells what is in it."""
    return folder("acousticbench") / f"made-{short(repr(items()).encode())}.zip"


def make(say: Callable[[str], object]) -> None:
    """Make the archive if it is not there."""
    path = place()
    if path.exists():
        return
    made = items()
    say(f"making {len(made)} questions in the schema of AcousticBench, none of them its own")
    write(path, packed(files(made)))


def files(made: tuple[Item, ...]) -> dict[str, bytes]:
    """Every file of the set, the manifest last."""
    lines: dict[str, bytes] = {}
    sounds: dict[str, bytes] = {}
    manifest = []
    for item in made:
        asked = question(item)
        line = msgspec.json.encode(asked)
        clips = {path(clip.name): wav(wave(clip)) for clip in item.clips}
        name = f"{QUESTIONS}/{item.task}.jsonl"
        lines[name] = lines.get(name, b"") + line + b"\n"
        sounds |= clips
        manifest.append(Entry(item.task, asked.question_id, digest(line, clips.values())))
    return lines | sounds | {MANIFEST: lines_of(manifest)}


def question(item: Item) -> Question:
    """An item of `acoustics.py` in the schema."""
    first, second = item.choices
    return Question(
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


def packed(named: dict[str, bytes]) -> bytes:
    """Files as a Zip64 archive, the same bytes every time."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as into:
        for name, data in named.items():
            with into.open(zipfile.ZipInfo(name, LONG_AGO), "w", force_zip64=True) as member:
                member.write(data)
    return archive.getvalue()
