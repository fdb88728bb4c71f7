"""Asking a judge: both orders, votes, and its failures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from judge_cases import ITEM, by, noted, scored, words

from earmark.errors import Rejected
from earmark.judges.asking import Vote as Once
from earmark.judges.asking import tally_votes
from earmark.judges.prompts import JudgePrompt, find_prompt
from earmark.scorers import judge
from earmark.types import Clip, Prompt, replace


def test_pairs_of_public_bug_reports(cases: dict[str, Any]) -> None:
    rows = [judge.merge_orders(pair["order_AB"], pair["order_BA"]) for pair in cases["f10"]["input"]["pairs"]]
    words = {"first": "A", "second": "B", "tie": "tie"}
    told = [words[verdict] + ("" if consistent else " (inconsistent)") for verdict, consistent in rows]
    assert told == cases["f10"]["expected"]["verdicts"]
    assert sum(not consistent for _, consistent in rows) / len(rows) == cases["f10"]["expected"]["inconsistency_rate"]


def votes(ask: JudgePrompt, *values: Any) -> Any:
    return tally_votes([Once(value, "marked" if value is not None else "no verdict", "") for value in values], ask)


def test_votes_by_hand() -> None:
    word, rating = find_prompt("sakura"), find_prompt("audiobench")
    assert votes(word, "correct", "incorrect", "correct").value == "correct"
    assert votes(word, "correct", "incorrect").value is None  # no majority
    assert votes(word, "correct", None, None).value is None  # most gave none
    assert votes(word, "correct", None, "correct").value == "correct"
    assert votes(rating, 4.0, 5.0, 3.0).value == 4.0
    assert votes(rating, 4.0, None).value is None
    found = votes(rating, 4.0, 4.0, 3.0)
    assert (found.pairs, found.n_agreeing) == (3, 1)
    assert votes(find_prompt("air-bench"), (8.0, 6.0), (6.0, 6.0)).value == (7.0, 6.0)


def test_a_judge_that_cannot_be_reached_has_failed_too() -> None:
    def refuse(_: Prompt) -> str:
        raise Rejected("HTTP 400: too long")

    found = scored(by(refuse), "A robin.")
    assert (found.state, found.rule, found.explanation) == ("judge-failed", "no reply", "HTTP 400: too long")


def air(first: float, second: float) -> Callable[[Prompt], str]:
    """A judge who gives what stands first so much, and what stands second so much."""
    return lambda _: f"{first:g} {second:g}\nfor reasons"


def test_a_pair_is_asked_in_both_orders() -> None:
    seen: list[str] = []

    def likes_robins(prompt: Prompt) -> str:
        text = words(prompt)
        seen.append(text)
        return "9 6" if text.index("robin it is") < text.index("a robin\n") else "6 8"

    item = replace(ITEM, clips=(Clip("a.wav", transcript="birdsong at dawn"),))
    scorer = by(likes_robins, prompt="air-bench")
    found = scored(scorer, "robin it is", item)
    assert found.answer == "win"
    assert (found.counts["rating"], found.counts["reference"]) == (8.5, 6.0)
    assert (found.counts["inconsistent"], found.counts["first"], found.counts["second"]) == (0.0, 1.0, 1.0)
    assert [text.index("robin it is") < text.index("a robin\n") for text in seen] == [False, True]
    assert "birdsong at dawn" in seen[0]


def test_a_judge_that_likes_what_stands_first_makes_a_tie_and_is_shown() -> None:
    scorer = by(air(9, 5), prompt="air-bench")
    found = scored(scorer, "A wren.")
    assert (found.answer, found.rule) == ("tie", "inconsistent")
    values = {name: float(metric.value(found.counts)) for name, metric in scorer.metrics.items() if "vote" not in name}
    expected = {"rating": 7, "reference": 7, "win_rate": 0, "tie_rate": 1, "inconsistent": 1, "first_bias": 1}
    assert values == expected


def test_an_empty_answer_loses_and_tells_nothing_of_the_judge() -> None:
    scorer = by(air(6, 5), prompt="air-bench")
    both = scored(scorer, "").counts, scored(scorer, "A wren.").counts
    sums = {name: both[0][name] + count for name, count in both[1].items()}
    values = {name: float(metric.value(sums)) for name, metric in scorer.metrics.items() if "vote" not in name}
    assert values["first_bias"] == 1, "of the orders that were asked about"
    assert values["reference"] == 5.5, "of the references that were rated"
    assert (values["rating"], values["win_rate"], values["tie_rate"]) == ((1 + 5.5) / 2, 0, 0.5)


def test_votes_differ_in_their_seed_alone_and_their_agreement_is_counted() -> None:
    seen: list[Prompt] = []
    replies = iter(["Rating: 4", "Rating: 4", "Rating: 1"])
    scorer = by(noted(seen, lambda _: next(replies)), votes=3)
    found = scored(scorer, "A robin.")
    assert found.counts == {"rating": 3.0, "judged": 1.0, "pairs": 3.0, "agreed": 1.0}
    assert float(scorer.metrics["vote_agreement"].value(found.counts)) == pytest.approx(1 / 3)
    assert [prompt.sampling.get("seed") for prompt in seen] == [None, 1, 2]
    assert len({prompt.turns for prompt in seen}) == 1
