from __future__ import annotations

import asyncio
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from commands import earmark
from mine import bench
from recorded_runs import run
from servers import serving
from test_evaluate import ITEMS, begin_and_stop, slowly, words

from earmark.config.compose import compose_config
from earmark.data.prompt_words import WORDS_FILE, read_words
from earmark.engine.load import load_run_benchmark
from earmark.errors import BadData, EarmarkError, RunMismatch, RunStopped
from earmark.journal import read_journal
from earmark.report.files import read_metrics
from earmark.runs.leaderboard import build_leaderboards
from earmark.runs.merge_shards import merge_shards
from earmark.runs.rundir import find_runs
from earmark.runs.scoring import read_scores
from earmark.runs.signature import is_finished, load_signature
from earmark.runs.trust import trust_run
from earmark.types import Usage, replace

COMMAND = ("condition=[plain,silence]", "repeats=2", "model=fake")
SETTINGS = ("items=40", *COMMAND)


def run_shard(shard: str, *more: str) -> Path:
    benchmark, _ = load_run_benchmark("mine.bench", (), compose_config([*SETTINGS, *more]))
    return run(*COMMAND, *([f"shard={shard}"] if shard else []), *more, benchmark=benchmark).folder


def with_settings(folder: Path) -> Path:
    """A run whose config.yaml names the items, as that of a command does."""
    path = folder / "config.yaml"
    path.write_text(path.read_text().replace("benchmark: {}", "benchmark:\n  items: 40"))
    trust_run(folder)
    return folder


def shards(*names: str) -> list[Path]:
    return [with_settings(run_shard(name)) for name in names or ("1/3", "2/3", "3/3")]


def merged(runs: list[Path]) -> Path:
    return asyncio.run(merge_shards(runs))[0]


def scores(folder: Path) -> list[Any]:
    return sorted(map(msgspec.to_builtins, read_scores(folder / "scores.jsonl")), key=str)


def test_merged_shards_equal_one_run() -> None:
    whole = run_shard("")
    folder = merged(shards()[::-1])  # in any order
    assert scores(folder) == scores(whole)
    one, joined = (read_metrics(path) for path in (whole, folder))
    assert replace(joined, usage=one.usage, latency=one.latency, scored=one.scored) == one
    assert joined.usage.answers == one.usage.answers == 160
    assert (folder / "summary.csv").read_bytes() == (whole / "summary.csv").read_bytes()
    assert load_signature(folder) == load_signature(whole)
    assert sorted(read_words(folder / WORDS_FILE), key=repr) == sorted(read_words(whole / WORDS_FILE), key=repr) != []
    assert is_finished(folder)
    words = [sorted((path / "words.jsonl").read_bytes().splitlines()) for path in (whole, folder)]
    assert words[0] == words[1] != []


def test_a_shard_says_so_and_stands_in_no_leaderboard() -> None:
    runs = shards()
    for number, each in enumerate(runs):  # as a model that speaks leaves it
        (each / "speech").mkdir()
        (each / "speech" / f"{number}.wav").write_bytes(b"RIFF")
    assert load_signature(runs[1]).shard == "2/3"
    assert read_metrics(runs[1]).warnings[0].startswith("shard 2/3 of the items")
    assert build_leaderboards(Path("results")) == []
    folder = merged(runs)
    (board,) = build_leaderboards(Path("results"))
    assert [entry.run for entry in board.entries] == [str(folder)]
    assert sorted(path.name for path in (folder / "speech").iterdir()) == ["0.wav", "1.wav", "2.wav"]


def lose_one(runs: list[Path]) -> list[Path]:
    return runs[1:]


def repeat_one(runs: list[Path]) -> list[Path]:
    return [*runs, runs[0]]


def change_settings(runs: list[Path]) -> list[Path]:
    return [*runs[:2], with_settings(run_shard("3/3", "model.reply=B"))]


def mix_totals(runs: list[Path]) -> list[Path]:
    return [runs[0], with_settings(run_shard("2/2"))]


def add_whole(runs: list[Path]) -> list[Path]:
    return [*runs, run_shard("")]


def lose_records(runs: list[Path]) -> list[Path]:
    journal = runs[1] / "responses.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-2]) + lines[-1][:20])
    return runs


def move_records(runs: list[Path]) -> list[Path]:
    line = (runs[0] / "responses.jsonl").read_bytes().splitlines(keepends=True)[0]
    with (runs[1] / "responses.jsonl").open("ab") as file:
        file.write(line)
    return runs


def drop_items(runs: list[Path]) -> list[Path]:
    for path in (folder / "config.yaml" for folder in runs):
        path.write_text(path.read_text().replace("items: 40", "items: 39"))
        trust_run(path.parent)
    return runs


@pytest.mark.parametrize(
    ("break_it", "error", "message"),
    [
        (lose_one, RunMismatch, "shard 1/3 is not there, "),
        (repeat_one, RunMismatch, "shard 1/3 is there twice, "),
        (change_settings, RunMismatch, "different settings: model.reply was"),
        (mix_totals, RunMismatch, "is shard 1/3 and .* is shard 2/2"),
        (add_whole, RunMismatch, "is no shard"),
        (lose_records, RunStopped, "is shard 2/3, and 2 questions have no record: all, item item-"),
        (move_records, RunMismatch, "is in two shards"),
        (drop_items, RunMismatch, "questions that the benchmark does not have any more"),
    ],
)
def test_what_is_not_the_whole_of_a_run_is_refused_in_one_line(
    break_it: Callable[[list[Path]], list[Path]], error: type[EarmarkError], message: str
) -> None:
    runs = break_it(shards())
    before = find_runs("results")
    with pytest.raises(error, match=message) as refusal:
        merged(runs)
    assert "\n" not in str(refusal.value)
    assert find_runs("results") == before
    assert not list(Path("results").rglob(".merging-*"))


def test_a_changed_prompt_is_found() -> None:
    runs = shards()
    for path in (folder / "config.yaml" for folder in runs):
        path.write_text(path.read_text().replace("items: 40", "items: 40\n  question: Who?"))
        trust_run(path.parent)
    with pytest.raises(RunMismatch, match="the prompt has changed"):
        merged(runs)


def test_what_earlier_attempts_and_judges_took_is_kept() -> None:
    runs = shards()
    journal = runs[0] / "responses.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(lines[0] + b"".join(lines))  # answered twice
    path = runs[2] / "metrics.json"
    metrics = replace(read_metrics(runs[2]), judge_usage=Usage(tokens_in=7, cost=0.5))
    path.write_bytes(msgspec.json.encode(metrics))
    joined = read_metrics(merged(runs))
    assert joined.usage.answers == 161
    assert joined.judge_usage == Usage(tokens_in=7, cost=0.5)


def test_speech_of_answers_comes_along() -> None:
    runs = shards()
    for index, folder in enumerate(runs):
        (folder / "speech").mkdir()
        (folder / "speech" / f"{index}.wav").write_bytes(b"speech")
    assert sorted(path.name for path in (merged(runs) / "speech").iterdir()) == ["0.wav", "1.wav", "2.wav"]


def test_a_shard_without_items_is_refused_and_not_missed() -> None:
    few = bench.make(items=1)
    outcomes = []
    for number in (1, 2):
        try:
            outcomes.append(run("model=fake", f"shard={number}/2", benchmark=few).folder)
        except BadData as error:
            assert f"shard {number}/2 holds none of the 1 items" in str(error)  # noqa: PT017
    (only,) = outcomes
    path = only / "config.yaml"
    path.write_text(path.read_text().replace("benchmark: {}", "benchmark:\n  items: 1"))
    trust_run(only)
    assert read_metrics(merged([only])).rows[0].n == 1


def test_a_shard_that_was_killed_and_resumed_merges_too() -> None:
    with serving(slowly) as server:
        begin_and_stop(server, signal.SIGKILL, "shard=1/2", after=20)
        (first,) = find_runs("results")
        assert earmark(*words(server, "shard=2/2")).returncode == 0
        both = find_runs("results")
        early = earmark("merge", *map(str, both))
        assert early.returncode == 6
        assert early.stderr.count("\n") == 1
        resumed = earmark(*words(server, "shard=1/2"))
        assert f"going on with {first}" in resumed.stderr
        asked = len(server.asked)
        done = earmark("merge", *map(str, both))
        assert done.returncode == 0, done.stderr
        assert len(server.asked) == asked
        new = Path(done.stdout.rpartition("run: ")[2].strip())
        assert len({record.item.id for record in read_journal(new / "responses.jsonl")}) == ITEMS
        shutil.rmtree(first)  # the merged run needs no shard any more
        assert earmark("rescore", str(new)).returncode == 0
