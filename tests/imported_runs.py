"""Runs made of the results of other harnesses."""

from __future__ import annotations

from pathlib import Path

from earmark.report.rows import Metrics
from earmark.runs.import_runs import import_runs


def imported(path: Path, form: str = "", model: str = "", said: list[str] | None = None) -> list[tuple[Path, Metrics]]:
    return import_runs(path, form, "results", model, (said if said is not None else []).append)


BROKEN = {  # the file of each form that is broken
    "audiobench": "some_model/muchomusic_test_llama3_70b_judge_score.json",
    "evalscope": "reviews/mock-audio/general_vmcq_heard.jsonl",
    "inspect": "choices.eval",
    "lmms_eval": "mock-audio/20261130_032553_samples_heard_choices.jsonl",
    "mmau": "answers.json",
    "open_asr": "MODEL_some-lab-large-v2_DATASET_hf-audio-open-asr-leaderboard_earnings22_test.jsonl",
    "voicebench": "some-model-openbookqa-test-audio.jsonl",
}
