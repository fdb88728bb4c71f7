"""Tables with many sets that are alike, sets with prompts of their own, and rows that a function makes."""

from __future__ import annotations

import asyncio
import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import table_data as data
import table_data_more as more

from earmark import plugins
from earmark.engine.load import load_benchmark
from earmark.errors import BadData
from earmark.types import Benchmark, Response

TABLE = """# Mine: a table for tests.
title: Mine
facts: {license: CC0}
columns: {question: question, sound: file_name, answer: answer}
sets: {}
scorers: {official: {scorer: exact}}
prompts:
  official: {text: "{question}"}
  alone: {text: ""}
families:
  pets:
    average: true
    fields: [name, language, revision]
    set: {layouts: {here: {files: ["{name}.jsonl"], revision: "{revision}"}}}
    facts: {language: "{language}"}
    scorers: {official: {scorer: wer, language: "{language}"}}
    members: |
      cats en 0123
      dogs de
  alone:
    set: {prompt: alone, layouts: {here: {files: ["{name}.jsonl"]}}}
    members: |
      hens
"""
ROW = {"question": "{name}?", "file_name": "a.wav", "answer": "x y"}


def load(name: str, tasks: tuple[str, ...] = (), **settings: Any) -> Benchmark:
    return load_benchmark(name, tasks, settings)


def mine(folder: Path, table: str = TABLE) -> Benchmark:
    path = data.put(folder / "mine.yaml", table.encode())
    data.put(folder / "a.wav", data.wav())
    for name in ("cats", "dogs", "hens"):
        data.put_lines(folder / f"{name}.jsonl", [ROW])
    return load(str(path))


def test_a_family_is_a_set_a_task_and_a_scorer_for_each_line(tmp_path: Path) -> None:
    benchmark = mine(tmp_path)
    assert benchmark.tasks == ("cats", "dogs", "hens")
    assert benchmark.averages["pets"].over == ("cats", "dogs")
    assert [benchmark.task_facts[task].language for task in benchmark.tasks] == ["en", "de", ""]
    assert [scorer.name for task in benchmark.tasks for scorer in benchmark.scorers(task)] == ["wer", "wer", "exact"]
    table = plugins.find_plugin("benchmarks", str(tmp_path / "mine.yaml")).module.TABLE
    assert [table.sets[name].layouts["here"].revision for name in ("cats", "dogs")] == ["0123", ""]
    assert next((item.task, item.question) for item in benchmark.items()) == ("cats", "{name}?")


def test_a_set_may_have_a_prompt_of_its_own(tmp_path: Path) -> None:
    benchmark = mine(tmp_path)
    texts = [
        [part for part in benchmark.prompt(item).turns[0].parts if isinstance(part, str)] for item in benchmark.items()
    ]
    assert texts == [["{name}?"], ["{name}?"], []]
    changed = mine(tmp_path, TABLE.replace('alone: {text: ""}', 'alone: {text: "Listen."}'))
    assert changed.settings != benchmark.settings


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("      hens", "      cats", "the set 'cats' is there twice"),
        (
            "    members: |\n      hens",
            "    member: |\n      hens",
            "family alone: .*unknown field `member`.*'members'",
        ),
        (
            "prompt: alone,",
            "prompt: none,",
            "no prompt is called 'none'; did you mean alone[?] There are: official, alone",
        ),
    ],
)
def test_a_family_that_means_nothing_is_one_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in TABLE
    with pytest.raises(Exception, match=message) as error:
        mine(tmp_path, TABLE.replace(old, new))
    assert "\n" not in str(error.value)


# ---------------------------------------------------------------- the lists of Dynamic-SUPERB


def test_the_57_records_of_phase_1_are_there_with_their_revisions(shared: Path) -> None:
    lines = (shared / "data/dynamic_superb/phase1_instances.jsonl").read_text().splitlines()
    records = {row["name"]: (row["path"], row["version"]) for row in map(json.loads, lines)}
    sets = plugins.find_plugin("benchmarks", "dynamic_superb_1").module.TABLE.sets
    layouts = {name: questions.layouts["hub"] for name, questions in sets.items()}
    assert {name: (layout.repository, layout.revision) for name, layout in layouts.items()} == records
    assert len(records) == 57


def test_the_259_tasks_of_phase_2_are_run_or_named(shared: Path) -> None:
    with (shared / "data/dynamic_superb/phase2_ConfirmedTasks.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    module = plugins.find_plugin("benchmarks", "dynamic_superb_2").module
    layouts = {layout.repository: layout.revision for q in module.TABLE.sets.values() for layout in q.layouts.values()}
    makes_sound = {row["HuggingfacePath"] for row in rows if row["Category"].endswith("generation")} - {
        row["HuggingfacePath"] for row in rows if row["Category"] == "Text generation"
    }
    assert {
        row["HuggingfacePath"]: row["Version"] for row in rows if row["HuggingfacePath"] not in makes_sound
    } == layouts
    assert (len(rows), len(layouts), len(makes_sound)) == (259, 254, 5)
    assert all(path.removeprefix("DynamicSuperb/") in module.TABLE.warnings[0] for path in makes_sound)
    assert sum(not row["Version"] for row in rows) == 80
    benchmark = load_benchmark("dynamic_superb_2", (), {})
    kinds = Counter(
        "judge" if benchmark.scorers(task)[0].name == "judge" else benchmark.scorers(task)[0].name
        for task in benchmark.tasks
    )
    assert kinds == {"judge": 154 + 70, "clipped_accuracy": 21, "regression": 9}


# ---------------------------------------------------------------- rows that a function makes


def test_leave_one_out_asks_each_question_once_for_each_distractor(shared: Path) -> None:
    items = list(load("rul_muchomusic", data=str(shared / "data/rul_muchomusic")).items())
    assert Counter(item.task for item in items) == {"one_shot": 1187, "leave_one_out": 4748}
    assert Counter(len(item.choices) for item in items) == {5: 1187, 4: 4748}
    assert len({(item.task, item.id) for item in items}) == len(items)
    assert all(item.text(item.targets[0]) for item in items)


def test_the_order_of_options_follows_the_seed(tmp_path: Path) -> None:
    more.rul(tmp_path / "rul_muchomusic")
    orders = {
        seed: [item.choices for item in load("rul_muchomusic", data=str(tmp_path), seed=seed).items()]
        for seed in (0, 1, 2)
    }
    assert orders[0] != orders[1]
    assert all({*choices} == {*orders[0][0]} for choices in (each[0] for each in orders.values()))


def test_the_rows_of_vocalbench_load_whole(shared: Path) -> None:
    benchmark = load("vocalbench", data=str(shared / "data/vocalbench"))
    assert Counter(item.task for item in benchmark.items()) == {
        "knowledge": 2000, "reasoning": 1000, "creativity": 400, "single_round": 200, "safety": 400,
        "instruction_following": 900,
    }  # fmt: skip


def test_a_sentence_without_a_translation_is_left_out(tmp_path: Path) -> None:
    more.fleurs_pair(tmp_path / "fleurs_translation")
    benchmark = load("fleurs_translation", ("en_us-cmn_hans_cn",), data=str(tmp_path))
    (item,) = benchmark.items()
    assert (item.tags["source"], item.question) == (
        "Hello, good morning to you.", "Translate from English to Chinese. Just give the translation and nothing else.",
    )  # fmt: skip
    with pytest.raises(BadData, match=r"de_de/test.tsv: no such file"):
        list(load("fleurs_translation", ("en_us-de_de",), data=str(tmp_path)).items())


def test_closed_questions_without_choices_are_left_out_of_mmau_pro(tmp_path: Path) -> None:
    rows = [
        {"id": "p-9", "audio_path": ["data/1.wav"], "question": "?", "answer": "x", "choices": [], "category": "sound"}
    ]
    more.mmau_pro(tmp_path / "mmau_pro", rows)
    items = {item.id: item for item in load("mmau_pro", data=str(tmp_path)).items()}
    assert (items["p-9"].state, items["p-9"].reason) == ("skipped", "fewer than two choices")
    assert [items[name].state for name in ("p-1", "p-3", "p-4")] == ["ask"] * 3
    assert len(items["p-2"].clips) == 2
    scorer = load("mmau_pro", data=str(tmp_path)).scorers("instruction")[0]
    assert asyncio.run(scorer.score(items["p-4"], Response("no comma"))).counts["strict_prompt"] == 1


@pytest.mark.parametrize("name", ["none.such", "earmark.benchmarks._rows.none"])
def test_a_function_that_is_not_there_is_one_line(tmp_path: Path, name: str) -> None:
    table = TABLE.replace(
        'files: ["{name}.jsonl"], revision', f'files: ["{{name}}.jsonl"], rows_from: {name}, revision'
    )
    with pytest.raises(Exception, match="none") as error:
        list(mine(tmp_path, table).items())
    assert "\n" not in str(error.value)
