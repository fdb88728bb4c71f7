"""Results of other harnesses: real logs of three, and small ones in the layout of those that cannot run here.

Inspect, lmms-eval and evalscope wrote theirs themselves (tools/peer_logs.py). AudioBench, VoiceBench, MMAU and the Open
ASR Leaderboard need cards or services; their files are written here by hand, in the layout that their own scripts
write, with words of our own.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

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


def inspect(place: Path) -> Path:
    shutil.copytree(LOGS / "inspect", place)
    return place


def lmms_eval(place: Path) -> Path:
    shutil.copytree(LOGS / "lmms_eval", place)
    return place


def evalscope(place: Path) -> Path:
    shutil.copytree(LOGS / "evalscope", place)
    return place


HEARD: Final = (
    ("the cat sat on a mat", "the cat sat on a mat", 0.0),
    ("please open the blue door", "please open a door", 2 / 5),
    ("empty", "thank you", 2.0),
)
ASKED: Final = "Question:\nWhich animal is heard?\n Choices:\n(A) cat (B) dog (C) bird"


def audiobench(place: Path) -> Path:
    """A transcript, a judge of 0 or 1 that failed once, a judge of 0 to 5, sums, and a number without replies."""
    model = place / "some_model"
    rows = [{"reference": told, "prediction": said, "wer": wer} for told, said, wer in HEARD]
    whole(model / "heard_asr_test_wer_score.json", {"wer": 4 / 12, "sample_wer": rows})
    judged = [
        {"question": ASKED, "reference": "(B) dog", "model_prediction": said, "judge_response": f"Rating: {rate}"}
        | {"rate_score": rate, "success": success}
        for said, rate, success in (("(B) dog", 1.0, 1), ("It is a cat.", 1.0, 1), ("woof", 0.0, 1), ("dog", 0.0, 0))
    ]
    head = {"judge_score": 66.6, "success_rate": 0.75}
    whole(
        model / "muchomusic_test_llama3_70b_judge_score.json",
        {"llama3_70b_judge": head, "details": judged},
    )
    graded = [{**judged[0], "question": "What is said?", "reference": "A dog barks.", "rate_score": 4.0}]
    whole(
        model / "spoken_test_llama3_70b_judge_score.json",
        {"llama3_70b_judge": {"judge_score": 80.0, "success_rate": 1.0}, "details": graded},
    )
    sums: list[dict[str, Any]] = [
        {"reference": ["42"], "prediction": "The answer is 42."},
        {"reference": ["7"], "prediction": "8"},
    ]
    whole(model / "sums_test_acc_score.json", {"acc": 0.5, "details": sums})
    whole(model / "said_en_zh_test_bleu_score.json", {"bleu": 25.8})
    return place


def voicebench(place: Path) -> Path:
    """A judged set, the same unjudged, a set with references in two regions, choices, and a set asked as text."""
    said = {"prompt": "Name a colour.", "response": "Blue."}
    lines(place / "some-model-commoneval-test-audio.jsonl", [said])
    graded: list[dict[str, Any]] = [
        {**said, "score": ["4", "5", "The answer is good. [[3]]"]},
        {**said, "score": ["4", "five", "4"]},
        {**said, "response": None, "score": ["1", "1", "1"]},
    ]
    lines(place / "result-some-model-commoneval-test-audio.jsonl", graded)
    capital = {"prompt": "What is the capital of France?", "reference": "Paris", "response": "It is Paris."}
    for region, score in (("aus", ["Yes", "yes.", "No"]), ("usa", ["No", "no", "Yes"])):
        lines(place / f"result-some-model-sd-qa-{region}-audio.jsonl", [{**capital, "score": score}])
    choices = "Which one is a fruit?\nA. stone\nB. apple\nC. iron\nD. glass"
    lines(
        place / "some-model-openbookqa-test-audio.jsonl",
        [{"prompt": choices, "reference": "B", "response": said} for said in ("B. apple", "I would say stone.")],
    )
    lines(place / "some-model-alpacaeval-test-text.jsonl", [said])
    return place


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


def listen(place: Path) -> Path:
    """Two experiments of the authors' runners: a reply, one that cannot be read, and an error."""
    shown = {"randomized_choices": ["happy", "sad", "angry"], "sample_id": "SAMPLE_1", "error": None}
    for kind, modality, replies in (("1", "audio", ["A", "?", None]), ("2B", "audio", ["The answer: B"])):
        results = [
            {**shown, "sample_idx": f"MELD_{n}_{kind}", "expected_letter": "B", "raw_response": reply}
            | ({} if reply else {"error": "broke"})
            for n, reply in enumerate(replies)
        ]
        info = {"model_name": "some-model", "experiment_type": kind, "input_type": modality}
        whole(
            place / f"some_experiment{kind}_{modality}_results_3allemo_20260101_000000.json",
            {"experiment_info": info, "results": results},
        )
    return place


def mmau(place: Path) -> Path:
    """Three answers under the script's key or the page's, and a question that was not answered."""
    told: tuple[dict[str, str], ...] = (
        {"model_output": "A woman."},
        {"model_output": "(B)"},
        {"model_prediction": "Man"},
        {},
    )
    tasks = ("speech", "sound", "speech", "speech")
    rows = [
        QUESTION | {"id": f"q{n}", "task": task} | more for n, (task, more) in enumerate(zip(tasks, told, strict=True))
    ]
    whole(place / "answers.json", rows)
    return place


def open_asr(place: Path) -> Path:
    """A set of whole recordings, one cut into chunks out of order, and one in German."""
    row = {"audio_filepath": "sample_0", "duration": 2.0, "time": 0.5}
    name = "MODEL_some-lab-large-v2_DATASET_hf-audio-open-asr-leaderboard"
    lines(
        place / f"{name}_librispeech_test.clean.jsonl",
        [
            {**row, "text": "The cat is grey.", "pred_text": "the cat is gray"},
            {**row, "audio_filepath": "a.wav", "text": "Open the door, um, please!", "pred_text": "open a door please"},
        ],
    )
    chunk = {**row, "text": "we will meet at noon", "parent_id": "call"}
    lines(
        place / f"{name}_earnings22_test.jsonl",
        [
            {**chunk, "pred_text": " at moon ", "chunk_index": 1},
            {**chunk, "pred_text": "we will meet", "chunk_index": 0},
        ],
    )
    lines(place / f"{name}-multilingual_fleurs_german_test.jsonl", [{**row, "text": "Ja.", "pred_text": None}])
    return place


def personalized_hearing(place: Path) -> Path:
    """One user's answers: right, unread, failed."""
    row = {"user_id": "u1", "type": "simple", "options": ["(a) x", "(b) y", "(c) z", "(d) w"], "gold": "b"}
    told: tuple[dict[str, Any], ...] = (
        {"picked": ["b"], "outcome": "correct", "reply": "<final_answer> (b)"},
        {"picked": [], "outcome": "parse_failure", "reply": "no idea"},
        {"picked": [], "outcome": "error", "error": "TimeoutError: 60 s"},
    )
    lines(place / "u1.jsonl", [row | {"candidate_id": f"c{n}", "latency_s": 1.0} | more for n, more in enumerate(told)])
    return place


def acousticbench(place: Path) -> Path:
    """One seed of one task."""
    row = {"question_id": "1", "gold": "A", "raw_response": "A", "chosen": "A"}
    lines(place / "Some-Model" / "pitch" / "run_1.jsonl", [row, {**row, "question_id": "2", "chosen": None}])
    return place


FORMS: Final[dict[str, Callable[[Path], Path]]] = {
    "acousticbench": acousticbench,
    "audiobench": audiobench,
    "evalscope": evalscope,
    "inspect": inspect,
    "listen": listen,
    "lmms_eval": lmms_eval,
    "mmau": mmau,
    "open_asr": open_asr,
    "personalized_hearing": personalized_hearing,
    "voicebench": voicebench,
}
