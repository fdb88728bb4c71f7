"""Two runs side by side: from what is written in their folders to a table, and what must be said under it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from commands import earmark
from servers import said, serving, words

from earmark.stats.compare import bonett_price, mcnemar
from earmark.stats.planning import items_to_show

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
    assert (found["n"], row["not_in_candidate"], row["not_in_baseline"]) == (40, 0, 0)
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
        f"all plain: accuracy, detecting a true difference of 0.1 needs about {needed:,} pairs, "
        "if runs disagree as these do; there are 40" in sought
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
    assert (row["difference"]["n"], row["not_in_candidate"], row["not_in_baseline"]) == (25, 0, 15)
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
    told = json.loads((second / "metrics.json").read_text())
    (second / "metrics.json").write_text(
        json.dumps({name: value for name, value in told.items() if name != "scored"})
    )  # as before these were compared
    found = compared(first, second)
    assert found["rows"][0]["difference"]["n"] == 37
    assert "3 answers of the candidate have no score or a stale one" in found["notes"]


def test_repeats_are_pairs_and_their_items_are_groups() -> None:
    first, second = asked("one", half, "repeats=2"), asked("two", most, "repeats=2")
    found = compared(first, second)["rows"][0]["difference"]
    assert (found["n"], found["groups"]) == (80, 40)
    assert found["test"] == "permutation"
    assert found["method"] == "Bonett-Price"  # over 40 questions, however often they were asked
