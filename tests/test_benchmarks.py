"""What every benchmark keeps to. A file that is added to `benchmarks/` is listed, and tested here, with no other edit."""

from __future__ import annotations

import asyncio
from collections import Counter
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

from earmark import plugins
from earmark.config.settings import RunSettings
from earmark.engine.load import load_benchmark
from earmark.engine.questions import limit_items
from earmark.text.published_parsers import FINAL
from earmark.types import Benchmark, Item, Response

SAMPLE = 60  # items of each benchmark that are looked at closely
HEARING = "fixtures/personalized_hearing"
NEED_DATA = {
    "listen": {"data": "fixtures/listen"},
    "personalized_hearing": {"data": f"{HEARING}/data", "media": f"{HEARING}/media"},
}
FORMS = {"personalized_hearing": f"{FINAL} ({{}})"}  # of an answer, where the protocol takes no other


@cache
def loaded(name: str, shared: Path) -> Benchmark:
    places = {setting: str(shared / place) for setting, place in NEED_DATA.get(name, {}).items()}
    benchmark = load_benchmark(name, (), places)
    if benchmark.fetch:
        benchmark.fetch(lambda _: None)
    return benchmark


@pytest.fixture(params=plugins.plugin_names("benchmarks"))
def benchmark(request: pytest.FixtureRequest) -> Benchmark:
    shared = request.getfixturevalue("shared") if request.param in NEED_DATA else Path()
    return loaded(request.param, shared)


def sample(benchmark: Benchmark) -> list[Item]:
    return [item for item in islice(benchmark.items(), 5 * SAMPLE) if item.state == "ask"][:SAMPLE]


def test_its_docstring_is_a_card(benchmark: Benchmark) -> None:
    card = plugins.find_plugin("benchmarks", benchmark.name).doc
    for line in ("Data", "Tasks", "Sound", "Scored"):
        assert f"\n{line:<10}" in card, f"the docstring has no line '{line}'"


def test_its_ids_are_unique_within_a_task_and_its_tasks_are_those_it_names(benchmark: Benchmark) -> None:
    seen = Counter((item.task, item.id) for item in benchmark.items())
    assert max(seen.values()) == 1
    assert {task for task, _ in seen} == set(benchmark.tasks)


def test_its_items_come_the_same_every_time(benchmark: Benchmark) -> None:
    assert list(benchmark.items()) == list(benchmark.items())


def test_a_prompt_names_every_choice_and_not_which_is_right(benchmark: Benchmark) -> None:
    for item in sample(benchmark):
        prompt = benchmark.prompt(item)
        text = "\n".join(part for turn in prompt.turns for part in turn.parts if isinstance(part, str))
        assert prompt.choices == item.choices
        assert all(choice in text for choice in item.choices)


def test_the_right_answer_scores_all_and_silence_and_wrong_answers_none(benchmark: Benchmark) -> None:
    def headline(item: Item, reply: str) -> float:
        (scorer,) = benchmark.scorers(item.task)
        score = asyncio.run(scorer.score(item, Response(reply)))
        return float(next(iter(scorer.metrics.values())).value(score.counts))

    form = FORMS.get(benchmark.name, "{}")
    for item in sample(benchmark):
        assert headline(item, form.format(item.targets[0])) == 1
        assert form != "{}" or headline(item, item.text(item.targets[0])) == 1
        assert headline(item, "") == 0
        for label, choice in zip(item.labels, item.choices, strict=True):
            if label not in item.targets:
                assert headline(item, form.format(label)) == 0
                assert headline(item, f"I choose {choice}.") == 0


def test_the_best_and_the_worst_are_what_they_say(benchmark: Benchmark) -> None:
    for item in sample(benchmark):
        for scorer in benchmark.scorers(item.task):
            worst, best = scorer.bounds(item)
            metric = next(iter(scorer.metrics.values()))
            assert (float(metric.value(worst)), float(metric.value(best))) == (0, 1)


@pytest.mark.parametrize("name", [*plugins.plugin_names("benchmarks"), *plugins.table_names("benchmarks")])
def test_settings_of_a_run_mean_the_same_for_every_benchmark(name: str) -> None:
    own = set(plugins.find_plugin("benchmarks", name).settings.__struct_fields__)
    assert own & set(RunSettings.__struct_fields__) <= {"seed"}


def test_a_limit_takes_the_first_items_of_each_task(benchmark: Benchmark) -> None:
    asked: dict[str, list[str]] = {}
    for item in benchmark.items():
        if item.state != "skipped":
            asked.setdefault(item.task, []).append(item.id)
    limited: dict[str, list[str]] = {}
    for item in limit_items(benchmark, 2):
        if item.state != "skipped":
            limited.setdefault(item.task, []).append(item.id)
    assert limited == {task: ids[:2] for task, ids in asked.items()}
