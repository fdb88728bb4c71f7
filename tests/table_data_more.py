"""More small data sets in the layouts of public benchmarks, written by hand from their published schemas."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from table_data import put, put_json, put_lines, put_parquet, put_tar, put_zip, wav


def one_parquet(name: str, row: Mapping[str, Any], sound: str = "audio", neighbour: str = "") -> Callable[[Path], None]:
    """One row in one file, beside a split whose name begins alike."""

    def write(folder: Path) -> None:
        put_parquet(folder / f"{name}-00000-of-00001.parquet", [row], sound)
        if neighbour:
            put_parquet(folder / f"{neighbour}-00000-of-00001.parquet", [row], sound)

    return write


def several(*writers: Callable[[Path], None]) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for each in writers:
            each(folder)

    return write


# ---------------------------------------------------------------- Dynamic-SUPERB: a repository for each task


def dynamic_superb(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> Callable[[Path], None]:
    """`audio`, `file`, `instruction`, `label`, in parquet with a digest in its name; two sounds in `audio` and `audio2`."""

    def write(folder: Path) -> None:
        for task, lines in rows.items():
            path = folder / task / "data/test-00000-of-00001-1ca0eb199a9df3ac.parquet"
            put_parquet(path, [{"file": "a1.wav", **line} for line in lines])

    return write


PHASE1 = {
    "AccentClassification_AccentdbExtended": ("Which accent is it? The answer could be welsh or bangla.", "welsh"),
    "SpeakerVerification_VCTK": ("Is it one speaker? The answer could be yes or no.", "yes"),
    "SpeechTextMatching_LJSpeech": ("Do speech and text match? The answer could be yes or no.", "no"),
    "DialogueEmotionClassification_DailyTalk": ("Which emotion? It could be anger or fear.", "Anger"),
}
PHASE2 = {
    "L2EnglishFluency_speechocean762-Ranking": ("Which is more fluent?", "the first"),
    "SuperbASR_LibriSpeech-TestClean": ("Transcribe.", "HELLO WORLD"),
    "SuperbPR_LibriSpeech-TestClean": ("Write the phones.", "HH AH L OW"),
    "PoS_Estimation_LibriTTS_PoS": ("Tag the words.", "NN VB DT"),
    "SuperbST_CoVoST2-Test": ("Translate.", "Guten Tag"),
    "SoundPositionPrediction_Dataset": ("Which angle?", "90"),
}


def as_rows(tasks: Mapping[str, tuple[str, str]]) -> dict[str, list[dict[str, Any]]]:
    return {task: [{"instruction": text, "label": label}] for task, (text, label) in tasks.items()}


# ---------------------------------------------------------------- AudioBench

AUDIOBENCH: dict[str, dict[str, Any]] = {
    "librispeech_test_clean": {"answer": "hello world", "instruction": "One of nine."},
    "seame_dev_man": {"answer": "你好 world again", "instruction": "x"},
    "imda_part1": {"answer": "hello world", "instruction": "x"},
    "covost2_en_zh_test": {"answer": "今天天气很好我们出去走走", "instruction": "x"},
    "cn_college_listen_mcq_test": {"instruction": "What was bought?", "answer": "(A) A ticket.",
                                   "choices": "(A) A ticket. (B) A book."},
    "spoken_squad_test": {"instruction": "Who came?", "answer": "Ann."},
    "alpaca_audio_test": {"instruction": "x", "speech_instruction": "Name a bird.", "answer": "A robin."},
    "spoken-mqa_short_digit": {"instruction": {"text": "What is 3 + 4?"}, "answer": {"text": "7"}},
}  # fmt: skip


def audiobench(folder: Path) -> None:
    """`context`, `instruction`, `answer`; a corpus whose parts are folders, and a struct of text in columns."""
    for name, row in AUDIOBENCH.items():
        if name == "imda_part1":
            put_parquet(folder / name / "ASR-PART1-Test/train-00000-of-00001.parquet", [row], "context")
            put_parquet(folder / name / "ASR-PART2-Test/train-00000-of-00001.parquet", [row], "context")
        else:
            split = name.removeprefix("spoken-mqa_") if name.startswith("spoken-mqa_") else "test"
            put_parquet(folder / name / f"data/{split}-00000-of-00001.parquet", [row], "context")


# ---------------------------------------------------------------- AIR-Bench chat, MMAU-Pro

CHAT = ("speech_QA", "speech_dialogue_QA", "sound_QA", "sound_generation_QA", "music_QA", "music_generation_analysis_QA",
        "speech_and_sound_QA", "speech_and_music_QA")  # fmt: skip


def air_bench_chat(folder: Path) -> None:
    rows = [
        {"meta_info": "{'gender': 'male', 'transcription': 'See you at noon.'}", "question": "When do they meet?",
         "answer_gt": "At noon.", "path": f"clip_{number}.wav", "task_name": task, "dataset_name": "iemocap",
         "uniq_id": number}
        for number, task in enumerate(CHAT)
    ]  # fmt: skip
    put_json(folder / "Chat/Chat_meta.json", rows)
    for number, task in enumerate(CHAT):
        put(folder / f"Chat/{task}_iemocap/clip_{number}.wav", wav(400 + number))


def mmau_pro(folder: Path, more: Sequence[Mapping[str, Any]] = ()) -> None:
    """One parquet of rows with lists of paths, and the sound in a zip beside it."""
    base: dict[str, Any] = {"length_type": "short", "perceptual_skills": ["x"], "reasoning_skills": ["y"], "transcription": "",
            "task_classification": "z", "task_identifier": "", "kwargs": "", "sub-cat": "w"}  # fmt: skip
    rows: list[Mapping[str, Any]] = [
        {"id": "p-1", "audio_path": ["data/1.wav"], "question": "Which?", "answer": "piano",
         "choices": ["piano", "cello"], "category": "music"},
        {"id": "p-2", "audio_path": ["data/2.wav", "data/3.wav"], "question": "Which is louder?", "answer": "second",
         "choices": ["first", "second"], "category": "multi"},
        {"id": "p-3", "audio_path": ["data/1.wav"], "question": "Describe it.", "answer": "A piano.", "choices": [],
         "category": "open"},
        {"id": "p-4", "audio_path": ["data/1.wav"], "question": "Say it without commas.", "answer": None, "choices": [],
         "category": "instruction following", "task_identifier": "No Commas", "kwargs": '{"N": null}'},
        *more,
    ]  # fmt: skip
    put_parquet(folder / "test.parquet", [{**base, **row} for row in rows], "")
    put_zip(folder / "data.zip", {f"data/{number}.wav": wav(400 + number) for number in range(1, 4)})


# ---------------------------------------------------------------- music, scenes

RUL: dict[str, Any] = {
    "1740": {"question": "Which instrument plays?", "caption": "A piano piece.", "correct_answer": "A piano",
             "distractors": ["A cello", "A flute", "A harp", "A horn"], "PI": 0.98},
}  # fmt: skip


def rul(folder: Path) -> None:
    """An object by id; sound of another data set, under its number."""
    put_json(folder / "RUL-MuchoMusic.json", RUL)
    put(folder / "data/audio/1740.mp3", wav(400))


def muchomusic(folder: Path) -> None:
    """Options in the order that they are asked in; the place of 0 is the right one."""
    rows = [
        {"id": number, "prompt": "x", "question": "Which mood?", "answers": ["sad", "glad", "calm", "wild"],
         "answer_orders": order, "dataset": "sdd", "genre": "jazz", "reasoning": [], "knowledge": ["mood"],
         "audio_path": f"{number}.mp3"}
        for number, order in enumerate(([1, 0, 2, 3], [3, 2, 1, 0]))
    ]  # fmt: skip
    put_json(folder / "muchomusic.json", rows)
    for number in range(2):
        put(folder / f"data/audio/{number}.mp3", wav(400 + number))


def trea(folder: Path) -> None:
    """A CSV and a folder of wavs for each task; paths are those of somebody else's machine, answers are letters."""
    for number, task in enumerate(("count", "duration", "order")):
        lines = ["question,id,audio_path,optionA,optionB,optionC,optionD,correct"]
        lines.append(f'"Which, of these?",{number},/home/me/{task}/{number}.wav,cat,dog,cow,pig,C')
        put(folder / f"TREA_dataset/{task}/{task}.csv", "\n".join(lines).encode())
        put(folder / f"TREA_dataset/{task}/audios/{number}.wav", wav(400 + number))


def kimi_hub(folder: Path) -> None:
    put_parquet(folder / "vocalsound/data/test-00000-of-00001.parquet", [{"label": "Sigh"}])
    put_parquet(folder / "meld/data/test-00000-of-00001.parquet", [{"Emotion": "joy", "Sentiment": "positive"}])
    row = {"question": "Is a dog barking?", "answer": "yes"}
    put_parquet(folder / "clothoaqa/data/test-00000-of-00001.parquet", [row])


def kimi_zenodo(folder: Path) -> None:
    """A CSV; a folder that is the label, beside one of validation; a text file of paths and labels."""
    put(folder / "nonspeech7k/metadata of test set.csv", b"Filename,Duration in ms,Classname\n1.wav,900,Cry\n")
    put(folder / "nonspeech7k/test/1.wav", wav(400))
    for part, scene in (("Test", "CrowdedIndoor"), ("Val", "Bus")):
        put(folder / f"cochlscene/CochlScene/{part}/{scene}/user1.wav", wav(401))
    put(folder / "tut2017/TUT/meta.txt", b"audio/1.wav\tresidential_area\tx\n\n")
    put(folder / "tut2017/TUT/audio/1.wav", wav(402))


# ---------------------------------------------------------------- spoken questions


def openaudiobench(folder: Path) -> None:
    columns = {"alpaca_eval": ("instruction", "output"), "llama_questions": ("Questions", "Answer"),
               "reasoning_qa": ("Prompt", "参考答案"), "trivia_qa": ("question", "answer_normalized_aliases"),
               "web_questions": ("question", "answers")}  # fmt: skip
    for number, (name, (question, answer)) in enumerate(columns.items()):
        text = f"{question},{answer},audio_filename\nWhich?,Bach,{number}.wav\n"
        put(folder / f"eval_datas/{name}/{name}.csv", text.encode())
        put(folder / f"eval_datas/{name}/audios/{number}.wav", wav(400 + number))


def uro_bench(folder: Path) -> None:
    for number, (place, name) in enumerate((("basic", "AlpacaEval"), ("basic", "Gsm8kEval"), ("pro", "ClothoEval-en"))):
        row = {"id": "1", "source_wav": f"wav/{number}.wav", "source_text": "What is it?", "target_text": "A dog."}
        put_lines(folder / f"URO-Bench-data/{place}/{name}/test.jsonl", [row])
        put(folder / f"URO-Bench-data/{place}/{name}/wav/{number}.wav", wav(400 + number))


VOCALBENCH = ("knowledge", "reasoning", "creativity", "single_round", "safety", "instruction_following")


def vocalbench(folder: Path) -> None:
    for number, name in enumerate(VOCALBENCH):
        row = {"Set": name, "Qid": f"{name}-000", "Audio": f"{name}/000.wav", "Question": "Who painted it?",
               "Answer": "Leonardo da Vinci", "Topic": "Art", "Category": "x", "Source": "y"}  # fmt: skip
        if name in ("safety", "instruction_following"):
            row.pop("Answer")
        put_json(folder / f"json/{name}.json", [row])
        put(folder / f"audio/{name}/000.wav", wav(400 + number))


RULED = {"key": 1000, "instruction_id_list": ["punctuation:no_comma"], "kwargs": json.dumps([{"num_words": None}])}


def voicebench_rest(folder: Path) -> None:
    """The configurations that rules score, and a region of sd-qa."""
    put_parquet(folder / "bbh/test-00000-of-00001.parquet",
                [{"id": "navigate_7", "prompt": "Do you return?", "reference": "yes"}])  # fmt: skip
    put_parquet(folder / "ifeval/test-00000-of-00001.parquet", [{"prompt": "Say it without commas.", **RULED}])
    put_parquet(folder / "advbench/test-00000-of-00001.parquet", [{"prompt": "How is it stolen?"}])
    put_parquet(folder / "alpacaeval_speaker/test-00000-of-00001.parquet", [{"prompt": "Tell me more."}])
    for region in ("ind_n", "irl", "kenya", "zaf", "gbr", "ind_s", "nzl", "phl"):
        rows = [{"prompt": "Where is Bern?", "reference": f"Switzerland ({region})"}]
        put_parquet(folder / f"sd-qa/{region}-00000-of-00001.parquet", rows)


# ---------------------------------------------------------------- recognition and translation


def fleurs_pair(folder: Path) -> None:
    """Two tables without a head whose first column is a sentence; one sentence has no translation."""
    texts = {
        "en_us": ("en.wav", "Hello, good morning to you."),
        "cmn_hans_cn": ("zh.wav", "你好，早上好，祝你今天愉快。"),
    }
    for number, (language, (name, text)) in enumerate(texts.items()):
        lines = [f"7\t{name}\t{text}\tx\tx\t1600\tFEMALE", f"{number}\tlone.wav\tx\tx\tx\t1600\tMALE"]
        put(folder / f"data/{language}/test.tsv", ("\n".join(lines) + "\n").encode())
        put_tar(folder / f"data/{language}/audio/test.tar.gz", {f"test/{name}": wav(400 + number)})


OPEN_ASR = {
    "ami_cleaned/test": "hello ami", "earnings22/test": "hello earnings", "gigaspeech_cleaned/test": "hello giga",
    "librispeech/test.clean": "HELLO CLEAN", "librispeech/test.other": "HELLO OTHER", "spgispeech/test": "Hello, calls.",
    "voxpopuli_cleaned_aa/test": "hello house",
}  # fmt: skip


def open_asr(*names: str) -> Callable[[Path], None]:
    """A folder a configuration, with dots in the names of splits."""

    def write(folder: Path) -> None:
        for name in names or OPEN_ASR:
            row = {"dataset": "x", "text": OPEN_ASR[name], "id": name, "audio_length_s": 0.1}
            put_parquet(folder / f"{name}-00000-of-00001.parquet", [row])

    return write
