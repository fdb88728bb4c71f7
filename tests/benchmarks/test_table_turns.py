"""Tables whose questions are several recordings: conversations, and calls in chunks."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import duckdb
import pytest
import table_data_turns as turns

from earmark.engine.load import load_benchmark
from earmark.errors import BadData
from earmark.judges.asking import Judge
from earmark.models.fake import FakeModel
from earmark.scorers.rubric import RubricScorer
from earmark.types import Benchmark, Clip, Item, Prompt, Response, replace


def load(name: str, folder: Path, *tasks: str) -> Benchmark:
    return load_benchmark(name, tasks, {"data": str(folder)})


def only(benchmark: Benchmark) -> tuple[Item, Prompt]:
    (item, *_) = benchmark.items()
    return item, benchmark.prompt(item)


def roles(prompt: Prompt) -> list[str]:
    return [turn.role for turn in prompt.turns]


def test_a_dialogue_is_asked_round_by_round_and_shown_to_the_judge_whole(tmp_path: Path) -> None:
    turns.uro_rounds(tmp_path)
    item, prompt = only(load("uro_bench", tmp_path, "MtBenchEval-en"))
    assert (roles(prompt), prompt.replies) == (["user", "user"], "each")
    assert item.question == (
        "[Round 1] Name a fish.\n(such as: Carp.)\n[Round 2] Why {that}?\n(such as: Because.; Why not?)"
    )
    assert [clip.transcript for clip in item.clips] == ["Name a fish.", "Why {that}?"]


def test_the_columns_of_sound_of_a_row_are_its_turns(tmp_path: Path) -> None:
    turns.voicebench_turns(tmp_path)
    item, prompt = only(load("voicebench", tmp_path, "mtbench"))
    assert (roles(prompt), prompt.replies, len(item.clips)) == (["user", "user"], "each", 2)
    assert item.question == "[Round 1] Write a haiku.\n[Round 2] Now without rain."


def test_replies_that_the_data_has_stand_between_the_turns(tmp_path: Path) -> None:
    turns.audio_multichallenge(tmp_path)
    item, prompt = only(load("audio_multichallenge", tmp_path))
    assert (roles(prompt), prompt.replies) == (["user", "assistant", "user"], "one")
    assert prompt.turns[1].parts == ("Here is Heroes.",)
    assert item.question == "User: Play Bowie.\nAssistant: Here is Heroes.\nUser: Which was it?"


def test_the_judge_of_points_sees_the_conversation(tmp_path: Path) -> None:
    turns.audio_multichallenge(tmp_path)
    benchmark = load("audio_multichallenge", tmp_path)
    item, _ = only(benchmark)
    (scorer,) = benchmark.scorers(item.task)
    assert isinstance(scorer, RubricScorer)
    shown: list[str] = []

    def judge(prompt: Prompt) -> str:
        shown.append(str(prompt))
        return "Yes" if "It is brief." in shown[-1] else "No"

    earned = asyncio.run(replace(scorer, opened=Judge(FakeModel(judge))).score(item, Response("Heroes.")))
    assert (earned.counts["all"], earned.counts["mean"]) == (0.0, 0.5)
    assert all("Assistant: Here is Heroes." in text for text in shown)


def test_the_chunks_of_a_call_are_asked_apart_in_their_order(tmp_path: Path) -> None:
    turns.calls(tmp_path)
    items = list(load("open_asr", tmp_path, "earnings22_calls").items())
    assert [(item.id, len(item.clips), item.targets) for item in items] == [
        ("b", 2, ("two calls",)),
        ("a", 1, ("one",)),
    ]
    assert [clip.row for clip in items[0].clips if isinstance(clip, Clip)] == [2, 0]
    prompt = load("open_asr", tmp_path, "earnings22_calls").prompt(items[0])
    assert (roles(prompt), prompt.replies) == (["user", "user"], "joined")


def test_a_call_without_a_chunk_is_no_call(tmp_path: Path) -> None:
    turns.calls(tmp_path)
    (path,) = tmp_path.rglob("*.parquet")
    with duckdb.connect() as database:
        database.read_parquet(str(path)).filter("not (parent_id = 'b' and chunk_index = 0)").create("t")
        database.execute(f"copy t to '{path}' (format parquet)")
    with pytest.raises(BadData, match=r"the call 'b' lacks its chunk 0; fetch"):
        list(load("open_asr", tmp_path, "earnings22_calls").items())


def test_the_rule_of_a_task_is_what_its_judge_is_told(tmp_path: Path) -> None:
    turns.stepeval(tmp_path)
    benchmark = load("stepeval_paralinguistic", tmp_path, "age")
    item, _ = only(benchmark)
    (scorer,) = benchmark.scorers("age")
    shown: list[str] = []

    def judge(prompt: Prompt) -> str:
        shown.append(str(prompt))
        return "Yes"

    opened: Any = replace(scorer, opened=Judge(FakeModel(judge)))  # type: ignore[type-var]
    assert asyncio.run(opened.score(item, Response("30"))).counts["right"] == 1.0
    assert "at most 10 years apart" in shown[0]
