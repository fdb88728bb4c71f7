"""Suites: a setting goes to the benchmarks that have it, and one that none has is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from earmark.config.folders import yaml_names
from earmark.engine.load import BenchmarkRun, load_benchmark, split_tasks
from earmark.engine.suites import SuiteEntry, load_benchmarks, load_suite
from earmark.errors import BadData, UsageError
from earmark.plugins import table_names


def run_of(entry: SuiteEntry) -> BenchmarkRun:
    assert isinstance(entry.run, BenchmarkRun)
    return entry.run


def suite(text: str, *words: str) -> list[SuiteEntry]:
    Path("mine.yaml").write_text(text)
    return load_suite("mine.yaml", ["model=fake", *words]).entries


def test_a_setting_goes_to_the_lines_that_have_it() -> None:
    tones, words = load_benchmarks(["acoustics:pitch", "spoken_words"], ["model=fake", "items=3", "limit=2"]).entries
    assert len(list(run_of(tones).benchmark.items())) == 3
    assert run_of(words).settings.run.limit == run_of(tones).settings.run.limit == 2


def test_a_value_goes_to_the_lines_that_know_it() -> None:
    mmau, voices = load_benchmarks(["mmau", "voicebench"], ["model=fake", "prompt=r1-aqa"]).entries
    assert run_of(mmau).benchmark.settings["prompt"] == "r1-aqa"
    assert run_of(voices).benchmark.settings["prompt"] == "official"
    assert voices.notes == ("prompt=r1-aqa sets nothing of it",)
    with pytest.raises(UsageError, match="no prompt is called 'nobody'"):
        load_benchmarks(["mmau", "mmar"], ["model=fake", "prompt=nobody"])


@pytest.mark.parametrize(
    ("word", "message"),
    [("promt=x", "did you mean prompt"), ("limt=2", "did you mean limit"), ("patience=3", "it is 'retry_timeout'")],
)
def test_a_setting_that_no_line_has_is_an_error_that_names_the_nearest(word: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load_benchmarks(["mmau", "mmar"], ["model=fake", word])


def test_a_judge_is_that_of_the_lines_that_ask_one() -> None:
    words = ["model=fake", "judge=smollm2"]
    mmau, puzzles = load_benchmarks(["mmau", "big_bench_audio"], words).entries
    (judge, *_) = run_of(puzzles).benchmark.scorers("navigate")
    assert ("judge", "smollm2") in judge.signature.settings  # type: ignore[attr-defined]
    assert mmau.notes == ("judge=smollm2 sets nothing of it",)


def test_words_of_the_command_go_before_a_line_and_a_line_before_the_suite() -> None:
    text = "title: T\nsettings: {limit: 3, seed: 1}\nlines: [{benchmark: spoken_words, settings: {limit: 4}}]"
    (entry,) = suite(text)
    assert (run_of(entry).settings.run.limit, run_of(entry).settings.run.seed) == (4, 1)
    (entry,) = suite(text, "limit=5")
    assert run_of(entry).settings.run.limit == 5


def test_a_line_may_have_its_own_model_and_conditions() -> None:
    text = "title: T\nlines: [{benchmark: spoken_words, settings: {model: whisper_tiny, condition: [plain, silence]}}]"
    Path("mine.yaml").write_text(text)
    (entry,) = load_suite("mine.yaml", []).entries
    assert run_of(entry).settings.model["backend"] == "whisper_tiny"
    assert run_of(entry).settings.run.condition == ("plain", "silence")


def test_a_benchmark_whose_files_are_broken_is_a_line_with_its_error() -> None:
    Path("broken.yaml").write_text("title: x\nunknown: 1")
    broken, whole = suite("title: T\nlines: [broken.yaml, mmau]", "prompt=step")
    assert isinstance(broken.run, BadData)
    assert run_of(whole).benchmark.settings["prompt"] == "step"


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("lines: [mmau]", BadData, "title"),
        ("title: T\nlines: [mmau]\nline: x", BadData, "line"),
        ("title: T\nlines: [!!python/name:os.system x]", BadData, "line 2: found a YAML tag"),
        ("title: &a T\nlines: [*a]", BadData, "found a YAML alias"),
        ("title: T\nlines: [{benchmark: mmau, settings: {prompt: {a: 1}}}]", BadData, "texts, numbers or lists"),
        ("title: T\nlines: [nobody]", UsageError, "no benchmark is called 'nobody'"),
        ("title: T\nlines: ['mmau:nothing']", UsageError, "nothing"),
    ],
)
def test_a_suite_that_cannot_be_read_is_one_line(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        suite(text)
    assert "\n" not in str(caught.value)


def test_an_unknown_suite_is_told_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean field"):
        load_suite("feld", [])
    with pytest.raises(UsageError, match="cannot be read as a suite"):
        load_suite("none.yaml", [])


@pytest.mark.parametrize("name", sorted(yaml_names("suite")))
def test_a_packaged_suite_holds_benchmarks_that_stand_and_rows_that_there_are(name: str) -> None:
    loaded = load_suite(name, ["model=fake"])
    assert loaded.title
    for entry in loaded.entries:
        benchmark = run_of(entry).benchmark
        assert {*entry.rows} <= {*benchmark.tasks, *benchmark.averages}
    names = [entry.name for entry in loaded.entries]
    assert len({*names}) == len(names)


def test_every_table_is_in_smoke_and_all() -> None:
    names = {entry.name for entry in load_suite("smoke", ["model=fake"]).entries}
    assert names == {*table_names("benchmarks")}
    assert names - {entry.name for entry in load_suite("all", ["model=fake"]).entries} == {"mmau_test"}


def test_ears_holds_what_needs_ears_and_words_what_words_carry() -> None:
    for name, kind in (("ears", "yes"), ("words", "no")):
        for entry in load_suite(name, ["model=fake"]).entries:
            facts = run_of(entry).benchmark.task_facts
            assert {one.needs_ears for one in facts.values()} == {kind}, entry.name


def test_names_of_the_hub_keep_their_colon() -> None:
    assert split_tasks("mmau:sound,music") == ("mmau", "sound,music")
    assert load_benchmark("mmau", ["sound"], {}).tasks == ("sound",)
