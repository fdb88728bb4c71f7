"""What every benchmark keeps to. A file that is added to `benchmarks/` is listed, and tested here, with no other edit."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pytest
from contract import examples_of

from earmark import plugins
from earmark.config.settings import RunSettings
from earmark.engine.load import load_benchmark
from earmark.engine.questions import limit_items
from earmark.types import Benchmark, Item, Metric, Opens, Response, Scorer

SAMPLE = 60  # items of each benchmark that are looked at closely


class Case(NamedTuple):
    """A benchmark that is loaded, and the form of a right reply to it."""

    benchmark: Benchmark
    reply: str


@cache
def loaded(name: str, number: int, recordings: Path) -> Case:
    example = examples_of(plugins.find_plugin("benchmarks", name))[number]
    settings = {key: str(recordings / value) if example.recorded else value for key, value in example.settings.items()}
    benchmark = load_benchmark(name, (), settings)
    if benchmark.fetch:
        benchmark.fetch(lambda _: None)
    return Case(benchmark, example.reply)


@pytest.fixture(
    params=[
        (name, number)
        for name in plugins.plugin_names("benchmarks")
        for number, _ in enumerate(examples_of(plugins.find_plugin("benchmarks", name)))
    ],
    ids=str,
)
def case(request: pytest.FixtureRequest) -> Case:
    name, number = request.param
    example = examples_of(plugins.find_plugin("benchmarks", name))[number]
    return loaded(name, number, request.getfixturevalue("shared") / "fixtures" if example.recorded else Path())


@pytest.fixture
def benchmark(case: Case) -> Benchmark:
    return case.benchmark


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


def quality(metric: Metric, counts: Mapping[str, float]) -> float:
    """The number, turned so that more is better."""
    value = float(metric.value(counts))
    return value if metric.better == "higher" else -value


def headlines(benchmark: Benchmark, item: Item) -> Iterator[tuple[Scorer, Metric]]:
    """The scorers of an item that are not asked of a model, each with its first metric."""
    for scorer in benchmark.scorers(item.task):
        if not isinstance(scorer, Opens):
            yield scorer, next(iter(scorer.metrics.values()))


def test_the_right_answer_scores_all_and_silence_and_wrong_answers_less(case: Case) -> None:
    for item in sample(case.benchmark):
        for scorer, metric in headlines(case.benchmark, item):

            def earned(reply: str, item: Item = item, scorer: Scorer = scorer, metric: Metric = metric) -> float:
                return quality(metric, asyncio.run(scorer.score(item, Response(reply))).counts)

            worst, best = (quality(metric, counts) for counts in scorer.bounds(item))
            assert earned(case.reply.format(item.targets[0])) == best
            assert case.reply != "{}" or not item.labels or earned(item.text(item.targets[0])) == best
            assert earned("") == worst or "" in item.targets
            for label, choice in zip(item.labels, item.choices, strict=True):
                if label not in item.targets:
                    assert earned(case.reply.format(label)) == worst
                    assert earned(f"I choose {choice}.") == worst


def test_the_best_and_the_worst_are_what_they_say(benchmark: Benchmark) -> None:
    for item in sample(benchmark):
        for scorer, metric in headlines(benchmark, item):
            worst, best = scorer.bounds(item)
            assert quality(metric, worst) < quality(metric, best)
            if metric.share or metric.limits == (0, 1):
                values = (float(metric.value(worst)), float(metric.value(best)))
                assert values == ((0, 1) if metric.better == "higher" else (1, 0))


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
