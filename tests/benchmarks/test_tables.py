"""What every table keeps to, on small data that is written from the published schemas (`table_data.py`)."""

from __future__ import annotations

import asyncio
import functools
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest
import table_data as data
import table_data_more as more
import table_data_turns as turns

from earmark import plugins
from earmark.benchmarks._table_schema import BenchmarkTable, Layout, columns_of
from earmark.data.clips import read_clip
from earmark.engine.load import load_benchmark
from earmark.errors import BadData, UsageError
from earmark.judges.asking import Judge
from earmark.models.fake import FakeModel
from earmark.types import Benchmark, Clip, Item, Opens, Response, replace


class Case(NamedTuple):
    """One layout of a table, with what must come out of it."""

    table: str
    layout: str
    write: Callable[[Path], None]
    golds: Mapping[str, tuple[str, str]]  # by id, in the order of the data: task and text of the right answer
    form: Literal["text", "letter"] = "text"  # of a reply
    tasks: tuple[str, ...] = ()  # of many that are alike


MMAU_GOLDS = {"m-1": ("sound", "Woman"), "m-2": ("music", "Cello"), "m-3": ("speech", "Two")}
MMAR_GOLDS = {f"v{number}_00-00-01_00-00-09": (task, "a bell") for number, task in enumerate(data.MODALITIES)}
PUZZLE_GOLDS = {str(number): (task, "valid") for number, task in enumerate(data.PUZZLES)}
NET = ("test_net", "test_meeting")
COMMON = {"en": "Hello world.", "zh": "你好世界", "fr": "Bonjour le monde.", "yue": "你好世界"}
DIRECTIONS = {"en_zh": "今天天气很好我们出去走走", "zh_en": "The weather is fine today, so we go out."}
CASES = [
    Case("mmau", "github", data.mmau_github, MMAU_GOLDS),
    Case("mmau", "hub", data.mmau_hub, MMAU_GOLDS),
    Case("mmau_test", "github", data.mmau_test_github, {name: (task, "") for name, (task, _) in MMAU_GOLDS.items()}),
    Case("mmau_test", "hub", data.mmau_test_hub, {name: (task, "") for name, (task, _) in MMAU_GOLDS.items()}),
    Case("mmar", "github", data.mmar_github, MMAR_GOLDS),
    Case("mmar", "hub", data.mmar_hub, MMAR_GOLDS),
    Case("mmar", "parquet", data.mmar_parquet, MMAR_GOLDS),
    Case("mmsu", "hub", data.mmsu_hub, {"s-0": ("perception", "dog"), "s-1": ("reasoning", "pig")}, "letter"),
    Case("air_bench_foundation", "github", data.air_bench, {
        str(number): (f"{task}_{name}", "happy") for number, (task, name) in enumerate(data.AIR_SETS)
    }, "letter"),
    Case("big_bench_audio", "fixie", data.big_bench_fixie, PUZZLE_GOLDS),
    Case("big_bench_audio", "audiofolder", data.big_bench_audiofolder, PUZZLE_GOLDS),
    Case("voicebench", "hub", data.voicebench, {
        **{f"{task}/1": (task, "") for task in ("alpacaeval", "commoneval", "wildvoice")},
        "sd-qa/1": ("sd-qa", "Switzerland (usa)"),
        **{f"mmsu/{subject}": ("mmsu", "ABCD"[number % 4]) for number, subject in enumerate(data.SUBJECTS)},
        "openbookqa/1": ("openbookqa", "C"),
    }, "letter", ("alpacaeval", "commoneval", "wildvoice", "sd-qa", "mmsu", "openbookqa")),
    Case("sakura", "github", data.sakura, {
        f"{track.lower()}_{hop}/{number}": (f"{track.lower()}_{hop}", "(a) dog" if hop == "single" else " (b) meat")
        for number, track in enumerate(data.TRACKS)
        for hop in ("single", "multi")
    }),
    Case("librispeech", "open-asr", data.libri_open_asr,
         {"test.clean-1": ("clean", "HELLO WORLD"), "test.other-1": ("other", "GOOD BYE")}),
    Case("librispeech", "published", data.libri_published,
         {"61-70-0000": ("clean", "HELLO WORLD"), "367-70-0000": ("other", "GOOD BYE")}),
    Case("aishell_1", "hub", data.splits("test", texts={"test": "你好世界"}), {"test/1": ("test", "你好世界")}),
    Case("wenetspeech", "hub", data.splits("test_net", "test_meeting", texts=dict.fromkeys(NET, "你好世界")),
         {f"{task}/1": (task, "你好世界") for task in NET}),
    Case("common_voice_15", "hub", data.splits(*COMMON, column="sentence", texts=COMMON),
         {f"{task}/1": (task, text) for task, text in COMMON.items()}),
    Case("fleurs", "hub", data.fleurs, {f"{task}-9.wav": (task, text) for task, text in data.FLEURS.items()},
         tasks=tuple(data.FLEURS)),
    Case("covost2", "hub", data.splits(*DIRECTIONS, texts=DIRECTIONS),
         {f"{task}/1": (task, text) for task, text in DIRECTIONS.items()}, tasks=tuple(DIRECTIONS)),
    Case("covost2", "fixie", more.one_parquet("en_zh-CN/test", {
        "id": "common_voice_en_1", "sentence": "The weather is fine.", "translation": DIRECTIONS["en_zh"]},
        neighbour="zh-CN_en/test"), {"common_voice_en_1": ("en_zh", DIRECTIONS["en_zh"])}, tasks=("en_zh",)),
    Case("fleurs_translation", "hub", more.fleurs_pair, {
        "en.wav": ("en_us-cmn_hans_cn", "你好，早上好，祝你今天愉快。"),
        "zh.wav": ("cmn_hans_cn-en_us", "Hello, good morning to you."),
    }, tasks=("en_us-cmn_hans_cn", "cmn_hans_cn-en_us")),
    Case("dynamic_superb_1", "hub", more.dynamic_superb(more.as_rows(more.PHASE1)),
         {f"{task}/1": (task, label) for task, (_, label) in more.PHASE1.items()}, tasks=tuple(more.PHASE1)),
    Case("dynamic_superb_2", "hub", more.dynamic_superb(more.as_rows(more.PHASE2)),
         {f"{task}/1": (task, label) for task, (_, label) in more.PHASE2.items()}, tasks=tuple(more.PHASE2)),
    Case("audiobench", "hub", more.audiobench, {
        f"{task}/1": (task, "7" if "mqa" in task else str(row["answer"])) for task, row in more.AUDIOBENCH.items()
    }, tasks=tuple(more.AUDIOBENCH)),
    Case("air_bench_chat", "github", more.air_bench_chat,
         {str(number): (task, "At noon.") for number, task in enumerate(more.CHAT)}),
    Case("mmau_pro", "hub", more.mmau_pro, {"p-1": ("closed", "piano"), "p-2": ("closed", "second"),
                                            "p-3": ("open", "A piano."), "p-4": ("instruction", "")}),
    Case("rul_muchomusic", "github", more.rul, {
        "1740": ("one_shot", "A piano"), **{f"1740-{left}": ("leave_one_out", "A piano") for left in range(1, 5)}
    }),
    Case("muchomusic", "github", more.muchomusic, {"0": ("all", "glad"), "1": ("all", "wild")}, "letter"),
    Case("trea", "github", more.trea,
         {str(number): (task, "cow") for number, task in enumerate(("count", "duration", "order"))}, "letter"),
    Case("kimi_classes", "hub", more.kimi_hub, {
        "vocalsound/1": ("vocalsound", "Sigh"), "meld/1": ("meld", "joy"), "clothoaqa/1": ("clothoaqa", "yes"),
    }, tasks=("vocalsound", "meld", "clothoaqa")),
    Case("kimi_classes", "zenodo", more.kimi_zenodo, {
        "nonspeech7k/1": ("nonspeech7k", "Cry"), "tut2017/1": ("tut2017", "residential area"),
        "cochlscene/1": ("cochlscene", "crowdedindoor"),
    }, tasks=("nonspeech7k", "tut2017", "cochlscene")),
    Case("openaudiobench", "hub", more.openaudiobench, {
        f"{task}/1": (task, gold) for task, gold in (("llama_questions", "Bach"), ("trivia_qa", "Bach"),
                                                     ("web_questions", "Bach"), ("alpaca_eval", ""),
                                                     ("reasoning_qa", "Bach"))
    }),
    Case("uro_bench", "hub", more.uro_bench, {
        f"{task}/1": (task, gold) for task, gold in (("AlpacaEval", ""), ("Gsm8kEval", "A dog."),
                                                     ("ClothoEval-en", "A dog."))
    }, tasks=("AlpacaEval", "Gsm8kEval", "ClothoEval-en")),
    Case("vocalbench", "github", more.vocalbench, {
        f"{task}-000": (task, "" if task in ("safety", "instruction_following") else "Leonardo da Vinci")
        for task in more.VOCALBENCH
    }),
    Case("uro_bench", "hub", turns.uro_rounds, {"7": ("MtBenchEval-en", "")}, tasks=("MtBenchEval-en",)),
    Case("voicebench", "hub", turns.voicebench_turns, {"mtbench/1": ("mtbench", "")}, tasks=("mtbench",)),
    Case("audio_multichallenge", "hub", turns.audio_multichallenge, {
        f"c-{number}": (axis, "") for number, axis in enumerate(turns.AXES)
    }),
    Case("stepeval_paralinguistic", "hub", turns.stepeval, {
        f"{task}/1": (task, f"女性 {task}") for task in turns.STEPEVAL
    }),
    Case("open_asr", "hub", turns.calls, {"b": ("earnings22_calls", "two calls"), "a": ("earnings22_calls", "one")},
         tasks=("earnings22_calls",)),
    Case("open_asr", "hub", more.several(
        more.one_parquet("tedlium/test", {"id": "t-1", "text": "so"}),
        more.one_parquet("data/test", {"id": "m-1", "text": "so it is"}),
    ), {"m-1": ("monsoon_en_in", "so it is"), "t-1": ("tedlium_esb", "so")}, tasks=("monsoon_en_in", "tedlium_esb")),
    Case("open_asr", "hub", more.open_asr(), {
        name: (task, text) for task, (name, text) in zip(
            ("ami", "earnings22", "gigaspeech", "librispeech_clean", "librispeech_other", "spgispeech", "voxpopuli"),
            more.OPEN_ASR.items(), strict=True)
    }, tasks=("ami", "earnings22", "gigaspeech", "librispeech_clean", "librispeech_other", "spgispeech", "voxpopuli")),
    Case("open_asr_multilingual", "hub", more.one_parquet("mls_it/test", {"file_name": "a_1", "text": "Buon giorno"},
                                                          neighbour="fleurs_it/test"),
         {"a_1": ("mls_it", "Buon giorno")}, tasks=("mls_it",)),
    Case("open_asr_longform", "hub", more.several(*(
        more.one_parquet(f"{name}/test", {"text": "hello everyone"}) for name in ("earnings21", "earnings22", "tedlium")
    )), {f"{name}/1": (name, "hello everyone") for name in ("earnings21", "earnings22", "tedlium")},
         tasks=("earnings21", "earnings22", "tedlium")),
    Case("open_asr_longform", "hub", more.one_parquet("ROC/test", {"text": "hello everyone"}, neighbour="VLD/test"),
         {"coraal_roc/1": ("coraal_roc", "hello everyone")}, tasks=("coraal_roc",)),
    Case("gigaspeech", "hub", more.one_parquet("data/test", {"answer": "hello giga", "instruction": "x"}, "context"),
         {"test/1": ("test", "hello giga")}),
    Case("gigaspeech", "open-asr", more.open_asr("gigaspeech_cleaned/test", "ami_cleaned/test"),
         {"gigaspeech_cleaned/test": ("test", "hello giga")}),
    Case("spgispeech", "open-asr", more.open_asr("spgispeech/test", "ami_cleaned/test"),
         {"spgispeech/test": ("test", "Hello, calls.")}),
    Case("spgispeech", "hub", more.one_parquet("test/test", {"transcript": "Hello, calls."}, neighbour="dev/test"),
         {"test/1": ("test", "Hello, calls.")}),
    Case("voxpopuli", "hub", more.one_parquet("en/test", {"audio_id": "v-1", "normalized_text": "hello house"},
                                              neighbour="de/test"), {"v-1": ("en", "hello house")}),
    Case("voxpopuli", "open-asr", more.open_asr("voxpopuli_cleaned_aa/test", "ami_cleaned/test"),
         {"voxpopuli_cleaned_aa/test": ("en", "hello house")}),
    Case("kespeech", "hub", more.one_parquet("data/test", {"Text": "你好世界"}), {"test/1": ("test", "你好世界")}),
    Case("mls", "hub", more.several(more.one_parquet("data/mls_dutch", {"Text": "goede morgen"}),
                                    more.one_parquet("data/mls_german", {"Text": "guten Morgen"})),
         {"dutch/1": ("dutch", "goede morgen"), "german/1": ("german", "guten Morgen")}, tasks=("dutch", "german")),
    Case("voicebench", "hub", more.several(data.voicebench, more.voicebench_rest), {
        "navigate_7": ("bbh", "yes"), "1000": ("ifeval", ""), "advbench/1": ("advbench", ""),
        "alpacaeval_full/1": ("alpacaeval_full", ""), "sd-qa-irl/1": ("sd-qa-irl", "Switzerland (irl)"),
    }, tasks=("bbh", "ifeval", "advbench", "alpacaeval_full", "sd-qa-irl")),
]  # fmt: skip


def write_example(table: BenchmarkTable, set_name: str, layout: Layout, folder: Path) -> None:
    """The example of a set as the file that its first layout says, with a sound in the column of sound."""
    row = table.examples[set_name].row
    columns = columns_of(table, table.sets[set_name], next(iter(table.sets[set_name].layouts)), table.title)
    sound = columns.sound if isinstance(columns.sound, str) else columns.sound[0]
    if layout.split:
        split = layout.split if isinstance(layout.split, str) else layout.split[0]
        data.put_parquet(
            folder / set_name / (layout.config or "data") / f"{split}-00000-of-00001.parquet", [row], sound
        )
        return
    path = folder / set_name / layout.files[0].replace("*", "x")
    (data.put_json if path.suffix == ".json" else data.put_lines)(path, [row | {sound: "a.wav"}])
    data.put(path.parent / layout.sound_folders[0] / "a.wav", data.wav(400))


def example_cases() -> Iterator[Case]:
    """A case for each table that brings its examples with it."""
    for name in plugins.table_names("benchmarks"):
        table: BenchmarkTable = plugins.find_plugin("benchmarks", name).module.TABLE
        written = {set_name: next(iter(table.sets[set_name].layouts.items())) for set_name in table.examples}
        for layout_name in {layout_name: None for layout_name, _ in written.values()}:
            golds, writers = {}, []
            for set_name, (its_layout, layout) in written.items():
                if its_layout == layout_name:
                    example = table.examples[set_name]
                    columns = columns_of(table, table.sets[set_name], layout_name, name)
                    identifier = str(example.row[columns.id]) if columns.id else f"{set_name}/1"
                    golds[identifier] = (example.task or table.sets[set_name].task or set_name, example.answer)
                    writers.append(functools.partial(write_example, table, set_name, layout))
            form = next(iter(table.examples.values())).form
            yield Case(
                name, layout_name, more.several(*writers), golds, form, tuple(task for task, _ in golds.values())
            )


CASES += example_cases()


def load(name: str, tasks: tuple[str, ...] = (), **settings: Any) -> Benchmark:
    return load_benchmark(name, tasks, settings)


@pytest.fixture(params=CASES, ids=lambda case: f"{case.table}-{case.layout}", scope="module")
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


@pytest.fixture(scope="module")
def benchmark(case: Case, tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """A benchmark with its data in a folder of its name, beside that of another one."""
    place = tmp_path_factory.mktemp(case.table)
    case.write(place / case.table)
    return load(case.table, case.tasks, data=str(place))


def score(benchmark: Benchmark, item: Item, reply: str) -> list[tuple[float, bool]]:
    """The headline of every scorer of an item that asks no judge, and if it is the best that there is."""
    numbers = []
    for scorer in benchmark.scorers(item.task):
        if isinstance(scorer, Opens):
            continue
        counts = asyncio.run(scorer.score(item, Response(reply))).counts
        metric = next(iter(scorer.metrics.values()))
        top = 100.0 if scorer.name == "bleu" else 1.0
        value = float(metric.value(counts))
        numbers.append((value, value == (top if metric.better == "higher" else 0.0)))
    return numbers


def test_every_layout_of_every_table_has_a_case() -> None:
    layouts = {
        (name, layout)
        for name in plugins.table_names("benchmarks")
        for questions in plugins.find_plugin("benchmarks", name).module.TABLE.sets.values()
        for layout in questions.layouts
    }
    assert layouts == {(case.table, case.layout) for case in CASES}, "write a case, or examples: in the table"


@pytest.mark.parametrize("name", plugins.table_names("benchmarks"))
def test_its_head_is_a_card(name: str) -> None:
    card = plugins.find_plugin("benchmarks", name).doc
    for line in ("Data", "Tasks", "Sound", "Scored"):
        assert f"\n{line:<10}" in card, f"the head comment has no line '{line}'"


def test_items_have_the_ids_tasks_and_golds_of_the_data(case: Case, benchmark: Benchmark) -> None:
    items = list(benchmark.items())
    assert items == list(benchmark.items())
    assert max(Counter((item.task, item.id) for item in items).values()) == 1
    assert {item.task for item in items} == set(benchmark.tasks)
    assert len(items) == len(case.golds)
    for item, (name, (task, gold)) in zip(items, case.golds.items(), strict=True):
        assert "/" in name or item.id == name  # the others have no id in their data
        golds = {item.text(target) for target in item.targets} if item.choices else {*item.targets}
        assert (item.task, item.state, golds) == (task, "ask", {gold} - {""})


def test_sound_is_found_and_is_that_of_the_row(benchmark: Benchmark) -> None:
    for item in benchmark.items():
        assert item.clips
        for clip in item.clips:
            assert isinstance(clip, Clip)
            assert read_clip(clip)[0] in {data.wav(400 + number) for number in range(len(data.AIR_SETS) + 1)}


@pytest.mark.parametrize("name", plugins.table_names("benchmarks"))
def test_every_prompt_names_every_choice_and_replaces_every_name(name: str, tmp_path: Path) -> None:
    case = next(case for case in CASES if case.table == name)
    case.write(tmp_path / name)
    for prompt_name in plugins.find_plugin("benchmarks", name).module.TABLE.prompts:
        benchmark = load(name, case.tasks, data=str(tmp_path), prompt=prompt_name)
        for item in benchmark.items():
            prompt = benchmark.prompt(item)
            asked = [turn for turn in prompt.turns if turn.role != "assistant"]  # replies of the data stand between
            text = "\n".join(part for turn in asked for part in turn.parts if isinstance(part, str))
            assert all(choice in text for choice in item.choices) or not text
            assert item.question in text or not text  # the sound is the question
            rest = text.replace(item.question, "") if item.question else text
            assert not any(f"{{{name}}}" in rest for name in ("question", "choices", "choice_list", "letters", "count"))
            assert [part for turn in prompt.turns for part in turn.parts if isinstance(part, Clip)] == [*item.clips]


def test_the_right_answer_scores_all_silence_and_wrong_ones_none(case: Case, benchmark: Benchmark) -> None:
    for item in filter(lambda item: item.targets, benchmark.items()):
        answers = [item.text(target) for target in item.targets] if item.choices else [*item.targets]
        replies = [*item.targets] if case.form == "letter" else answers
        for reply in replies:
            assert all(is_best for _, is_best in score(benchmark, item, reply)), reply
        assert not any(is_best for _, is_best in score(benchmark, item, ""))
        for label, choice in zip(item.labels, item.choices, strict=True):
            if choice not in answers:
                reply = label if case.form == "letter" else choice
                assert {number for number, _ in score(benchmark, item, reply)} <= {0.0}, choice


def test_error_rates_know_the_order_of_words(case: Case, benchmark: Benchmark) -> None:
    for item in benchmark.items():
        words = item.targets[0].split() if item.targets else []
        if not item.choices and len(words) > 1 and case.table != "voicebench":
            assert not any(is_best for _, is_best in score(benchmark, item, " ".join(reversed(words))))


@pytest.mark.parametrize(
    ("table", "said", "right"),
    [("big_bench_audio", "CORRECT", True), ("big_bench_audio", "INCORRECT", False), ("big_bench_audio", "Hm.", None)],
)
def test_a_judge_decides_and_one_that_says_nothing_has_failed(
    tmp_path: Path, table: str, said: str, right: bool | None
) -> None:
    case = next(case for case in CASES if case.table == table)
    case.write(tmp_path)
    benchmark = load(table, data=str(tmp_path))
    (item, *_) = benchmark.items()
    (scorer,) = benchmark.scorers(item.task)
    opened: Any = replace(scorer, opened=Judge(FakeModel(lambda _: said)))  # type: ignore[type-var]
    earned = asyncio.run(opened.score(item, Response("valid")))
    assert (earned.state == "judge-failed") == (right is None)
    assert right is None or earned.counts["right"] == right


def test_the_best_and_the_worst_are_what_they_say(benchmark: Benchmark) -> None:
    for item in filter(lambda item: item.targets, benchmark.items()):
        for scorer in benchmark.scorers(item.task):
            worst, best = scorer.bounds(item)
            if scorer.name == "comet" and not worst:  # it is not installed here, so that it counts nothing
                continue
            metric = scorer.metrics.get("accuracy") or next(iter(scorer.metrics.values()))
            values = (float(metric.value(worst)), float(metric.value(best)))
            low, top = metric.limits or (0.0, 1.0)
            ends = (low, 1.0 if math.isinf(top) else top)
            if scorer.name == "regression":  # the error of a failure is no number, and it is counted as unread
                assert (math.isnan(values[0]), values[1], worst["unread"]) == (True, 0, 1)
            else:
                assert values == pytest.approx(ends if metric.better == "higher" else ends[::-1])


def test_averages_and_facts_speak_of_tasks_that_there_are(case: Case, benchmark: Benchmark) -> None:
    known = [*load(case.table).tasks]
    for name, average in benchmark.averages.items():
        not_run = {part for part in average.over if any(part in warning for warning in benchmark.warnings)}
        assert {*average.over} - not_run <= {*known}
        assert {*average.scale} <= {*average.over}
        known.append(name)
    assert [*benchmark.task_facts] == [*benchmark.tasks]
    assert all(facts.license for facts in benchmark.task_facts.values())


# ---------------------------------------------------------------- real questions


def test_the_real_questions_of_mmau_load_whole(shared: Path) -> None:
    items = list(load("mmau", data=str(shared / "data/mmau")).items())
    assert Counter(item.task for item in items) == {"sound": 333, "music": 334, "speech": 333}
    assert Counter(len(item.targets) for item in items) == {1: 984, 2: 16}
    benchmark = load("mmau", data=str(shared / "data/mmau"))
    official = benchmark.scorers("sound")[0]
    right = [asyncio.run(official.score(item, Response(item.text(item.targets[0])))).counts["right"] for item in items]
    assert sum(right) == 1000


def test_golds_that_are_no_option_are_asked_and_judged_by_the_rule_that_can(shared: Path, tmp_path: Path) -> None:
    state = shared / "data/mmau/mmau-test-mini-2025-05-16.json"
    data.put(tmp_path / "mmau-test-mini.json", state.read_bytes())
    benchmark = load("mmau", data=str(tmp_path))
    without = [item for item in benchmark.items() if not item.targets]
    assert (len(without), {item.state for item in without}) == (146, {"ask"})
    official, ours = benchmark.scorers("sound")
    for item in without:
        assert asyncio.run(official.score(item, Response(item.extra["answer"]))).counts["right"] == 1
        assert asyncio.run(ours.score(item, Response(item.choices[0]))).counts["n"] == 0  # in no number of ours


def test_the_real_questions_of_mmar_load_whole(shared: Path) -> None:
    items = list(load("mmar", data=str(shared / "data/mmar")).items())
    assert Counter(len(item.choices) for item in items) == {4: 815, 2: 171, 3: 10, 5: 3, 6: 1}
    assert all(len(item.targets) == 1 and len(item.extra["rubric"]) == 5 for item in items)


def test_the_real_questions_of_sakura_load_whole(shared: Path) -> None:
    items = list(load("sakura", data=str(shared / "data/sakura")).items())
    assert set(Counter(item.task for item in items).values()) == {500}
    assert len(items) == 4000
    agree = [item.targets[0].strip().lower() in item.question.lower() for item in items]
    assert sum(agree) == 4000


# ---------------------------------------------------------------- the form of a table


TABLE = """# Mine: a table for tests.
title: Mine
facts: {license: CC0}
sets:
  all:
    task: all
    layouts: {here: {files: [rows.jsonl]}}
    columns: {id: id, question: question, sound: file_name, choices: options, answer: answer}
scorers: {official: {scorer: choice}}
prompts: {official: {text: "{question}\\n{choices}"}}
"""
ROW = {"id": "1", "question": "Which?", "file_name": "a.wav", "options": ["cat", "dog"], "answer": "dog"}


def mine(folder: Path, rows: list[dict[str, Any]], table: str = TABLE) -> Benchmark:
    """A user's own table, by its path."""
    data.put(folder / "mine.yaml", table.encode())
    data.put_lines(folder / "rows.jsonl", rows)
    data.put(folder / "a.wav", data.wav())
    return load(str(folder / "mine.yaml"), data=str(folder))


def test_a_table_is_found_by_its_path_and_in_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [item.targets for item in mine(tmp_path, [ROW]).items()] == [("B",)]
    data.put(tmp_path / "conf/benchmark/own.yaml", TABLE.encode())
    monkeypatch.chdir(tmp_path)
    assert "own" in plugins.table_names("benchmarks")
    assert [item.id for item in load("own", data=str(tmp_path)).items()] == ["1"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("columns:", "colums:", "unknown field `colums`.*did you mean 'columns'"),
        ("scorer: choice", "scorer: choise", "no scorer is called 'choise'"),
        ("{question}\\n", "{qustion}\\n", "nothing is called {qustion} there; expected {question}"),
        ("title: Mine", "title: !!python/name:os.system Mine", "found a YAML tag"),
        ("title: Mine", "title: &a Mine\nsource: *a", "found a YAML alias"),
        ("layouts: {here: {files: [rows.jsonl]}}", "layouts: {}", "has no layout"),
    ],
)
def test_what_a_table_cannot_mean_is_one_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in TABLE
    with pytest.raises((BadData, UsageError), match=message) as error:
        list(mine(tmp_path, [ROW], TABLE.replace(old, new)).items())
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["{0}", "{x.__class__}", "%s", "{question}", "{choices}", "{", "{{question}}"])
def test_braces_in_data_stay_braces(tmp_path: Path, text: str) -> None:
    row = ROW | {"question": text, "options": [text, "dog"]}
    benchmark = mine(tmp_path, [row])
    (item,) = benchmark.items()
    assert benchmark.prompt(item).turns[0].parts[-1] == f"{text}\nA. {text}\nB. dog"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"options": "[1, 2"}, "line 1: column 'options' begins like a JSON list"),
        ({"options": "cat"}, "line 1: column 'options' holds \"cat\", expected a list"),
        ({"options": [str(number) for number in range(30)]}, "found 30 choices, expected at most 26"),
        ({"question": ["a"]}, "found list .* expected a text"),
        ({"options": [{"a": 1}]}, "found dict .* expected a text"),
    ],
)
def test_rows_that_are_none_are_named(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    with pytest.raises(BadData, match=message.replace("line 1", "row 1")):
        list(mine(tmp_path, [ROW | row]).items())


@pytest.mark.parametrize(
    ("options", "answer", "targets"),
    [
        ([1, "1", 1.0], 1, ("A", "B")),
        ([True, False], False, ("B",)),
        ([" dog", "cat"], "dog ", ("A",)),
        (["dog", "dog"], "dog", ("A", "B")),
        (["Dog", "cat"], "dog", ()),
        (["dog"], "dog", ("A",)),
        ('["dog", "cat"]', "cat", ("B",)),
        (["a", "b"], "", ()),
        (["a", "b"], None, ()),
    ],
)
def test_the_right_choices_are_those_of_equal_text(
    tmp_path: Path, options: Any, answer: Any, targets: tuple[str, ...]
) -> None:
    (item,) = mine(tmp_path, [ROW | {"options": options, "answer": answer}]).items()
    assert item.targets == targets
    assert item.extra == ({"answer": "dog"} if answer == "dog" and not targets else {})


@pytest.mark.parametrize("path", ["../b.wav", "/etc/passwd", "x/../../b.wav", "C:\\b.wav", "..\\b.wav"])
def test_sound_outside_the_data_is_an_item_that_cannot_be_asked(tmp_path: Path, path: str) -> None:
    (item,) = mine(tmp_path, [ROW | {"file_name": path}]).items()
    assert (item.state, item.clips) == ("error", ())
    assert "leads out of the data" in item.reason


def test_a_link_that_leads_out_of_the_data_is_not_followed(tmp_path: Path) -> None:
    outside = data.put(tmp_path / "secret.wav", data.wav())
    (tmp_path / "set").mkdir()
    (tmp_path / "set/link.wav").symlink_to(outside)
    (item,) = mine(tmp_path / "set", [ROW | {"file_name": "link.wav"}]).items()
    assert (item.state, "through a link" in item.reason) == ("error", True)


def test_a_snapshot_of_the_hub_keeps_its_files_as_links(tmp_path: Path) -> None:
    snapshot = tmp_path / "snapshots/0123"
    mine(snapshot, [ROW])
    (snapshot / "a.wav").rename(data.put(tmp_path / "blobs/77", b""))
    (snapshot / "a.wav").symlink_to(tmp_path / "blobs/77")
    (item,) = load(str(snapshot / "mine.yaml"), data=str(snapshot)).items()
    assert item.state == "ask"


def test_a_table_whose_questions_change_signs_another_run(tmp_path: Path) -> None:
    before = mine(tmp_path, [ROW]).settings
    assert mine(tmp_path, [ROW], TABLE.replace("title: Mine", "title: Ours")).settings == before
    assert mine(tmp_path, [ROW], TABLE.replace('"{question}', '"Listen. {question}')).settings != before


def test_policy_chooses_the_headline_and_asks_nothing_else(shared: Path) -> None:
    place = str(shared / "data/mmau")
    official, ours = (load("mmau", data=place, policy=policy) for policy in ("official", "earmark"))
    assert [scorer.name for scorer in official.scorers("sound")] == ["token_match", "choice"]
    assert [scorer.name for scorer in ours.scorers("sound")] == ["choice", "token_match"]
    assert official.settings == ours.settings


def test_an_object_of_rows_by_id_is_read(tmp_path: Path) -> None:
    table = TABLE.replace("rows.jsonl", "rows.json").replace("id: id,", "id: $key,")
    benchmark = mine(tmp_path, [], table)
    data.put(tmp_path / "rows.json", json.dumps({"7": ROW, "8": ROW}).encode())
    assert [item.id for item in benchmark.items()] == ["7", "8"]
