"""The table of a suite: scales from 0 to 1, the rows of a line, and how it is written."""

from __future__ import annotations

import math

import pytest

from earmark.report.rows import Row
from earmark.report.suites import (
    CSV_HEAD,
    LineRecord,
    PublishedRow,
    SuiteMean,
    SuiteRow,
    SuiteTable,
    choose_rows,
    csv_lines,
    ears_of,
    official_metric,
    published_lines,
    table_head,
    table_lines,
    table_notes,
    table_parts,
    unit_metric,
)
from earmark.scorers import judge
from earmark.scorers.bleu import BleuScorer
from earmark.scorers.wer import WerScorer
from earmark.stats.difference import Difference
from earmark.stats.estimate import Estimate
from earmark.stats.ratio import ratio
from earmark.types import STATES, Metric, TaskFacts


def row(task: str, value: float | None = 0.5, condition: str = "plain", scorer: str = "choice") -> Row:
    states: dict[str, int] = {**dict.fromkeys(STATES, 0)}
    return Row(
        task, condition, scorer, scorer, 10, states, {"accuracy": Estimate(value, why="" if value else "1 of 2")}
    )


def test_a_share_stays_what_it_is() -> None:
    share = ratio("right", "n")
    assert unit_metric(share) is share


@pytest.mark.parametrize(
    ("metric", "counts", "expected"),
    [
        (
            next(iter(judge.JudgeScorer(judge.Settings(prompt="voicebench")).metrics.values())),
            {"rating": 8.0, "judged": 2.0},
            0.75,
        ),
        (Metric(lambda counts: counts["x"], limits=(0, 100)), {"x": 40.0}, 0.4),
        (Metric(lambda counts: counts["x"], "lower", limits=(0.0, math.inf)), {"x": 0.3}, 0.7),
        (Metric(lambda counts: counts["x"], "lower", limits=(0.0, math.inf)), {"x": 1.7}, 0.0),
        (Metric(lambda counts: counts["x"], "lower", share=("x", "n")), {"x": 0.25, "n": 1.0}, 0.75),
    ],
)
def test_every_scale_becomes_one_from_0_to_1(metric: Metric, counts: dict[str, float], expected: float) -> None:
    unit = unit_metric(metric)
    assert unit is not None
    assert float(unit.value(counts)) == pytest.approx(expected)
    assert unit.better == "higher"
    assert unit.limits == (0.0, 1.0)


def test_a_number_without_a_scale_has_none() -> None:
    assert unit_metric(Metric(lambda counts: counts["x"])) is None
    assert unit_metric(Metric(lambda counts: counts["x"], limits=(0.0, math.inf))) is None


def test_headlines_of_recognition_and_translation_have_a_scale() -> None:
    for scorer in (WerScorer(), BleuScorer()):
        assert unit_metric(next(iter(scorer.metrics.values()))) is not None


AVERAGES = {"half": ("a", "b"), "overall": ("a", "b", "c")}


@pytest.mark.parametrize(
    ("name", "wanted", "tasks", "expected"),
    [
        ("x", (), {"a": 0.5, "b": 0.5, "c": 0.5, "half": 0.5, "overall": 0.5}, ["overall"]),
        ("x", (), {"a": 0.5, "b": 0.5, "half": 0.5, "overall": None}, ["half"]),
        ("x", (), {"a": 0.5, "c": 0.5, "half": None, "overall": None}, ["overall", "a", "c"]),
        ("x:a,c", (), {"a": 0.5, "c": 0.5, "half": None, "overall": None}, ["a", "c"]),
        ("x", ("half", "c"), {"a": 0.5, "b": 0.5, "c": 0.5, "half": 0.5, "overall": 0.5}, ["half", "c"]),
    ],
)
def test_a_line_shows_its_average_or_else_its_tasks(
    name: str, wanted: tuple[str, ...], tasks: dict[str, float | None], expected: list[str]
) -> None:
    rows = [row(task, value) for task, value in tasks.items()]
    rows += [row("a", 0.1, "silence"), row("a", 0.1, scorer="choice ours")]
    assert [found.task for found in choose_rows(LineRecord(name, wanted), rows, AVERAGES)] == expected


def test_of_many_tasks_without_an_average_one_row_is_shown() -> None:
    rows = [row(str(number)) for number in range(13)]
    (shown,) = choose_rows(LineRecord("x", run="results/x"), rows, {})
    assert (shown.task, shown.n, shown.headline[1].value) == ("13 tasks", 130, None)
    assert "earmark show results/x" in shown.headline[1].why
    halves = {"low": ("0", "1"), "inner": ("2", "3"), "outer": ("2", "3", "4")}
    rows += [row(name) for name in halves]
    assert [found.task for found in choose_rows(LineRecord("x"), rows, halves)] == ["low", "outer"]


def test_the_kind_and_the_name_of_an_average_are_those_of_its_tasks() -> None:
    facts = {"a": TaskFacts(metric="WER", needs_ears="no"), "b": TaskFacts(metric="WER", needs_ears="no")}
    assert (ears_of(facts, ["a", "b"]), official_metric(facts, ["a", "b"], "wer")) == ("no", "WER")
    assert (ears_of(facts, ["a", "c"]), official_metric(facts, ["a", "c"], "wer")) == ("mixed", "wer")


def example() -> SuiteTable:
    apart = Difference(0.4, 0.5, 0.1, -0.05, 0.25, 10, p=0.2)
    rows = [
        SuiteRow("mmau", "", "yes", "accuracy", row("overall"), Estimate(0.4), apart, None, "", "results/x"),
        SuiteRow("fleurs", problem="no data"),
    ]
    mean = SuiteMean("yes", row("yes"), ("mmau",), ("mmar",), 0.4, apart)
    published = [PublishedRow("mmau", "overall", "Kimi-Audio", 65.2, "accuracy", "its report")]
    return SuiteTable("mine", "Mine", "m", "other", rows, [mean], ["mmau:speech"], [], [], published)


def test_every_line_has_as_many_cells_as_the_head() -> None:
    table = example()
    assert {len(line) for line in table_lines(table)} == {len(table_head(table))}
    assert {len(line) for line in csv_lines(table)} == {len(CSV_HEAD)}
    for head, lines in table_parts(table):
        assert {len(line) for line in lines} == {len(head)}
    assert sum(len(head) - 2 for head, _ in table_parts(table)) == len(table_head(table)) - 2


def test_what_is_not_whole_says_so() -> None:
    table = example()
    assert table_lines(table)[-1][0] == "needs ears (1 of 2)"
    notes = "\n".join(table_notes(table))
    for words in ("fleurs: no data", "needs ears (1 of 2): without mmar", "in no mean: mmau:speech", "m minus other"):
        assert words in notes


def test_a_published_number_is_marked_and_has_no_interval() -> None:
    table = example()
    ((*_, number, date, source),) = published_lines(table)
    assert (number, date) == ("65.2 %", "date not stated")
    assert "its report" in source
    line = dict(zip(CSV_HEAD, csv_lines(table)[-1], strict=True))
    assert (line["kind"], line["value"], line["low"], line["difference_p"]) == ("published", 0.652, None, None)
