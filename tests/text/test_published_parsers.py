"""Parsers of published protocols: to the letter of each."""

from __future__ import annotations

import pytest
from choice_cases import LETTERS, VOICES, replies
from hypothesis import given

from earmark.benchmarks import personalized_hearing as ph
from earmark.text.choice_parser import Parsed
from earmark.text.published_parsers import PARSERS
from earmark.text.published_parsers import final_answer_letter as read_answer
from earmark.types import Response


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("reason <final_answer> (b)", "b"),
        ("<final_answer>(B)</final_answer>", "b"),
        ("<final_answer> b", None),
        ("(a) <final_answer> (c) not (d)", None),
        ("<final_answer>(a) then <final_answer>(d)", "d"),
        ("<final_answer> (c) (c)", "c"),
        ("<FINAL_ANSWER>(a)", None),
        ("the answer is (a)", None),
        ("", None),
    ],
)
def test_a_reply_is_read_as_the_script_does(reply: str, answer: str | None) -> None:
    assert read_answer(reply, ph.LABELS).answer == answer
    assert ph.should_ask_again(Response(reply)) == (answer is None)


@pytest.mark.parametrize(
    ("reply", "g1", "g2_of_5", "g2_of_8", "g2_of_10"),
    [  # the table of the team's notes on LISTEN
        ("B", "B", "B", "B", "B"),
        ("(B)", "B", "B", "B", "B"),
        ("B.", "B", "B", "B", "B"),
        ("b", None, "B", "B", "B"),
        ("The answer is B", "B", "E", "H", "H"),
        ("Answer: B", "A", "A", "A", "A"),
        ("I think it is C", "C", "C", "H", "I"),
        ("Sorry, I cannot", None, "C", "C", "I"),
        ("Option D", "D", "D", "D", "I"),
        ("happiness", None, "A", "H", "H"),
        ("J. happiness", None, "A", "H", "J"),
        ("j", None, None, None, "J"),
        ("", None, None, None, None),
    ],
)
def test_listen(reply: str, g1: str | None, g2_of_5: str | None, g2_of_8: str | None, g2_of_10: str | None) -> None:
    assert PARSERS["listen-g1"](reply, LETTERS).answer == g1
    found = [PARSERS["listen-g2"](reply, LETTERS[:count]).answer for count in (5, 8, 10)]
    assert found == [g2_of_5, g2_of_8, g2_of_10]


@pytest.mark.parametrize(
    ("reader", "reply", "expected"),
    [
        ("mmau", "the dog", "A"),
        ("mmau", "A", None),
        ("mmau", "not a cat but a dog", None),
        ("mmau", "", None),
        ("air-bench", "\n C dog", "C"),
        ("air-bench", "A dog is barking", "A"),
        ("air-bench", "The answer is\nB.", "B"),
        ("air-bench", "the answer is B", None),
        ("air-bench", "None", None),
        ("air-bench", "", None),
        ("mmsu", "Because", "B"),
        ("voicebench", "The answer is C. A is wrong.", "C"),
        ("voicebench", "<1> b", "B"),
        ("voicebench", "答案选D", "D"),
        ("voicebench", "b, or so", "B"),
        ("voicebench", "E", None),
        ("voicebench", "dog", None),
        ("muchomusic", "Options (A)... The correct answer is: (B) cat", "B"),
        ("muchomusic", "Dog", "D"),
        ("muchomusic", "it is a cat or a dog", "A"),
        ("muchomusic", "silence", None),
        ("dynamic-superb", "DOG", "A"),
        ("dynamic-superb", "dog ", None),
        ("dynamic-superb", "A", None),
    ],
)
def test_official_readers(reader: str, reply: str, expected: str | None) -> None:
    reading = PARSERS[reader](reply, "ABCD", ("dog", "cat", "cow", "owl"))
    assert reading.answer == expected
    assert (reading.state == "answered") == (expected is not None)


def test_official_readers_speak_of_positions() -> None:
    assert PARSERS["air-bench"]("B", "12", ("dog", "cat")).answer == "2"
    assert PARSERS["listen-g1"]("Hello, B", "AB") == Parsed(None, "not-shown", (0, 1), "unparsed")


@given(replies)
def test_official_readers_read_labels(reply: str) -> None:
    for read in PARSERS.values():
        reading = read(reply, "ABCD", VOICES)
        assert reading.answer in (None, *"ABCD")
        assert reading.span is None or 0 <= reading.span[0] <= reading.span[1] <= len(reply)
