"""Comparison of two runs: groups, the order of rows, and what must be said under the table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from earmark.journal import Record, ScoreLine
from earmark.report.comparison import Comparison, compare_runs
from earmark.report.comparison_table import comparison_table, footnotes
from earmark.report.run_scores import RunInfo, RunScores, ScoringRules
from earmark.scorers import choice
from earmark.stats.compare import mcnemar
from earmark.types import Failure, Item, Response


def rules(_: str, name: str) -> ScoringRules:
    return ScoringRules(name, choice.METRICS)


def side(
    name: str, marks: Iterable[tuple[str, str, float]], *, groups: bool = True, benchmark: dict[str, Any] | None = None
) -> RunScores:
    """A run from (task, id, right), where items of one speaker have ids such as `anna-3`."""
    marks = list(marks)
    lines = [
        ScoreLine(task, item, "plain", 0, "choice", "answered", counts={"right": mark, "n": 1.0})
        for task, item, mark in marks
    ]
    records = [
        Record(
            Item(item, task, group=item.partition("-")[0]), prompt_digest="1", audio_digest="2", response=Response("A")
        )
        for task, item, _ in marks
    ]
    return RunScores(RunInfo(name, benchmark or {}), rules, lines, records if groups else [])


def speakers(gain: float) -> list[tuple[str, str, float]]:
    return [
        ("t", f"{name}-{item}", float((item + at) % 5 > 2 - gain))
        for at, name in enumerate(("anna", "bert", "carl", "dora", "emil", "fina"))
        for item in range(5)
    ]


def test_groups_come_from_the_journal() -> None:
    found = compare_runs(side("a", speakers(0)), side("b", speakers(1))).rows[0].difference
    assert (found.n, found.groups, found.test) == (30, 6, "exact permutation")
    assert found.p == pytest.approx(2 / 2**6)
    alone = compare_runs(side("a", speakers(0), groups=False), side("b", speakers(1), groups=False)).rows[0].difference
    assert (alone.n, alone.groups, alone.test) == (30, 30, "exact McNemar")


def test_rows_come_in_the_order_of_the_benchmark_and_holm_goes_over_all() -> None:
    marks = [(task, str(at), float(at % 3 == 0)) for task in ("z", "a") for at in range(30)]
    better = [(task, item, 1.0 if task == "z" else mark) for task, item, mark in marks]
    first, second = side("a", marks, benchmark={"tasks": ["a", "z"]}), side("b", better)
    found = compare_runs(first, second)
    assert [row.task for row in found.rows] == ["a", "z"]
    assert [row.difference.p for row in found.rows] == [1.0, mcnemar(20, 0)]
    assert [row.p_holm for row in found.rows] == [1.0, 2 * mcnemar(20, 0)]
    assert comparison_table(found.rows)[1][:5] == ("z", "plain", "0.333", "1.000", "+0.667")


def test_what_only_one_run_has_and_other_rules_are_told() -> None:
    first = side("a", [("t", "1", 1.0), ("u", "1", 1.0), ("v", "1", 1.0)])
    second = side("b", [("t", "1", 1.0), ("t", "2", 0.0)])
    second.rules = lambda _, __: ScoringRules("choice|reader:other", choice.METRICS)
    found = compare_runs(first, second)
    assert (found.rows[0].not_in_candidate, found.rows[0].not_in_baseline) == (0, 1)
    assert "only in the baseline: u plain; v plain" in found.notes
    assert "t: scored by choice in the baseline and by choice|reader:other in the candidate" in found.notes


def test_other_words_and_recordings_are_counted() -> None:
    lines = [
        ScoreLine("t", str(at), "plain", 0, "choice", "answered", counts={"right": 1.0, "n": 1.0}) for at in range(4)
    ]
    before = [
        Record(Item(str(at), "t"), prompt_digest="a", audio_digest="b", response=Response("A")) for at in range(4)
    ]
    after = [
        Record(Item(str(at), "t"), prompt_digest="ac"[at % 2], audio_digest="d" if at else "", response=Response("A"))
        for at in range(4)
    ]
    found = compare_runs(RunScores(RunInfo("a"), rules, lines, before), RunScores(RunInfo("b"), rules, lines, after))
    assert found.notes == [
        "different prompts: 2 pairs, of t plain 2",
        "different recordings: 3 pairs, of t plain 3",
    ]


def test_an_answer_after_its_score_is_told() -> None:
    lines = [ScoreLine("t", "1", "plain", 0, "choice", "request-failed", counts={"right": 0.0, "n": 1.0})]
    item = Item("1", "t")
    failed = Record(item, failure=Failure("request-failed", "busy", final=False))
    first, second = (
        RunScores(RunInfo(name), rules, lines, records)
        for name, records in (("a", [failed]), ("b", [failed, Record(item, response=Response("A"))]))
    )
    found: Comparison = compare_runs(first, second)
    assert found.notes == ["1 answers of the candidate have no score or a stale one"]
    assert any("1 of the pairs failed in the baseline and 1 in the candidate" in note for note in footnotes(found))
