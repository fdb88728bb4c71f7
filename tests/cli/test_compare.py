"""Two runs side by side: from what is written in their folders to a table, and what must be said under it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from commands import earmark
from servers import said, serving, words

from earmark.journal import Record, ScoreLine
from earmark.report.aggregates import Aggregate, RowKey, aggregate_row
from earmark.report.comparison import Comparison, compare_runs, comparison_table, footnotes
from earmark.report.run_scores import RunInfo, RunScores, ScoringRules
from earmark.runs.run_scores import _packaged_scorer
from earmark.scorers import choice, listen, wer
from earmark.stats.compare import bonett_price, mcnemar
from earmark.stats.count_table import CountTable
from earmark.stats.planning import items_to_show
from earmark.types import Failure, Item, Response, replace

ITEMS = 40  # of tests/mine/bench.py: the right answer to every second is B


def right(item: int) -> str:
    return "AB"[item % 2]


def wrong(item: int) -> str:
    return "BA"[item % 2]


def half(item: int) -> str:
    return right(item) if item < 20 else wrong(item)


def most(item: int) -> str:
    return wrong(item) if item in (3, 30, 31) else right(item)


def asked(name: str, reply: Callable[[int], str | None], *more: str) -> Path:
    """A run whose model answers by the number of the item; None is an answer that fails."""

    def answer(body: dict[str, Any], _: int) -> web.Response:
        found = re.search(r"\((\d+)\)", words(body))
        text = reply(int(found[1])) if found else ""
        return web.Response(status=400, text="{}") if text is None else said(text)

    before = set(Path("results").rglob("run.json"))
    with serving(answer) as server:
        done = earmark("run", "mine.bench", f"items={ITEMS}", f"model={server.url}", f"model.name={name}", *more)
    assert done.returncode in (0, 7), done.stderr
    (made,) = set(Path("results").rglob("run.json")) - before
    return made.parent


def compared(*words: object) -> Any:
    done = earmark("compare", *map(str, words), "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_two_runs() -> None:
    first, second = asked("one", half), asked("two", most)
    (row,) = compared(first, second)["rows"]
    found = row["difference"]
    assert (row["task"], row["condition"], row["metric"], row["better"]) == ("all", "plain", "accuracy", "higher")
    assert (found["baseline"], found["candidate"]) == (0.5, 37 / 40)
    assert (found["low"], found["high"]) == pytest.approx(bonett_price(18, 1, 40))
    assert found["p"] == row["p_holm"] == pytest.approx(mcnemar(18, 1))
    assert (found["n"], row["only_baseline"], row["only_candidate"]) == (40, 0, 0)
    shown = earmark("compare", str(first), str(second)).stdout
    assert "two minus one: accuracy (higher is better)" in shown
    assert "+0.425" in shown
    assert "exact McNemar" in shown
    assert "<0.001" in shown
    assert str(first) in shown
    assert "a true difference" not in shown
    needed = items_to_show(0.1, 19 / 40)
    sought = earmark("compare", str(first), str(second), "--difference", "0.1").stdout
    assert (
        f"all plain: accuracy, a true difference of 0.1 takes about {needed:,} pairs, if runs disagree as these do; "
        "there are 40" in sought
    )
    assert earmark("compare", str(first), str(second), "--difference", "0").returncode == 2
    assert "not the same questions" not in shown
    back = compared(second, first)["rows"][0]["difference"]
    assert back["value"] == pytest.approx(-found["value"])
    assert back["p"] == found["p"]
    metrics = [row["metric"] for row in compared(first, second, "--all")["rows"]]
    assert metrics[:2] == ["accuracy", "accuracy_read"]
    assert [row["metric"] for row in compared(first, second, "--metric", "accuracy_read")["rows"]] == ["accuracy_read"]
    done = earmark("compare", str(first), str(second), "--metric", "loudness")
    assert done.returncode == 2
    assert "no metric is called 'loudness' in both runs; there are: accuracy, accuracy_read" in done.stderr


def test_a_run_that_was_cut_short_is_compared_as_far_as_it_goes() -> None:
    first, second = asked("one", half), asked("two", most)
    whole = compared(first, second)["rows"][0]
    lines = (first / "responses.jsonl").read_bytes().splitlines(keepends=True)
    (first / "responses.jsonl").write_bytes(b"".join(lines[:25]) + lines[25][:40])
    for derived in ("scores.jsonl", "metrics.json"):
        (first / derived).unlink()
    (row,) = compared(first, second)["rows"]
    assert (row["difference"]["n"], row["only_baseline"], row["only_candidate"]) == (25, 0, 15)
    assert whole["difference"]["n"] == 40


def test_other_questions_are_told() -> None:
    first = asked("one", right)
    second = asked("two", right, "items=30", "question=Who?")
    found = compared(first, second)
    assert found["rows"][0]["difference"]["n"] == 30
    assert "settings.items was 40 and is 30" in found["notes"][0]
    assert "different prompts: 30 pairs, of all plain 30" in found["notes"]
    third = asked("three", right, "condition=silence")
    done = earmark("compare", str(first), str(third))
    assert done.returncode == 3
    assert "have no question in common" in done.stderr
    assert earmark("compare", str(first), "nowhere").returncode == 3


def test_failures_are_told_with_the_difference_without_them() -> None:
    first, second = asked("one", right), asked("two", lambda item: None if item < 4 else right(item))
    row = compared(first, second)["rows"][0]
    assert row["difference"]["value"] == pytest.approx(-0.1)
    assert (row["failed_baseline"], row["failed_candidate"], row["without_failed"]) == (0, 4, 0.0)
    shown = earmark("compare", str(first), str(second)).stdout
    assert "0 of the pairs failed in the baseline and 4 in the candidate" in shown
    assert "without them the difference is +0.000" in shown


def test_answers_that_have_no_score_are_told() -> None:
    first, second = asked("one", half), asked("two", most)
    lines = (second / "scores.jsonl").read_bytes().splitlines(keepends=True)
    (second / "scores.jsonl").write_bytes(b"".join(lines[3:]))
    found = compared(first, second)
    assert found["rows"][0]["difference"]["n"] == 37
    assert "3 answers of the candidate have no score or a stale one" in found["notes"]


def test_repeats_are_pairs_and_their_items_are_groups() -> None:
    first, second = asked("one", half, "repeats=2"), asked("two", most, "repeats=2")
    found = compared(first, second)["rows"][0]["difference"]
    assert (found["n"], found["groups"]) == (80, 40)
    assert found["test"] == "permutation"
    assert found["method"] == "Bonett-Price"  # over 40 questions, however often they were asked


@pytest.mark.parametrize(
    "scorer",
    [choice.Settings(), listen.Settings(policy="official"), listen.Settings(denominator="read"), wer.Settings()],
)
def test_a_scorer_is_made_again_from_its_settings(scorer: Any) -> None:
    bags = CountTable()
    bags.add({"n": 1.0}, "g")
    written = aggregate_row(RowKey("t", "plain", scorer.name), Aggregate(scorer, bags))
    assert _packaged_scorer(written) == scorer
    assert _packaged_scorer(replace(written, signature=f"{scorer.name}|colour:red")) is None
    assert _packaged_scorer(replace(written, settings={"colour": "red"})) is None
    assert _packaged_scorer(replace(written, scorer="nobody")) is None


# ---------------------------------------------------------------- without folders


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
    assert (found.rows[0].only_baseline, found.rows[0].only_candidate) == (0, 1)
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
