"""Averages as trees: against printed tables, whose averages were made by others, and by hand."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

import pytest

from earmark.report.aggregates import Aggregate, RowKey
from earmark.report.averages import SEVERAL, average_rows, labels_of_average, metric_of, pairs_of, tasks_of
from earmark.report.rows import Row
from earmark.scorers.choice import ChoiceScorer
from earmark.scorers.exact import ExactScorer
from earmark.scorers.token_match import TokenMatchScorer
from earmark.stats.compare import difference
from earmark.stats.count_table import CountTable
from earmark.stats.difference import Pairs
from earmark.types import Average, Scorer


def cell(right: float, n: int, scorer: Scorer | None = None, count: str = "right") -> Aggregate:
    """A task of n items, so many of them right; ids are the same in every task."""
    counts = CountTable()
    for number in range(n):
        earned = min(1.0, max(0.0, right - number))
        counts.add({count: earned, "n": 1.0}, str(number))
    return Aggregate(scorer or TokenMatchScorer(), counts)


def rows_of(tree: Mapping[str, Average], cells: Mapping[str, Aggregate]) -> dict[str, Row]:
    keyed = {RowKey(task, "plain", aggregate.scorer.name): aggregate for task, aggregate in cells.items()}
    return {row.task: row for row in average_rows(tree, keyed)}


def value(row: Row) -> float:
    number = row.headline[1].value
    assert number is not None
    return number


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


SIZES = {
    "Speech": 294, "Sound-Speech": 218, "Music": 206, "Sound": 165, "Music-Speech": 82, "Sound-Music-Speech": 24,
    "Sound-Music": 11,
}  # fmt: skip


def test_items_of_mmar_are_pooled(shared: Path) -> None:
    tree = {"overall": Average(tuple(SIZES), weigh="items"), "plain": Average(tuple(SIZES))}
    lines = table(shared / "data/leaderboards/mmar.csv")
    pooled = plain = 0
    for line in lines:
        rows = rows_of(tree, {task: cell(round(float(line[task]) * n) / 100, n) for task, n in SIZES.items()})
        pooled += abs(100 * value(rows["overall"]) - float(line["Avg"])) < 0.1
        plain += abs(100 * value(rows["plain"]) - float(line["Avg"])) < 0.1
        assert (rows["overall"].n, rows["overall"].headline[1].n) == (1000, 1000)
    assert (pooled, len(lines)) == (36, 36)
    assert plain <= 2


DOMAINS = {"speech": (1, 10), "sound": (10, 14), "music": (14, 20)}  # rows of the printed table


def test_air_bench_is_a_mean_of_means(shared: Path) -> None:
    lines = table(shared / "data/leaderboards/air_bench_foundation.csv")
    names = [line["Categories"] for line in lines]
    tree = {domain: Average(tuple(names[first:last])) for domain, (first, last) in DOMAINS.items()}
    tree["foundation"] = Average(tuple(DOMAINS))
    for model in [*lines[0]][1:8]:
        cells = {line["Categories"]: cell(float(line[model][:-1]), 100) for line in lines[1:20]}
        rows = rows_of(tree, cells)
        assert 100 * value(rows["foundation"]) == pytest.approx(float(lines[20][model][:-1]), abs=0.0501)
        assert rows["foundation"].headline[1].low is not None
    cascade = {line["Categories"]: cell(float(line["Whisper+GPT 4"][:-1]), 100) for line in lines[1:10]}
    rows = rows_of(tree, cascade)
    assert [*rows] == ["speech", "foundation"]
    assert rows["foundation"].headline[1].value is None
    assert "1 of 3 tasks: without sound, music" in rows["foundation"].headline[1].why


def test_voicebench_scales_three_of_nine(shared: Path) -> None:
    lines = table(shared / "data/leaderboards/voicebench.csv")
    tasks = [*lines[0]][2:11]
    points = ("AlpacaEval", "CommonEval", "WildVoice")
    tree = {"overall": Average(tuple(tasks), scale=dict.fromkeys(points, 0.2))}  # shares here, of 5 points or 100
    for line in lines:
        cells = {task: cell(float(line[task]) * (20 if task in points else 1), 100) for task in tasks}
        unscaled = {task: Aggregate(one.scorer, one.counts) for task, one in cells.items()}
        rows = rows_of({"overall": Average(tuple(tasks))}, unscaled)
        assert 100 * value(rows["overall"]) == pytest.approx(float(line["Overall"]), abs=0.00501)
        scaled = rows_of(tree, unscaled)
        lost = sum(0.8 * float(line[task]) * 20 for task in points) / 9
        assert 100 * value(scaled["overall"]) == pytest.approx(100 * value(rows["overall"]) - lost)


def test_parts_that_are_missing_leave_no_number() -> None:
    tree = {"all": Average(("a", "b", "c")), "nothing": Average(("x", "y"))}
    rows = rows_of(tree, {"a": cell(1, 2), "b": cell(2, 2)})
    assert [*rows] == ["all"]
    assert rows["all"].headline[1].value is None
    assert rows["all"].headline[1].why == "2 of 3 tasks: without c there is no number"
    assert rows["all"].n == 4


def test_an_average_of_an_incomplete_average_is_incomplete() -> None:
    tree = {"inner": Average(("a", "c")), "outer": Average(("inner", "b"))}
    rows = rows_of(tree, {"a": cell(1, 2), "b": cell(2, 2)})
    assert rows["outer"].headline[1].why == "1 of 2 tasks: without inner there is no number"


def test_items_of_one_id_in_two_tasks_are_two_items() -> None:
    rows = rows_of({"all": Average(("a", "b"), weigh="items")}, {"a": cell(30, 30), "b": cell(0, 10)})
    estimate = rows["all"].headline[1]
    assert (estimate.value, estimate.n) == (0.75, 40)
    assert estimate.low is not None
    assert estimate.low < 0.75


def test_parts_of_different_scorers_are_averaged_by_their_headlines() -> None:
    keyed = {
        RowKey("a", "plain", "choice"): cell(1, 2, ChoiceScorer()),
        RowKey("b", "plain", "exact"): cell(2, 2, ExactScorer(), "exact_match"),
    }
    (row,) = average_rows({"all": Average(("a", "b"))}, keyed)
    assert (row.scorer, row.headline[0], row.headline[1].value) == (SEVERAL, "mean of headlines", 0.75)


def test_parts_are_rounded_before_the_mean_where_a_leaderboard_does_so() -> None:
    parts = {"a": cell(1, 3), "b": cell(1, 7)}
    exact, rounded = (value(rows_of({"all": Average(("a", "b"), decimals=d)}, parts)["all"]) for d in (None, 2))
    assert exact == pytest.approx((1 / 3 + 1 / 7) / 2)
    assert rounded == pytest.approx((0.33 + 0.14) / 2)
    tree = {"all": Average(("a", "b"), decimals=2)}
    assert str(rows_of(tree, parts)["all"].signature).endswith("|mean:a+b|decimals:2")


TREE = {
    "pooled": Average(("a", "b"), weigh="items"),
    "inner": Average(("b", "c"), scale={"c": 0.5}),
    "outer": Average(("pooled", "inner")),
}


@pytest.mark.parametrize("name", TREE)
def test_pairs_of_runs_have_the_same_averages_as_tables(name: str) -> None:
    cells = {"a": cell(3, 4), "b": cell(1, 10), "c": cell(4, 5)}
    expected = value(rows_of(TREE, cells)[name])

    def pairs(task: str) -> Pairs:
        counts = cells[task].counts
        worse = {count: column * (count != "right") for count, column in counts.columns.items()}
        return Pairs(worse, counts.columns, counts.groups, counts.items)

    scorer = TokenMatchScorer()
    metric = metric_of(TREE, name, lambda _: next(iter(scorer.metrics.values())))
    found = difference((metric, metric), pairs_of(TREE, name, pairs))
    assert found.baseline == 0.0
    assert found.candidate == pytest.approx(expected)
    assert found.low is not None
    assert found.high is not None
    assert found.low < expected < found.high


def test_an_average_has_the_labels_that_all_its_tasks_share() -> None:
    labels = {"a": ["ours", "theirs"], "b": ["theirs"], "c": ["other"]}
    assert tasks_of(TREE, "outer") == ("a", "b", "c")
    assert labels_of_average(TREE, "pooled", labels.__getitem__) == {"theirs": {"a": "theirs", "b": "theirs"}}
    assert labels_of_average(TREE, "outer", labels.__getitem__) == {SEVERAL: {"a": "ours", "b": "theirs", "c": "other"}}
    assert labels_of_average(TREE, "pooled", lambda task: labels[task] if task == "a" else []) == {}
