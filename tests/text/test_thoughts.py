"""Thoughts that stand in a reply are no part of the answer, under every scorer, and stay in the journal."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.engine.load import load_scorer
from earmark.journal import Journal, Record, read_journal
from earmark.judges.parsing import parse_rating
from earmark.runs.score_file import score_file
from earmark.runs.scoring import score_journal, score_record
from earmark.text._screen import without_thought
from earmark.text.choice_parser import parse_choice
from earmark.text.published_parsers import PARSERS
from earmark.text.thoughts import split_thoughts, without_thoughts
from earmark.types import Item, Response

THOUGHT = "<think>\nMaybe hello. The answer is 70.\n</think>\n\n"


@pytest.mark.parametrize(
    ("reply", "answer", "thoughts"),
    [
        ("It is 72", "It is 72", ""),
        (f"{THOUGHT}It is 72", "It is 72", "Maybe hello. The answer is 70."),
        ("<thinking>70?</thinking>It is 72", "It is 72", "70?"),
        ("<thought>70?</thought>\nIt is 72\n", "It is 72", "70?"),
        ("<THINK>70?</THINK> It is 72", "It is 72", "70?"),
        ("[THINK]70?[/THINK] It is 72", "It is 72", "70?"),
        ("◁think▷70?◁/think▷It is 72", "It is 72", "70?"),
        ("70, no.\n</think>\nIt is 72", "It is 72", "70, no."),
        ("<think>70?</think>It is <think>or 71?</think>72", "It is 72", "70?\nor 71?"),
        ("<think>70? It is 71", "", "70? It is 71"),
        ("<|channel|>analysis<|message|>70?<|channel|>final<|message|>It is 72", "It is 72", "<|message|>70?"),
        ("<think></think>It is 72", "It is 72", ""),
        ("It is 72 <b>", "It is 72 <b>", ""),
        ("[thinking] It is 72", "[thinking] It is 72", ""),
        ("I wrote <think> in HTML", "I wrote <think> in HTML", ""),
        (" It is 72 ", " It is 72 ", ""),
        ("", "", ""),
    ],
)  # fmt: skip
def test_a_reply_is_split_into_its_answer_and_its_thoughts(reply: str, answer: str, thoughts: str) -> None:
    assert split_thoughts(reply) == (answer, thoughts)


def test_a_part_that_is_never_closed_is_a_thought_where_the_reply_was_cut() -> None:
    assert split_thoughts("It is 72 <think>or is it", cut=True) == ("It is 72", "or is it")
    assert split_thoughts("[THINK]It may be", cut=True) == ("", "It may be")
    assert without_thoughts(Response("It is 72 <think>or", "length", "before")) == Response(
        "It is 72", "length", "before\nor", raw_text="It is 72 <think>or"
    )


@pytest.mark.parametrize("stop", ["end", "length"])
def test_a_reply_that_ends_within_its_thoughts_is_no_silence(stop: Any) -> None:
    response = without_thoughts(Response("<think>It may be", stop))
    assert (response.text, response.stop) == ("", "length")
    item, scorer = Item("1", targets=("",)), load_scorer("wer", {})
    found = asyncio.run(score_record(Record(item, response=Response("<think>It may be", stop)), scorer))
    assert (found.state, found.rule) == ("unparsed", "cut")
    assert without_thoughts(Response("<think>Nobody speaks.</think>")).stop == "end", "silence, after a thought"


PIECES = st.sampled_from(["<think>", "</think>", "<thinking>", "[/THINK]", "<answer>", " ", "\n", "72", "It is", "(A)"])


@given(st.lists(PIECES, max_size=12).map("".join), st.booleans())
def test_the_words_of_the_answer_are_what_the_reader_of_choices_reads(reply: str, cut: bool) -> None:
    answer, thoughts = split_thoughts(reply, cut=cut)
    left = without_thought(reply, opened=False)
    if left is not None:
        assert "".join(answer.split()) == "".join(left.split())
    assert (answer == reply and not thoughts) or len(answer) + len(thoughts) <= len(reply) + reply.count("<")


def earned(scorer: str, reply: str, target: str = "72", stop: Any = "end", **settings: Any) -> Any:
    """What a reply earns by a scorer, as a run scores it."""
    made = load_scorer(scorer, settings)
    labels, choices = (("A", "B"), ("70", "72")) if scorer in ("choice", "binary_choice", "classes") else ((), ())
    item = Item("1", question="How many?", targets=("B",) if labels else (target,), labels=labels, choices=choices)
    found = asyncio.run(score_record(Record(item, response=Response(reply, stop)), made))
    return {name: metric.value(found.counts) for name, metric in made.metrics.items()} | {"answer": found.answer}


@pytest.mark.parametrize(
    "before", [THOUGHT, "Maybe 70.\n</think>\n", "<thinking>70</thinking>", "<thought>70</thought>"]
)
def test_thoughts_change_no_number(before: str) -> None:
    assert earned("number", f"{before}It is 72")["answer"] == "72"
    assert earned("number", f"{before}It is 72")["accuracy"] == 1
    for scorer, target in (
        ("wer", "It is 72"),
        ("exact", "It is 72"),
        ("bleu", "It is seventy two"),
        ("rouge", "It is 72"),
    ):
        reply = target
        assert earned(scorer, before + reply, target) == earned(scorer, reply, target)
    assert earned("wer", f"{before}It is 72", "It is 72")["wer"] == 0
    assert earned("exact", f"{before}It is 72", "It is 72")["exact_match"] == 1
    assert earned("bleu", f"{before}It is seventy two", "It is seventy two")["bleu"] == pytest.approx(100)
    assert earned("choice", f"{before}It is (B)")["accuracy"] == 1


def test_readers_of_published_protocols_read_the_whole_reply() -> None:
    """To the letter, as their scripts do."""
    reply = "<think>The answer is 70. A?</think> The answer is B. 72"
    for name, reader in PARSERS.items():
        if name != "earmark":
            assert earned("choice", reply, parser=name)["answer"] == reader(reply, ("A", "B"), ("70", "72")).answer
    assert earned("number", "<think>#### 70</think> #### 72", policy="lm-strict")["answer"] == "70"
    assert earned("number", "<think>The answer is 70</think> 72", policy="audiobench")["answer"] == "70"


def test_published_replies_to_choices_are_read_as_they_were(shared: Path) -> None:
    """Whether the reader leaves the thoughts out, as it does for spans and rules, or they are left out before."""
    scorer = load_scorer("choice", {})
    for line in (shared / "golden" / "mcq_replies.jsonl").read_text().splitlines():
        row = json.loads(line)
        labels, choices = tuple("ABCDEFGHIJ"[: len(row["choices"])]), tuple(row["choices"])
        reading = parse_choice(row["reply"], labels, choices)
        record = Record(Item("1", labels=labels, choices=choices, targets=labels[:1]), response=Response(row["reply"]))
        found = asyncio.run(score_record(record, scorer))
        assert (found.answer, found.rule, found.state) == (reading.answer, reading.rule, reading.state)
        assert parse_choice(split_thoughts(row["reply"])[0], labels, choices).answer == reading.answer


def test_a_judge_is_not_shown_thoughts_and_its_own_are_not_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shown: list[str] = []
    monkeypatch.setenv("EARMARK_CACHE", str(tmp_path))

    def judging(prompt: Any) -> str:
        shown.append("".join(part for turn in prompt.turns for part in turn.parts if isinstance(part, str)))
        return "<thinking>Rating: 1</thinking>Rating: 4"

    monkeypatch.setattr("mine.replies.length", judging)
    monkeypatch.setattr(
        "earmark.judges.asking.settings_of", lambda _: {"backend": "fake", "reply": "mine.replies:length"}
    )
    records = [Record(Item("1", question="How many?", targets=("72",)), response=Response(f"{THOUGHT}It is 72"))]
    path = asyncio.run(journal(tmp_path, records))
    told: list[Any] = []
    scorer = load_scorer("judge", {"judge": "fake", "prompt": "audiobench"})
    asyncio.run(score_journal(path, lambda _: (scorer,), (), lambda _, line: told.append(line)))
    assert "It is 72" in shown[0]
    assert "70" not in shown[0]
    assert [line.answer for line in told] == ["4"]
    assert next(iter(read_journal(path))).response == records[0].response, "as it was said"
    assert parse_rating("<thought>Rating: 2</thought> Rating: 3", (0, 5)).value == 3


async def journal(tmp_path: Path, records: list[Record]) -> Path:
    opened = Journal(tmp_path / "responses.jsonl", lambda _: None)
    for record in records:
        opened.append(record)
    await opened.close()
    return tmp_path / "responses.jsonl"


def test_replies_of_a_file_are_scored_without_thoughts(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    file.write_text(json.dumps({"id": "1", "reply": f"{THOUGHT}It is 72", "target": "72"}))
    row, _ = asyncio.run(score_file(file, load_scorer("number", {})))
    assert row.metrics["accuracy"].value == 1
