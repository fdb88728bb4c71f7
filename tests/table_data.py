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
            audio = "" if not sound else f", {{'bytes': ?::BLOB, 'path': '{path.stem}-{number}.wav'}} as \"{sound}\""
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


# ---------------------------------------------------------------- MMSU, AIR-Bench


def mmsu_hub(folder: Path) -> None:
    """Parquet of the split train, with a column for each choice; the category's case is not that of our tasks."""
    rows = [
        {"id": f"s-{number}", "task_name": "tone", "question": "Which word is stressed?", "choice_a": "cat",
         "choice_b": "dog", "choice_c": "cow", "choice_d": "pig", "answer_gt": gold, "category": category,
         "sub-category": "Phonology", "sub-sub-category": "x", "linguistics_sub_discipline": "y"}
        for number, (gold, category) in enumerate([("dog", "Perception"), ("pig", "Reasoning")])
    ]  # fmt: skip
    put_parquet(folder / "data/train-00000-of-00002.parquet", rows[:1])
    put_parquet(folder / "data/train-00001-of-00002.parquet", rows[1:])


AIR_SETS = (
    ("Speaker_Age_Prediction", "common_voice_13.0_en"), ("Speaker_Emotion_Recontion", "iemocap"),
    ("Speaker_Emotion_Recontion", "meld"), ("Speaker_Gender_Recognition", "common_voice_13_en"),
    ("Speaker_Gender_Recognition", "meld"), ("Speaker_Intent_Classification", "slurp"),
    ("Speaker_Number_Verification", "voxceleb1"), ("Speech_Entity_Reconition", "slurp"),
    ("Speech_Grounding", "librispeech"), ("Spoken_Language_Identification", "covost2"),
    ("Synthesized_Voice_Detection", "fake_or_real"), ("Acoustic_Scene_Classification", "CochlScene"),
    ("Acoustic_Scene_Classification", "TUT2017"), ("Audio_Grounding", "AudioGrounding"), ("Sound_AQA", "avqa"),
    ("Sound_AQA", "clothoaqa"), ("vocal_sound_classification", "VocalSound"), ("Music_AQA", "music_avqa"),
    ("Music_Genre_Recognition", "MTJ-Jamendo"), ("Music_Genre_Recognition", "fma"),
    ("Music_Instruments_Classfication", "MTJ-Jamendo"), ("Music_Instruments_Classfication", "nsynth"),
    ("Music_Midi_Pitch_Analysis", "nsynth"), ("Music_Midi_Velocity_Analysis", "nsynth"),
    ("Music_Mood_Recognition", "MTJ-Jamendo"),
)  # fmt: skip


def air_bench(folder: Path) -> None:
    """One JSON list for all sets and a folder a set; two options only, and a wav of one set that is flac."""
    rows = []
    for number, (task, name) in enumerate(AIR_SETS):
        rows.append({"path": f"clip_{number}.wav", "question": "Which?", "choice_a": "angry", "choice_b": "happy",
                     "answer_gt": "happy", "task_name": task, "dataset_name": name, "uniq_id": number})  # fmt: skip
        suffix = "flac" if task == "Audio_Grounding" else "wav"
        put(folder / f"Foundation/{task}_{name}/clip_{number}.{suffix}", wav(400 + number))
    put_json(folder / "Foundation/Foundation_meta.json", rows)


# ---------------------------------------------------------------- spoken questions

PUZZLES = ("formal_fallacies", "navigate", "object_counting", "web_of_lies")


def big_bench_fixie(folder: Path) -> None:
    rows = [
        {"id": number, "category": category, "official_answer": "valid", "transcript": "Is it valid?"}
        for number, category in enumerate(PUZZLES)
    ]
    put_parquet(folder / "data/train-00000-of-00001.parquet", rows)


def big_bench_audiofolder(folder: Path) -> None:
    """`metadata.jsonl` with `file_name`."""
    rows = [
        {"category": category, "official_answer": "valid", "file_name": f"data/question_{number}.mp3", "id": number}
        for number, category in enumerate(PUZZLES)
    ]
    put_lines(folder / "metadata.jsonl", rows)
    for number in range(len(rows)):
        put(folder / f"data/question_{number}.mp3", wav(400 + number))


SUBJECTS = ("biology", "business", "chemistry", "economics", "engineering", "health", "history", "law", "other",
            "philosophy", "physics", "psychology")  # fmt: skip


def voicebench(folder: Path) -> None:
    """A folder a config, with splits that are no train and no test: other regions and configs must not be taken."""
    for config in ("alpacaeval", "commoneval", "wildvoice", "alpacaeval_full"):
        put_parquet(folder / f"{config}/test-00000-of-00001.parquet", [{"prompt": f"Tell me of {config}."}])
    for region in ("usa", "aus", "nga"):
        rows = [{"prompt": "Where is Bern?", "reference": f"Switzerland ({region})"}]
        put_parquet(folder / f"sd-qa/{region}-00000-of-00001.parquet", rows)
    question = "What is it?\nA. a cat\nB. a dog\nC. a cow\nD. a pig"
    for number, subject in enumerate(SUBJECTS):
        rows = [{"prompt": f"{subject}: {question}", "reference": "ABCD"[number % 4]}]
        put_parquet(folder / f"mmsu/{subject}-00000-of-00001.parquet", rows)
    put_parquet(folder / "openbookqa/test-00000-of-00001.parquet", [{"prompt": question, "reference": "C"}])


TRACKS = ("Gender", "Language", "Emotion", "Animal")


def sakura(folder: Path) -> None:
    """A CSV and a folder of wavs for each attribute; golds begin with a blank here and there."""
    head = "file,attribute_label,single_instruction,single_answer,multi_instruction,multi_answer"
    for number, track in enumerate(TRACKS):
        line = (
            f'x{number}.wav,dog,"Which is it? (a) dog (b) cat",(a) dog,"What does it eat? (a) hay (b) meat", (b) meat'
        )
        put(folder / f"data/{track}/metadata.csv", f"{head}\n{line}\n".encode())
        put(folder / f"data/{track}/audio/x{number}.wav", wav(400 + number))


# ---------------------------------------------------------------- recognition and translation


def libri_open_asr(folder: Path) -> None:
    """Splits with a dot in their name, beside another config of the same."""
    for split, text in (("test.clean", "HELLO WORLD"), ("test.other", "GOOD BYE")):
        rows = [{"dataset": "librispeech", "text": text, "id": f"{split}-1", "audio_length_s": 0.1}]
        put_parquet(folder / f"librispeech/{split}-00000-of-00001.parquet", rows)
    put_parquet(folder / "ami_cleaned/test-00000-of-00001.parquet", [{"text": "no", "id": "x"}])


def libri_published(folder: Path) -> None:
    """A folder a speaker and a chapter, with one text file of names and words."""
    for split, speaker, text in (("test-clean", "61", "HELLO WORLD"), ("test-other", "367", "GOOD BYE")):
        chapter = folder / f"LibriSpeech/{split}/{speaker}/70"
        put(chapter / f"{speaker}-70.trans.txt", f"{speaker}-70-0000 {text}\n".encode())
        put(chapter / f"{speaker}-70-0000.flac", wav(400 if speaker == "61" else 401))


def splits(*names: str, column: str = "text", texts: Mapping[str, str]) -> Any:
    """Parquet of some splits, each one row, with neighbours whose names begin alike."""

    def write(folder: Path) -> None:
        for name in names:
            put_parquet(folder / f"data/{name}-00000-of-00001.parquet", [{column: texts[name]}])
            put_parquet(folder / f"data/{name}_192k-00000-of-00001.parquet", [{column: "not this one"}])

    return write


FLEURS = {"en_us": "hello world", "cmn_hans_cn": "你 好 世 界", "yue_hant_hk": "你 好 世 界"}


def fleurs(folder: Path) -> None:
    """A TSV without a head, whose first column is a sentence that several speakers read; sound in a tar.gz."""
    for number, (language, text) in enumerate(FLEURS.items()):
        line = f'1904\t{language}-9.wav\tHello, "world".\t{text}\t{text}\t1600\tFEMALE\n'
        put(folder / f"data/{language}/test.tsv", line.encode())
        put(folder / f"data/{language}/dev.tsv", line.encode() * 2)
        put_tar(folder / f"data/{language}/audio/test.tar.gz", {f"test/{language}-9.wav": wav(400 + number)})
