"""Items that nobody knows the answer to, by every scorer that reads a choice."""

from __future__ import annotations

import asyncio

import pytest
from commands import earmark

from earmark.journal import Record
from earmark.runs.scoring import score_record
from earmark.scorers import binary_choice, choice, classes, listen
from earmark.text.choice_parser import reading_note
from earmark.types import Failure, Item, Response, Scorer, replace

OPEN = Item("1", choices=("cat", "dog"), labels=("A", "B"))  # without a target


@pytest.mark.parametrize(
    "scorer",
    [
        choice.ChoiceScorer(),
        choice.ChoiceScorer(choice.Settings(multi_select=True)),
        classes.ClassesScorer(),
        listen.ListenScorer(),
        binary_choice.BinaryChoiceScorer(),
    ],
    ids=lambda scorer: f"{scorer.name}-{getattr(scorer, 'multi_select', '')}",
)
def test_a_failed_request_about_an_item_without_a_target_is_counted(scorer: Scorer) -> None:
    earned = asyncio.run(score_record(Record(OPEN, failure=Failure("request-failed", "gone")), scorer))
    assert earned.state == "request-failed"
    worst, best = scorer.bounds(OPEN)
    assert worst == best == earned.counts


@pytest.mark.parametrize(
    ("reply", "right"), [("A", 1), ("B", 1), ("yes", 1), ("The answer is yes.", 1), ("C", 0), ("no", 0)]
)
@pytest.mark.parametrize("target", ["A", "B"])
@pytest.mark.parametrize("several", [False, True])
def test_both_labels_of_a_doubled_option_are_right(reply: str, right: int, target: str, several: bool) -> None:
    item = Item("1", choices=("yes", "yes", "no"), labels=("A", "B", "C"), targets=(target,))
    earned = asyncio.run(choice.ChoiceScorer(choice.Settings(multi_select=several)).score(item, Response(reply)))
    assert earned.counts["right"] == right
    assert earned.counts["chance"] == pytest.approx(1 / 3 if several else 2 / 3)


def test_the_question_tells_which_of_two_sounds_is_asked_for() -> None:
    sounds = Item("1", choices=("the first", "the second"), labels=("A", "B"), targets=("B",))
    for question, right in (("Which one is louder?", 1.0), ("Which one is softer?", 0.0)):
        earned = asyncio.run(choice.ChoiceScorer().score(replace(sounds, question=question), Response("A is softer.")))
        assert (earned.state, earned.counts["right"]) == ("answered", right)


def test_the_error_of_the_reader_is_told_where_it_may_matter() -> None:
    ours, theirs = choice.ChoiceScorer().signature, choice.ChoiceScorer(choice.Settings("mmau")).signature
    assert reading_note([(ours, 0), (theirs, 3)]) == []
    (line,) = reading_note([(ours, 1)])
    assert "read by hand" in line


@pytest.mark.parametrize(("reply", "told"), [("B", False), ("It is a lovely recording.", True)])
def test_a_run_with_unparsed_replies_tells_the_error_of_the_reader(reply: str, told: bool) -> None:
    done = earmark("run", "acoustics:pitch", "items=4", "model=fake", f"model.reply={reply}")
    assert done.returncode == 0, done.stderr
    assert ("choices are read by rules" in " ".join((done.stdout + done.stderr).split())) == told


def test_a_denominator_of_what_was_read_is_in_the_signature() -> None:
    """AIR-Bench and MMSU leave unread replies out; ours stands beside it and leaves nothing out."""
    scorer = choice.ChoiceScorer(choice.Settings(parser="air-bench", denominator="read"))
    item = Item("1", choices=("cat", "dog"), labels=("A", "B"), targets=("A",))
    replies = ("A", "B", "", "hm")
    counts = [asyncio.run(scorer.score(item, Response(reply))).counts for reply in replies]
    total = {name: sum(each[name] for each in counts) for name in counts[0]}
    assert {name: metric.value(total) for name, metric in scorer.metrics.items()} == {
        "accuracy_read": 0.5,
        "accuracy": 0.25,
    }
    assert next(iter(scorer.metrics)) == "accuracy_read"
    assert ("denominator", "read") in scorer.signature.settings
