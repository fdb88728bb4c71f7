"""Laws over all scorers: a failure or a refusal is never better than an answer, also where silence is right."""

from __future__ import annotations

import asyncio
import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pytest
from contract import every_example
from hypothesis import given
from hypothesis import strategies as st

from earmark.engine.load import load_scorer
from earmark.journal import Record
from earmark.judges.asking import Judge
from earmark.models.fake import FakeModel
from earmark.report.aggregates import Aggregates
from earmark.report.rows import Row
from earmark.runs.scoring import score_record
from earmark.scorers.bleu import BleuScorer
from earmark.types import Failure, Item, Metric, Response, Score, Scorer, replace

EXAMPLES: Final = every_example("scorers")
NEUTRAL: Final = {name: {*example.neutral} for name, example in EXAMPLES}
REFUSAL_IS_RIGHT: Final = {name for name, example in EXAMPLES if example.refusal_is_right}
WORDS: Final = ("aa", "bb", "cc", "dd", "ee")  # of one length, so that no more words are no more letters
TEXTS: Final[tuple[tuple[str, Mapping[str, Any]], ...]] = (
    *[(name, example.settings) for name, example in EXAMPLES if example.any_words],
    ("examples.brief", {}),
    *[("judge", {"judge": "fake", "prompt": prompt}) for prompt in ("audiobench", "sakura", "air-bench")],
)
CHOICES: Final[tuple[tuple[str, Mapping[str, Any]], ...]] = tuple(
    (name, example.settings) for name, example in EXAMPLES if example.item.labels and example.right is not None
)


def loaded(name: str, settings: Mapping[str, Any]) -> Scorer:
    scorer = load_scorer(name, settings)
    if name != "judge":
        return scorer
    verdicts = {"audiobench": "Rating: {}", "sakura": "Judgement: {}", "air-bench": "{}"}
    said = {"audiobench": "0 3 5", "sakura": "correct incorrect", "air-bench": "1|10 10|1 5|5"}[settings["prompt"]]
    pick = functools.partial(_verdict, verdicts[settings["prompt"]], said.split())
    return replace(scorer, opened=Judge(FakeModel(pick)))  # type: ignore[type-var]


def _verdict(form: str, said: list[str], prompt: Any) -> str:
    return form.format(said[len(str(prompt)) % len(said)].replace("|", " "))


def counts(scorer: Scorer, item: Item, reply: str) -> dict[str, float]:
    return asyncio.run(scorer.score(item, Response(reply))).counts


def total(bags: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: sum(bag.get(name, 0.0) for bag in bags) for name in {name for bag in bags for name in bag}}


def quality(metric: Metric, sums: dict[str, float]) -> float:
    """A number turned so that more is better."""
    with np.errstate(all="ignore"):
        value = float(metric.value(sums))
    return value if metric.better == "higher" else -value


def check(scorer: Scorer, item: Item, reply: str, others: Sequence[dict[str, float]] = ()) -> None:
    worst, best = scorer.bounds(item)
    answer = counts(scorer, item, reply)
    neutral = NEUTRAL.get(scorer.name, ())
    for name, metric in scorer.metrics.items():
        low, here, high = (quality(metric, total([*others, bag])) for bag in (worst, answer, best))
        if name not in neutral and not math.isnan(low + here):
            assert low <= here + 1e-9, (name, low, here)
        if name not in neutral and not math.isnan(here + high) and not isinstance(scorer, BleuScorer):
            assert here <= high + 1e-9, (name, here, high)


texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
references = st.lists(texts, min_size=1, max_size=2).map(tuple)


@pytest.mark.parametrize(("name", "settings"), TEXTS, ids=str)
@given(targets=references, reply=texts, others=st.lists(st.tuples(texts.filter(bool), texts), max_size=3))
def test_no_answer_of_words_is_worse_than_a_failure(
    name: str, settings: Mapping[str, Any], targets: tuple[str, ...], reply: str, others: list[tuple[str, str]]
) -> None:
    scorer = loaded(name, settings)
    cut = str.split if settings.get("unit") != "characters" else list
    room = max(1, min(len(cut(text)) for text in targets))  # an error rate has no end: more words are more errors
    short = ("" if cut is list else " ").join(cut(reply)[:room])
    others = [(" ".join(WORDS), " ".join(WORDS)), *others]  # BLEU of replies that have no 4 tokens is 0 whatever comes
    before = [counts(scorer, Item("0", targets=(text,)), said) for text, said in others]
    check(scorer, Item("1", targets=targets), short, before)


@pytest.mark.parametrize(("name", "settings"), CHOICES, ids=str)
@pytest.mark.parametrize("reply", ["A", "B", "cat", "", "I cannot hear it.", "A and B", "nonsense"])
@pytest.mark.parametrize("target", ["A", "B"])
def test_no_choice_is_worse_than_a_failure(name: str, settings: Mapping[str, Any], reply: str, target: str) -> None:
    check(loaded(name, settings), Item("1", choices=("cat", "dog"), labels=("A", "B"), targets=(target,)), reply)


@pytest.mark.parametrize(("name", "settings"), [*TEXTS, *CHOICES], ids=str)
@pytest.mark.parametrize("targets", [("",), ("aa bb",), ("", "aa")])
def test_failures_and_refusals_earn_the_worst(name: str, settings: Mapping[str, Any], targets: tuple[str, ...]) -> None:
    scorer = loaded(name, settings)
    item = Item("1", targets=targets)
    if (name, settings) in CHOICES:
        item = Item("1", choices=("cat", "dog"), labels=("A", "B"), targets=("A",))
    worst, _ = scorer.bounds(item)
    failed = [
        Record(item, failure=Failure("request-failed", "busy")),
        Record(item, failure=Failure("sound-failed", "broken")),
        Record(item, failure=Failure("refused", "filtered")),
        Record(item, response=Response("A", "filtered")),
        Record(item, response=Response("", "filtered")),
    ]
    earned = [asyncio.run(score_record(record, scorer)) for record in failed]
    withheld = (
        scorer.bounds(item)[1] if name in REFUSAL_IS_RIGHT else worst
    )  # which is a refusal, and that is right there
    assert [one.counts for one in earned] == [worst] * 3 + [withheld] * 2
    assert [one.state for one in earned] == ["request-failed", "sound-failed", *["refused"] * 3]


# ---------------------------------------------------------------- where silence is right


def row_of(scorer: Scorer, *outcomes: str | Response | Failure, targets: tuple[str, ...] = ("",)) -> Row:
    cells = Aggregates()
    for number, outcome in enumerate(outcomes):
        item = Item(str(number), targets=targets)
        response = Response(outcome) if isinstance(outcome, str) else outcome
        record = Record(item, failure=response) if isinstance(response, Failure) else Record(item, response=response)
        cells.add(record, scorer, asyncio.run(score_record(record, scorer)))
    return cells.to_rows()[0]


def test_silence_is_right_and_a_failure_is_no_silence() -> None:
    """K3 of the findings: of five replies to silence only the empty one is right."""
    outcomes = (
        "",
        "thank you",
        Failure("request-failed", "HTTP 500"),
        Failure("refused", "content_filter"),
        Response("", "filtered"),
    )
    row = row_of(loaded("wer", {}), *outcomes)
    wrong = row.metrics["wrong"]
    assert (row.n, wrong.value, wrong.worst) == (5, 0.8, 0.8)
    assert wrong.best == pytest.approx(0.6)
    assert row.states == {**dict.fromkeys(row.states, 0), "answered": 2, "refused": 2, "request-failed": 1}
    exact = row_of(loaded("exact", {}), *outcomes)
    for found in exact.metrics.values():
        assert (found.value, found.worst) == (0.2, 0.2)
        assert found.best == pytest.approx(0.4)


@pytest.mark.parametrize(("targets", "wrong"), [(("",), 1), (("uh",), 1), (("", "yes"), 1), (("yes",), 1)])
def test_a_failed_item_spans_from_wrong_to_right(targets: tuple[str, ...], wrong: float) -> None:
    scorer = loaded("wer", {"language": "en"})  # whose normaliser takes "uh" for nothing
    worst, best = scorer.bounds(Item("1", targets=targets))
    assert (worst["wrong"], best["wrong"], worst["rate"], best["rate"]) == (wrong, 0, 1, 0)


@pytest.mark.parametrize("name", ["wer", "exact", "bleu", "rouge"])
@pytest.mark.parametrize("targets", [("",), ("aa bb",)])
def test_a_reply_that_was_cut_before_its_first_word_is_no_silence(name: str, targets: tuple[str, ...]) -> None:
    """Thoughts took all the tokens that the model was given."""
    scorer, item = loaded(name, {}), Item("1", targets=targets)
    cut = asyncio.run(scorer.score(item, Response(" ", "length", reasoning="so the speaker")))
    assert (cut.counts, cut.state, cut.rule) == (scorer.bounds(item)[0], "unparsed", "cut")
    whole = asyncio.run(scorer.score(item, Response("aa bb", "length")))
    assert whole.state == "answered"


def test_a_failed_translation_is_no_better_than_none() -> None:
    """Beside a reply that is too long an empty line costs BLEU nothing, and chrF takes it for better than a wrong one."""
    scorer = loaded("bleu", {})
    long, wrong = "one two three four five six", "aa bb cc dd"
    numbers = [
        row_of(scorer, long, outcome, targets=("one two three four",)).metrics
        for outcome in (Failure("request-failed", "busy"), wrong, "")
    ]
    for name in ("bleu", "chrf"):
        failed, *answered = (found[name].value for found in numbers)
        assert failed is not None
        assert all(value is not None and failed <= value for value in answered)


# ---------------------------------------------------------------- floating dust


@given(st.lists(texts.filter(bool), min_size=1, max_size=6), st.sampled_from(TEXTS[:-3]))
def test_a_perfect_number_is_whole(replies: list[str], of: tuple[str, Mapping[str, Any]]) -> None:
    scorer, cells = loaded(*of), Aggregates()
    for number, reply in enumerate(replies):
        record = Record(Item(str(number), targets=(reply,), group=str(number % 2)), response=Response(reply))
        cells.add(record, scorer, asyncio.run(score_record(record, scorer)))
    for row in cells.to_rows(mean_over="group"):
        for found in row.metrics.values():
            for value in (found.value, found.low, found.high):
                assert value is None or value == round(value) or abs(value - round(value)) > 1e-9


def test_bleu_of_one_word_says_why_it_is_nothing() -> None:
    """f16 of the findings."""
    scorer = loaded("bleu", {})
    text = "good morning to all of you"
    assert row_of(scorer, text, targets=(text,)).metrics["bleu"].value == 100.0
    short = row_of(scorer, "ja", targets=("ja",)).metrics
    assert short["bleu"].value == 0.0
    assert "every reply is shorter than 4 tokens" in short["bleu"].why
    assert short["chrf"].why == "one group has no interval"
    one: Score = asyncio.run(scorer.score(Item("1", targets=("ja",)), Response("ja")))
    assert one.explanation.startswith("shorter than 4 tokens")
