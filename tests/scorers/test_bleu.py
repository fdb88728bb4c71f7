"""BLEU and chrF against sacrebleu's own corpus functions, a worked example, and the team's cases."""

from __future__ import annotations

import asyncio
import json
import math
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
import sacrebleu
from commands import earmark
from hypothesis import given
from hypothesis import strategies as st

from earmark.config.parse import parse_settings
from earmark.errors import BadData, BadSetup, UsageError
from earmark.scorers import bleu
from earmark.scorers.bleu import BleuScorer, Settings
from earmark.types import Item, Response

WORDS = 'The lamp is red . a dog barks twice, nobody answered the phone and "it" wasn\'t there – 5.5 %'.split()


def item(*references: str) -> Item:
    return Item("1", targets=references)


def summed(settings: BleuScorer, replies: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, float]:
    bags = [settings.counts(item(*refs), reply) for reply, refs in zip(replies, references, strict=True)]
    return {name: sum(bag[name] for bag in bags) for name in bags[0]}


def of(settings: BleuScorer, replies: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, float]:
    sums = summed(settings, replies, references)
    return {name: float(metric.value(sums)) for name, metric in settings.metrics.items()}


def corpora(references: int) -> list[tuple[list[str], list[list[str]]]]:
    """Random corpora: replies, and the references of each."""
    dice = random.Random(references)

    def text() -> str:
        return " ".join(dice.choices(WORDS, k=dice.randint(0, 12)))

    return [([text() for _ in range(8)], [[text() for _ in range(references)] for _ in range(8)]) for _ in range(25)]


# ---------------------------------------------------------------- laws


@given(st.lists(st.text(st.characters(categories=("Ll", "Zs")), min_size=20), min_size=1, max_size=4))
def test_a_perfect_translation_is_perfect(texts: list[str]) -> None:
    texts = [f"one two three four {text}" for text in texts]
    found = of(BleuScorer(), texts, [[text] for text in texts])
    assert found["bleu"] == pytest.approx(100)
    assert found["chrf"] == pytest.approx(100)


def test_the_bounds_are_nothing_and_all() -> None:
    settings = BleuScorer()
    worst, best = settings.bounds(item("The lamp is red."))
    assert [float(metric.value(worst)) for metric in settings.metrics.values()] == [0, 0]
    assert [float(metric.value(best)) for metric in settings.metrics.values()] == pytest.approx([100, 100])


# ---------------------------------------------------------------- by hand


def test_an_example_by_hand() -> None:
    """the cat sat on the mat    against    the cat sat on a mat today

    Tokens 6 and 7. Matches: of 6 words 5 (the, cat, sat, on, mat); of 5 pairs 3 (the cat, cat sat, sat on); of 4
    triples 2; of 3 quadruples 1. The reply is short: bp = exp(1 - 7/6). BLEU = 100 bp (5/6 · 3/5 · 2/4 · 1/3)^(1/4).
    """
    counts = BleuScorer().counts(item("the cat sat on a mat today"), "the cat sat on the mat")
    assert [counts[f"match_{n}"] for n in (1, 2, 3, 4)] == [5, 3, 2, 1]
    assert [counts[f"total_{n}"] for n in (1, 2, 3, 4)] == [6, 5, 4, 3]
    assert (counts["length"], counts["reference"]) == (6, 7)
    found = of(BleuScorer(), ["the cat sat on the mat"], [["the cat sat on a mat today"]])
    assert found["bleu"] == pytest.approx(100 * math.exp(1 - 7 / 6) * (5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25)


def test_chrf_by_hand() -> None:
    """ab against abc. Orders 1 and 2 have n-grams on both sides (order 3 has none in the reply, and is left out):
    P = (2/2 + 1/1)/2 = 1, R = (2/3 + 1/2)/2 = 7/12, chrF = 100 · 5 P R / (4 P + R).
    """
    assert of(BleuScorer(), ["ab"], [["abc"]])["chrf"] == pytest.approx(100 * 5 * (7 / 12) / (4 + 7 / 12))


# ---------------------------------------------------------------- sacrebleu


@pytest.mark.parametrize("references", [1, 2, 3])
@pytest.mark.parametrize("words", [0, 2])
def test_sums_give_exactly_sacrebleus_corpus_scores(references: int, words: Any) -> None:
    settings = BleuScorer(Settings(references=references, words=words))
    for replies, texts in corpora(references):
        found = list(of(settings, replies, texts).values())
        streams = [list(stream) for stream in zip(*texts, strict=True)]
        assert found[0] == sacrebleu.corpus_bleu(replies, streams, force=True).score
        assert found[1] == sacrebleu.corpus_chrf(replies, streams, word_order=words).score


def test_arrays_of_counts_are_read_as_numbers_are() -> None:
    settings = BleuScorer()
    sums = [summed(settings, *corpus) for corpus in corpora(1)]
    columns = {name: np.array([bag[name] for bag in sums]) for name in sums[0]}
    for metric in settings.metrics.values():
        assert np.asarray(metric.value(columns)).tolist() == [float(metric.value(bag)) for bag in sums]


def test_case_matters_unless_told() -> None:
    assert of(BleuScorer(), ["THE CAT SAT DOWN"], [["the cat sat down"]])["bleu"] == 0
    assert of(BleuScorer(Settings(lowercase=True)), ["THE CAT SAT DOWN"], [["the cat sat down"]])[
        "bleu"
    ] == pytest.approx(100)


@pytest.mark.parametrize(
    ("settings", "signature"),
    [
        (
            BleuScorer(),
            ["bleu|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|", "|chrf|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|"],
        ),
        (BleuScorer(Settings(language="zh", words=2)), ["|tok:zh|", "|nw:2|"]),
        (BleuScorer(Settings(language="th")), ["|tok:char|"]),
        (BleuScorer(Settings(references=0, lowercase=True)), ["nrefs:var|case:lc"]),
    ],
)
def test_sacrebleus_signature_is_kept(settings: BleuScorer, signature: list[str]) -> None:
    for part in signature:
        assert part in str(settings.signature)
    assert f"version:{sacrebleu.__version__}" in str(settings.signature)


def test_japanese_is_cut_by_mecab() -> None:
    settings = BleuScorer(Settings(language="ja"))
    texts = ["今日は天気がいいですね。"], [["今日は天気が悪いですね。"]]
    assert of(settings, *texts)["bleu"] == sacrebleu.corpus_bleu(texts[0], texts[1], tokenize="ja-mecab").score
    assert "tok:ja-mecab" in str(settings.signature)


# ---------------------------------------------------------------- the team's cases


def case(shared: Path, name: str) -> dict[str, Any]:
    cases = (json.loads(line) for line in (shared / "cases/cases.jsonl").read_text().splitlines())
    return next(case for case in cases if case["id"] == name)


@pytest.mark.shared
def test_case_f13_chinese_has_a_tokeniser_of_its_own(shared: Path) -> None:
    told = case(shared, "f13")
    texts = told["input"]["hyp"], [[text] for text in told["input"]["ref"]]
    settings = BleuScorer(Settings(language=told["input"]["language"]))
    assert of(settings, *texts)["bleu"] == pytest.approx(told["expected"]["bleu_tok_zh"], abs=0.01)
    assert of(BleuScorer(), *texts)["bleu"] == pytest.approx(told["expected"]["bleu_tok_13a"], abs=0.01)
    assert told["expected"]["signature_contains"] in str(settings.signature)


@pytest.mark.shared
def test_case_f15_all_sentences_are_scored(shared: Path) -> None:
    told = case(shared, "f15")
    found = of(BleuScorer(), told["input"]["hyp"], [[text] for text in told["input"]["ref"]])
    assert found["bleu"] == pytest.approx(told["expected"]["bleu"], abs=0.01)


# ---------------------------------------------------------------- replies and settings


def test_a_reply_keeps_its_words_and_loses_its_tokens() -> None:
    found = asyncio.run(BleuScorer().score(item("The lamp is red."), Response("<|en|> The lamp is red.<|endoftext|>")))
    assert (found.answer, found.rule, found.counts["match_4"]) == ("The lamp is red.", "tokens.1", 2)
    refused = asyncio.run(BleuScorer().score(item("The lamp is red."), Response("The lamp", stop="filtered")))
    assert (refused.state, refused.counts["length"]) == ("refused", 0)


def test_another_number_of_references_is_told() -> None:
    with pytest.raises(BadData, match="item '1' has 2 references, expected 1; set references"):
        BleuScorer().counts(item("a", "b"), "a")
    with pytest.raises(BadData, match="has 0 references, expected at least one"):
        BleuScorer(Settings(references=0)).counts(item(), "a")
    assert BleuScorer(Settings(references=0)).counts(item("a", "b"), "a")["match_1"] == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"language": "jp"}, "no language is called 'jp'"), ({"words": 1}, "words=1"), ({"tokenize": "zh"}, "no setting")],
)
def test_wrong_settings_are_told(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_settings(Settings, settings, "")


def test_an_unknown_tokeniser_is_told() -> None:
    with pytest.raises(
        UsageError,
        match="sacrebleu has no tokeniser 'flores'; did you mean flores200 or flores101\\? There are: none, zh, 13a",
    ):
        BleuScorer(Settings(tokenizer="flores")).counts(item("a"), "a")


def test_what_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics", None)
    bleu._sacrebleu.cache_clear()
    with pytest.raises(BadSetup, match=r"pip install 'earmark\[text\]'"):
        bleu._sacrebleu()


def test_from_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    lines = [
        {"id": "1", "reply": "会议在三楼。", "target": "会议在二楼。"},
        {"id": "2", "reply": "好的。", "target": "好的。"},
    ]
    file.write_bytes(b"\n".join(map(orjson.dumps, lines)))
    told = orjson.loads(earmark("score", str(file), "--scorer", "bleu", "language=zh", "--json").stdout)
    both = [line["reply"] for line in lines], [[line["target"] for line in lines]]
    assert told["metrics"]["bleu"] == pytest.approx(sacrebleu.corpus_bleu(*both, tokenize="zh").score)
    assert told["metrics"]["chrf"] == pytest.approx(sacrebleu.corpus_chrf(*both).score)
