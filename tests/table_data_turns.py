"""Small data sets of several recordings a question, written by hand from their published schemas."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
from table_data import put, put_lines, put_parquet, wav


def uro_rounds(folder: Path) -> None:
    """Two rounds of a dialogue with a recording each."""
    rounds = [
        {"round": 1, "source_wav": "wav/1_0.wav", "source_text": "Name a fish.", "target_text": "Carp."},
        {
            "round": 2,
            "source_wav": "wav/1_1.wav",
            "source_text": "Why {that}?",
            "target_text": ["Because.", "Why not?"],
        },
    ]
    place = folder / "URO-Bench-data/pro/MtBenchEval-en"
    put_lines(place / "test.jsonl", [{"id": "7", "num_round": 2, "dialogue": rounds}])
    for number in range(2):
        put(place / f"wav/1_{number}.wav", wav(400 + number))


def sounds_in_columns(path: Path, row: Mapping[str, Any], sounds: Mapping[str, bytes | None]) -> None:
    """One row of parquet with several columns of sound, in the order of `sounds`; None is a null."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as database:
        columns = [f'? as "{name}"' for name in row]
        columns += [
            f"{{'bytes': ?::BLOB, 'path': '{name}.wav'}} as \"{name}\"" if sound
            else f'cast(null as struct(bytes BLOB, path VARCHAR)) as "{name}"'
            for name, sound in sounds.items()
        ]  # fmt: skip
        values = [*row.values(), *filter(None, sounds.values())]
        database.execute(f"create table t as select {', '.join(columns)}", values)
        database.execute(f"copy t to '{path}' (format parquet)")


MULTI_TURN = {"user_turn_1_transcript": "Play Bowie.", "user_turn_2_transcript": "Which was it?",
              "user_turn_3_transcript": None, "assistant_turn_1_transcript": "Here is Heroes.",
              "assistant_turn_2_transcript": None}  # fmt: skip


AXES = ("INFERENCE_MEMORY", "INSTRUCTION_RETENTION", "VOICE_EDITING", "SELF_COHERENCE")


def audio_multichallenge(folder: Path) -> None:
    for number, axis in enumerate(AXES):
        row = {
            "id": f"c-{number}",
            "axis": axis,
            "rubric": json.dumps(["It names Heroes.", "It is brief."]),
            **MULTI_TURN,
        }
        turns = {f"user_turn_{turn}_audio": wav(400 + turn) if turn < 3 else None for turn in (1, 2, 3)}
        sounds_in_columns(folder / f"data/test-0000{number}-of-00004.parquet", row, turns)


def voicebench_turns(folder: Path) -> None:
    row = {"prompt1": "Write a haiku.", "prompt2": "Now without rain."}
    sounds_in_columns(folder / "mtbench/test-00000-of-00001.parquet", row, {"audio1": wav(400), "audio2": wav(401)})


STEPEVAL = ("gender", "age", "voice_tone", "scene", "event", "emotions", "pitch", "rhythm", "speed", "voice_styles",
            "vocalsound")  # fmt: skip


def stepeval(folder: Path) -> None:
    for name in STEPEVAL:
        row = {"task_name": "识别说话人性别", "task_answer": f"女性 {name}", "subset": name}
        put_parquet(folder / f"data/{name}-00000-of-00001.parquet", [row])


def calls(folder: Path) -> None:
    """Chunks of two calls, out of order, each with the transcript of the whole call."""
    rows = [
        {"file_name": f"{parent}_{index}", "parent_id": parent, "chunk_index": index, "text": text}
        for parent, index, text in (("b", 1, "two calls"), ("a", 0, "one"), ("b", 0, "two calls"))
    ]
    put_parquet(folder / "data/test-00000-of-00001.parquet", rows)
