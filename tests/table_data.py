"""Small data sets in the layouts of public benchmarks, written by hand from their published schemas."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import soundfile


def wav(frequency: float = 440.0) -> bytes:
    """A tenth of a second of a tone."""
    data = io.BytesIO()
    samples = 0.1 * np.sin(2 * np.pi * frequency * np.arange(1600) / 16_000)
    soundfile.write(data, samples, 16_000, format="WAV")
    return data.getvalue()


def put(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def put_json(path: Path, rows: Any) -> Path:
    return put(path, json.dumps(rows).encode())


def put_lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    return put(path, b"".join(json.dumps(row).encode() + b"\n" for row in rows))


def put_parquet(path: Path, rows: Sequence[Mapping[str, Any]], sound: str = "audio") -> Path:
    """Rows with their sound in a struct of bytes and path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as database:
        for number, row in enumerate(rows):
            audio = "" if not sound else f", {{'bytes': ?::BLOB, 'path': 'clip-{number}.wav'}} as \"{sound}\""
            columns = ", ".join(f'? as "{name}"' for name in row)
            values = [*row.values(), *([wav(400 + number)] if sound else [])]
            begin = "create table t as" if not number else "insert into t"
            database.execute(f"{begin} select {columns}{audio}", values)
        database.execute(f"copy t to '{path}' (format parquet)")
    return path


def put_tar(path: Path, members: Mapping[str, bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def put_zip(path: Path, members: Mapping[str, bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


# ---------------------------------------------------------------- MMAU

MMAU = [
    {"id": "m-1", "audio_id": "./test-mini-audios/m-1.wav", "question": "Who speaks first?",
     "choices": ["Man", "Woman", "Child", "Robot"], "answer": "Woman", "dataset": "AudioSet", "task": "sound",
     "split": "test-mini", "category": "Reasoning", "sub-category": "Acoustic Source Inference", "difficulty": "easy"},
    {"id": "m-2", "audio_id": "./test-mini-audios/m-2.wav", "question": "Which instrument is {loud}?",
     "choices": ["Cello", "Flute"], "answer": "Cello", "dataset": "Music", "task": "music",
     "split": "test-mini", "category": ["Reasoning"], "sub-category": "Instrumentation", "difficulty": "hard"},
    {"id": "m-3", "audio_id": "./test-mini-audios/m-3.wav", "question": "How many speakers?",
     "choices": ["Two", "Three", "Two", "Five"], "answer": "Two", "dataset": "X", "task": "speech",
     "split": "test-mini", "category": "Information Extraction", "sub-category": "Counting", "difficulty": "medium"},
]  # fmt: skip


def mmau_github(folder: Path) -> None:
    """A JSON list with a folder of wavs beside it."""
    put_json(folder / "mmau-test-mini.json", MMAU)
    for number in range(1, 4):
        put(folder / f"test-mini-audios/m-{number}.wav", wav(400 + number))


def _mmau_rows(*, answers: bool) -> list[dict[str, Any]]:
    rows = []
    for row in MMAU:
        kept = {name: value for name, value in row.items() if name != "audio_id"}
        kept["category"] = row["category"] if isinstance(row["category"], str) else row["category"][0]
        kept["choices"] = json.dumps(row["choices"])
        rows.append(kept if answers else kept | {"answer": None})
    return rows


def mmau_hub(folder: Path) -> None:
    """Parquet whose splits begin alike: `test` has no answers and must not be taken."""
    put_parquet(folder / "data/test_mini-00000-of-00001.parquet", _mmau_rows(answers=True))
    put_parquet(folder / "data/test-00000-of-00001.parquet", _mmau_rows(answers=True)[:1])


def mmau_test_github(folder: Path) -> None:
    """The questions without answers."""
    put_json(folder / "mmau-test.json", [row | {"answer": ""} for row in MMAU])
    for number in range(1, 4):
        put(folder / f"test-audios/m-{number}.wav", wav(400 + number))


def mmau_test_hub(folder: Path) -> None:
    put_parquet(folder / "data/test-00000-of-00001.parquet", _mmau_rows(answers=False))
    put_parquet(folder / "data/test_mini-00000-of-00001.parquet", _mmau_rows(answers=True)[:1])


# ---------------------------------------------------------------- MMAR

RUBRIC = [{"name": "Cue", "scoring_point": "Hears the bell.", "note": "", "choices": [0, 1]}]
MODALITIES = ("sound", "music", "speech", "mix-sound-music", "mix-sound-speech", "mix-music-speech",
              "mix-sound-music-speech")  # fmt: skip
MMAR = [
    {"id": f"v{number}_00-00-01_00-00-09", "audio_path": f"./audio/v{number}.wav", "question": "What rings?",
     "choices": ["a bell", "a phone", "a cup"], "answer": "a bell", "modality": modality, "category": "Signal Layer",
     "sub-category": "Anomaly Detection", "language": None, "source": "youtube", "url": "https://example.org",
     "timestamp": "00:00:01,00:00:09", "thinking": "It rings.", "cue": ["bell"], "rubric": RUBRIC}
    for number, modality in enumerate(MODALITIES)
]  # fmt: skip


def mmar_github(folder: Path) -> None:
    put_lines(folder / "MMAR-meta.jsonl", MMAR)
    for number in range(len(MMAR)):
        put(folder / f"audio/v{number}.wav", wav(400 + number))


def mmar_hub(folder: Path) -> None:
    """A JSON list without rubrics, and the sound in a tar.gz."""
    extra = ("thinking", "cue", "rubric")
    put_json(folder / "MMAR-meta.json", [{k: v for k, v in row.items() if k not in extra} for row in MMAR])
    put_tar(folder / "mmar-audio.tar.gz", {f"audio/v{number}.wav": wav(400 + number) for number in range(len(MMAR))})


def mmar_parquet(folder: Path) -> None:
    rows = [
        {"id": row["id"], "question": row["question"], "choices": row["choices"], "answer": row["answer"],
         "modality": row["modality"], "category": row["category"], "subcategory": row["sub-category"],
         "language": "en", "source": "youtube", "url": "", "timestamp": ""}
        for row in MMAR
    ]  # fmt: skip
    put_parquet(folder / "data/test-00000-of-00001.parquet", rows)
