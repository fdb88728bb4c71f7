"""Results of other harnesses: real logs of three, and small ones in the layout of those that cannot run here.

Inspect, lmms-eval and evalscope wrote theirs themselves (tools/peer_logs.py). AudioBench, VoiceBench, MMAU and the Open
ASR Leaderboard need cards or services; their files are written here by hand, in the layout that their own scripts
write, with words of our own.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, Final

from contract import every_example

from earmark.plugins.examples import ImporterExample

LOGS: Final = Path(__file__).parent / "importers" / "logs"


def lines(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    """A file of JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def whole(path: Path, told: Any) -> Path:
    """A file of one JSON value."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(told, ensure_ascii=False, indent=4), encoding="utf-8")
    return path


ASKED: Final = "Question:\nWhich animal is heard?\n Choices:\n(A) cat (B) dog (C) bird"


QUESTION: Final = {
    "audio_id": "./test-mini-audios/1.wav",
    "question": "Who speaks?",
    "choices": ["Man", "Woman", "Child", "Robot"],
    "answer": "Woman",
    "dataset": "Made up",
    "task": "speech",
    "split": "test-mini",
    "category": "Reasoning",
    "sub-category": "Speaker",
    "difficulty": "easy",
}


def make(example: ImporterExample, place: Path) -> Path:
    """Write the results of an example into a folder; return it, or its file if it is to hold one."""
    if example.recorded:
        shutil.copytree(LOGS / example.recorded, place, dirs_exist_ok=True)
    for path, text in example.files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text, encoding="utf-8")
    return place / next(iter(example.files)) if len(example.files) == 1 else place


FORMS: Final[dict[str, Callable[[Path], Path]]] = {
    name: partial(make, example) for name, example in reversed(every_example("importers"))
}
audiobench, lmms_eval, mmau, open_asr, voicebench = (
    FORMS[name] for name in ("audiobench", "lmms_eval", "mmau", "open_asr", "voicebench")
)
