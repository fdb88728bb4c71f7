"""Beside a score: whether it is above guessing, and what unread replies took of it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from earmark.journal import Record
from earmark.report.aggregates import Aggregates
from earmark.report.rows import Row
from earmark.report.table import footnotes, full_table, rows_table
from earmark.scorers.choice import ChoiceScorer
from earmark.types import Item, Response, Score


def row(right: int, unread: int = 0, n: int = 20, repeats: int = 1, labels: str = "AB", task: str = "t") -> Row:
    """A row of so many right and unread replies, the same in every repeat."""
    cells, scorer = Aggregates(), ChoiceScorer()
    for repeat in range(repeats):
        for at in range(n):
            item = Item(f"i{at}", task, choices=tuple(labels), labels=tuple(labels), targets=("A",))
            answer = "A" if at < right else None if at < right + unread else "B"
            state = "unparsed" if answer is None else "answered"
            record = Record(item, repeat=repeat, response=Response(answer or "hm"))
            cells.add(record, scorer, Score(scorer.counts(item, answer), answer, state))  # type: ignore[arg-type]
    (found,) = cells.to_rows()
    return found


@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize(("right", "labels"), [(15, "AB"), (9, "AB"), (9, "ABCD"), (0, "AB"), (20, "AB")])
def test_above_guessing_is_the_tail_of_a_binomial(right: int, labels: str, repeats: int) -> None:
    found = row(right, repeats=repeats, labels=labels)
    assert found.p_guess == pytest.approx(scipy.stats.binomtest(right, 20, 1 / len(labels), "greater").pvalue)


def test_guessing_is_seldom_found_above_guessing() -> None:
    dice = np.random.default_rng(0)
    found = [row(int(dice.binomial(20, 0.5))).p_guess or 0.0 for _ in range(300)]
    assert np.mean(np.array(found) < 0.05) <= 0.05


def test_a_star_is_adjusted_over_the_rows() -> None:
    """15 of 20 has p = 0.021: one row of one, and none of three."""
    alone, good = row(15), row(19, task="u")
    assert rows_table([alone])[0][-1] == "0.500*"
    assert full_table([alone])[0][-1] == "0.500*"
    assert footnotes([alone])[-1].startswith("*: above guessing, p < 0.05")
    rows = [alone, row(12, task="v"), row(10, task="w")]
    assert [line[-1] for line in rows_table(rows)] == ["0.500"] * 3
    assert footnotes(rows)[-1].startswith("no score is significantly above guessing")
    assert [line[-1] for line in rows_table([alone, good])] == ["0.500*", "0.500*"]


def test_what_unread_replies_took_is_told_where_guessing_gets_a_half() -> None:
    told = [line for line in footnotes([row(8, unread=6)]) if "unparsed or" in line]
    assert told == ["t plain: 6 unparsed or refused score 0; guesses instead would add 0.150 to accuracy"]
    assert not [line for line in footnotes([row(8, unread=6, labels="ABCD")]) if "unparsed or" in line]
