"""The rule of MMAU and MMAR on real replies and real questions, and its laws."""

from __future__ import annotations

import asyncio
import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from earmark.journal import Record
from earmark.scorers.token_match import Settings, TokenMatchScorer
from earmark.text.published_parsers import mmau
from earmark.text.token_match import token_match
from earmark.types import Item, Response

# Right of 1,000 by MMAU's own script (battery2, section 6).
RIGHT = {
    "qwen2-5-caption-gpt4o": 608, "qwen2-caption-gpt4o": 574, "qwen2-caption-sub-gpt4o": 588,
    "qwen2-caption-with-question-gpt4o-cot": 582, "r1-aqa-5-caption-gpt4o": 641,
    "r1-aqa-5-caption-with-question-gpt4o-cot": 581, "r1-aqa-caption-with-question-gpt4o": 627,
    "whisper-sampling-gpt4o": 520, "qwen2": 529, "r1-aqa": 645, "r1-aqa-caption-sub-gpt4o": 617,
    "gpt-4o-20241120": 348, "audio-reasoner": 276,
}  # fmt: skip


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def replies(shared: Path, system: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Each question with a system's reply."""
    folder = shared / "data/mmau_replies"
    by_id = {line["id"]: line["reply"] for line in read_lines(folder / f"replies/{system}.jsonl")}
    return ((item, by_id[item["id"]]) for item in read_lines(folder / "items.jsonl"))


@pytest.mark.parametrize("system", RIGHT)
def test_it_counts_what_the_official_script_counts(shared: Path, system: str) -> None:
    pairs = list(replies(shared, system))
    right = [token_match(reply or "", item["answer"], item["choices"]) for item, reply in pairs]
    assert (len(pairs), sum(right)) == (1000, RIGHT[system])


def test_every_printed_line_comes_out_to_both_decimals(shared: Path) -> None:
    columns = {"task": "task", "difficulty": "difficulty", "sub-category": "sub-category", "skill": "sub-category"}
    verdicts: dict[str, list[tuple[dict[str, Any], bool]]] = {}
    checked = 0
    with (shared / "data/mmau_replies/official_output.csv").open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            if line["n"] == "0":
                continue
            if line["system"] not in verdicts:
                verdicts[line["system"]] = [
                    (item, token_match(reply or "", item["answer"], item["choices"]))
                    for item, reply in replies(shared, line["system"])
                ]
            column = columns.get(line["by"].lower())
            chosen = [right for item, right in verdicts[line["system"]] if not column or item[column] == line["value"]]
            assert (len(chosen), f"{100 * sum(chosen) / len(chosen):.2f}") == (int(line["n"]), line["accuracy_percent"])
            checked += 1
    assert checked == 272


def test_a_reader_of_choices_is_not_this_rule(shared: Path) -> None:
    """It gives the only option that the rule would accept, and loses replies for which there are two."""
    pairs = list(replies(shared, "r1-aqa"))
    read = 0
    for item, reply in pairs:
        labels = "ABCDEFGHIJ"[: len(item["choices"])]
        answer = mmau(reply, labels, item["choices"]).answer
        read += answer is not None and item["choices"][labels.index(answer)] == item["answer"]
    assert read == 640 < RIGHT["r1-aqa"]


@pytest.mark.parametrize("name", ["mmau/mmau-test-mini.json", "mmau/mmau-test-mini-2025-05-16.json"])
def test_the_right_text_as_the_reply_is_right_also_where_it_is_no_option(shared: Path, name: str) -> None:
    items = json.loads((shared / "data" / name).read_text(encoding="utf-8"))
    assert sum(token_match(item["answer"], item["answer"], item["choices"]) for item in items) == len(items) == 1000


OFFICIAL = TokenMatchScorer()


def scored(item: Item, reply: str, scorer: TokenMatchScorer = OFFICIAL) -> dict[str, float]:
    counts = asyncio.run(scorer.score(item, Response(reply))).counts
    return {name: float(metric.value(counts)) for name, metric in scorer.metrics.items()}


def test_a_gold_that_is_no_option_is_judged_by_its_text() -> None:
    item = Item("1", choices=("a man", "a woman"), labels=("A", "B"), extra={"answer": "a child"})
    assert scored(item, "A child speaks.") == {"accuracy": 1, "accuracy_answered": 1}
    assert scored(item, "a man or a child")["accuracy"] == 0


def test_what_has_no_reply_leaves_the_official_denominator_and_not_ours() -> None:
    item = Item("1", choices=("man", "woman"), labels=("A", "B"), targets=("A",))
    worst, best = TokenMatchScorer().bounds(item)
    one_right = asyncio.run(TokenMatchScorer().score(item, Response("man"))).counts
    both = {name: one_right[name] + worst[name] for name in worst}
    assert TokenMatchScorer().metrics["accuracy"].value(both) == 0.5
    assert next(iter(TokenMatchScorer(Settings("answered")).metrics)) == "accuracy_answered"
    assert TokenMatchScorer(Settings("answered")).metrics["accuracy_answered"].value(both) == 1
    assert scored(item, "") == {"accuracy": 0, "accuracy_answered": 0}  # an empty reply is a reply
    assert best["right"] == 1


def test_what_a_scorer_needs_is_in_the_journal_and_no_slice() -> None:
    item = Item("1", "t", extra={"answer": "x", "rubric": [{"points": [0, 1]}]}, tags={"layer": "sound"})
    line = msgspec.json.encode(Record(item, "", response=Response("x")))
    assert msgspec.json.decode(line, type=Record).item == item
    assert item.tags == {"layer": "sound"}
