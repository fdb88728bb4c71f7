"""Instructions that rules check: every rule kept and broken, the four shares of IFEval, and MMAU-Pro's."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from earmark.errors import BadData
from earmark.scorers.instruction_rules import InstructionScorer, Settings
from earmark.text.instruction_rules import IFEVAL, MMAU_PRO
from earmark.types import Item, Response

# By rule: its arguments, a reply that keeps it, and one that breaks it.
IFEVAL_CASES: dict[str, tuple[dict[str, Any], str, str]] = {
    "keywords:existence": ({"keywords": ["cat", "dog"]}, "A Cat and a dog.", "A cat."),
    "keywords:frequency": ({"keyword": "cat", "frequency": 2, "relation": "at least"}, "cat Cat", "cat"),
    "keywords:forbidden_words": ({"forbidden_words": ["cat"]}, "A category.", "A cat!"),
    "keywords:letter_frequency": ({"letter": "e", "let_frequency": 2, "let_relation": "less than"}, "He", "Eerie"),
    "language:response_language": ({"language": "de"}, "Das ist ein Hund und eine Katze.", "This is the dog."),
    "length_constraints:number_sentences": ({"num_sentences": 3, "relation": "less than"}, "One. Two!", "Yes. No. So."),
    "length_constraints:number_paragraphs": ({"num_paragraphs": 2}, "one\n***\ntwo", "one\n\ntwo"),
    "length_constraints:number_words": ({"num_words": 3, "relation": "at least"}, "one two, three", "one two"),
    "length_constraints:nth_paragraph_first_word": (
        {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "well"}, "Hi.\n\n'Well, yes.", "Hi.\n\nYes, well."
    ),
    "detectable_content:number_placeholders": ({"num_placeholders": 2}, "[name], [place]", "[name]"),
    "detectable_content:postscript": ({"postscript_marker": "P.S."}, "Hi.\np. s. bye", "Hi. PS bye"),
    "detectable_format:number_bullet_lists": ({"num_bullets": 2}, "* one\n- two", "* one\n** two"),
    "detectable_format:constrained_response": ({}, "My answer is maybe.", "Maybe."),
    "detectable_format:number_highlighted_sections": ({"num_highlights": 2}, "*one* and **two**", "*one* and **"),
    "detectable_format:multiple_sections": (
        {"section_spliter": "Section", "num_sections": 2}, "Section 1\na\nSection 2\nb", "Section 1\na"
    ),
    "detectable_format:json_format": ({}, '```json\n{"a": 1}\n```', "{a: 1}"),
    "detectable_format:title": ({}, "<<My title>>\nText", "<< >>"),
    "combination:two_responses": ({}, "one\n******\ntwo", "one\n******\none"),
    "combination:repeat_prompt": ({"prompt_to_repeat": "Say hi."}, "say hi. Hi!", "Hi! Say hi."),
    "startend:end_checker": ({"end_phrase": "That is all."}, 'Yes. "That is all."', "That is all. Bye"),
    "startend:quotation": ({}, '"yes"', '"'),
    "change_case:capital_word_frequency": (
        {"capital_frequency": 2, "capital_relation": "at least"}, "THE BIG cat", "THE big cat"
    ),
    "change_case:english_capital": ({}, "THE CAT IS HERE", "THE cat IS HERE"),
    "change_case:english_lowercase": ({}, "the cat is here", "The cat is here"),
    "punctuation:no_comma": ({}, "yes and no", "yes, no"),
}  # fmt: skip
PRO_CASES: dict[str, tuple[dict[str, Any], str, str]] = {
    "Include Keywords": ({"keywords": "cat, dog"}, "Cats, dogs", "cats"),
    "Keyword Frequency": ({"keyword": "cat", "N": 2}, "cat CAT cats", "cat"),
    "Forbidden Words": ({"forbidden_words": "cat, dog"}, "hen", "category"),
    "Number Paragraphs": ({"N": 2}, "one *** two", "one\n\ntwo"),
    "Number Words (at least)": ({"N": 2}, "one two", "one"),
    "Number Words (at most)": ({"N": 2}, "one two", "one two three"),
    "Number Words (range)": ({"N1": 2, "N2": 3}, "one two", "one"),
    "Number Sentences (at least)": ({"N": 2}, "One. Two.", "One."),
    "Number Sentences (at most)": ({"N": 1}, "One.", "One. Two."),
    "Number Sentences (range)": ({"N1": 2, "N2": 3}, "One. Two?", "One."),
    "Postscript": ({"postscript_marker": "P.S."}, "Hi. PS bye", "Hi."),
    "Number Placeholder": ({"N": 1}, "[x]", "[]"),
    "Number Bullets": ({"N": 2}, "* one\n * two", "- one\n- two"),
    "Title": ({}, "<<x>>", "<x>"),
    "Minimum Number Highlighted Section": ({"N": 1}, "*x*", "x"),
    "Multiple Sections": ({"N": 2, "section_splitter": "--"}, "a -- b", "a"),
    "Repeat Prompt": ({"prompt_transcription": "What is it?"}, "what is it? A cat.", "A cat."),
    "Two Responses": ({}, "a****** b", "a******A"),
    "All Uppercase": ({}, "YES!", "Yes"),
    "All Lowercase": ({}, "yes!", "Yes"),
    "All-capital Words (at least)": ({"N": 1}, "a BIG cat", "a big cat"),
    "All-capital Words (at most)": ({"N": 1}, "a BIG cat", "A BIG cat"),
    "All-capital Words (range)": ({"N1": 1, "N2": 1}, "a BIG cat", "a big cat"),
    "Start Checker": ({"start_phrase": "Well, then"}, "well then!", "Then"),
    "End Checker": ({"end_phrase": "Bye!"}, "ok, bye.", "bye now"),
    "Quotation": ({}, '"x"', "x"),
    "No Commas": ({}, "x y", "x, y"),
}


def test_there_is_a_case_for_every_rule() -> None:
    assert {*IFEVAL_CASES} == {*IFEVAL}
    assert len(IFEVAL) == 25
    assert {*PRO_CASES} == {*MMAU_PRO}
    kinds = Counter(name.partition(" (")[0] for name in MMAU_PRO)
    assert len(kinds) == 21


@pytest.mark.parametrize(
    ("rules", "name"),
    [*(("ifeval", name) for name in IFEVAL_CASES), *(("mmau-pro", name) for name in PRO_CASES)],
)
def test_a_rule_is_kept_and_broken(rules: Any, name: str) -> None:
    arguments, kept, broken = (IFEVAL_CASES if rules == "ifeval" else PRO_CASES)[name]
    item = Item("1", extra={"rules": name, "arguments": arguments})
    scorer = InstructionScorer(Settings(rules))
    good, bad, none = (asyncio.run(scorer.score(item, Response(reply))) for reply in (kept, broken, ""))
    assert (good.counts["strict_prompt"], bad.counts["strict_prompt"], none.counts["strict_prompt"]) == (1, 0, 0)
    assert bad.rule == f"broken: {name}"
    assert scorer.bounds(item)[1] == good.counts | {"loose": 1.0, "loose_prompt": 1.0}


def test_the_four_shares_by_hand() -> None:
    rules = ["punctuation:no_comma", "startend:end_checker"]
    items = [
        Item("1", extra={"rules": rules, "arguments": [{}, {"end_phrase": "Bye."}]}),
        Item("2", extra={"rules": '["change_case:english_lowercase"]', "arguments": '[{"x": null}]'}),
    ]
    total: Counter[str] = Counter()
    for item, reply in zip(items, ("Sure, here it is:\nHello. Bye.", "Sure!\nthe answer is yes"), strict=True):
        total.update(asyncio.run(InstructionScorer().score(item, Response(reply))).counts)
    values = {name: float(metric.value(total)) for name, metric in InstructionScorer().metrics.items()}
    assert values == pytest.approx({
        "mean": (0 + 1 / 3 + 1 + 1) / 4,
        "strict_prompt": 0.0, "strict_instruction": 1 / 3, "loose_prompt": 1.0, "loose_instruction": 1.0,
    })  # fmt: skip


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({}, "has 1 rules and 1 arguments"),
        ({"rules": ["punctuation:no_comma"], "arguments": []}, "has 1 rules and 0 arguments"),
        ({"rules": "keywords:none", "arguments": {}}, "no rule is called 'keywords:none'"),
        ({"rules": "keywords:existence", "arguments": {}}, "the rule 'keywords:existence' cannot be checked"),
        ({"rules": "keywords:existence", "arguments": {"keywords": ["("]}}, "cannot be checked"),
        ({"rules": '["x"', "arguments": {}}, "extra.rules begins like JSON and is none"),
    ],
)
def test_rules_that_are_none_name_the_item(extra: dict[str, Any], message: str) -> None:
    with pytest.raises(BadData, match=f"item '1'.*{message}"):
        asyncio.run(InstructionScorer().score(Item("1", extra=extra), Response("x")))


def test_a_rule_that_mmau_pro_does_not_know_is_broken_as_in_its_script() -> None:
    item = Item("1", extra={"rules": "Nonsense", "arguments": {}})
    assert asyncio.run(InstructionScorer(Settings("mmau-pro")).score(item, Response("x"))).counts["strict_prompt"] == 0
