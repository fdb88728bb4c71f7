"""Options in the text of a question, and which one is right."""

from __future__ import annotations

import pytest

from earmark.importers._choices import label_of, parse_options


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        ("Which?\nA. cat\nB. dog\n", ("cat", "dog")),
        ("Which?\n  (A) cat\n  (B) dog", ("cat", "dog")),
        ("Example:\nA) x\nB) y\nWhich?\nA) cat\nB) dog\nC) cow", ("cat", "dog", "cow")),
        ("Which? (A) cat (B) dog\nAnswer with a letter.", ("cat", "dog")),
        ("A. cat\nC. dog", None),
        ("A. cat", None),
        ("It is (A) or so.", None),
        ("(A) (B) dog", None),
        ("", None),
    ],
)
def test_options_are_lists_of_letters(text: str, choices: tuple[str, ...] | None) -> None:
    found = parse_options(text)
    assert (found.choices if found else None) == choices


@pytest.mark.parametrize(
    ("target", "label"), [("B", "B"), ("dog", "B"), ("(B) dog", "B"), ("B. Dog", "B"), ("cow", None), ("", None)]
)
def test_the_right_option_is_told_in_several_ways(target: str, label: str | None) -> None:
    options = parse_options("Which?\nA. cat\nB. dog")
    assert options
    assert label_of(target, options) == label


def test_a_letter_is_a_label_before_it_is_a_text() -> None:
    options = parse_options("Which note?\nA. C\nB. A\nC. B")
    assert options
    assert [label_of(target, options) for target in "ABC"] == ["A", "B", "C"]


def test_a_point_within_a_number_stays() -> None:
    options = parse_options("How long?\nA. 15 s\nB. 1.5 s\nC. (1.5) h")
    assert options
    assert [label_of(target, options) for target in ("1.5 s", "(A) 15 s", "B: 1.5 s", "1.5 h", "C. (1.5) h")] == [
        "B",
        "A",
        "B",
        None,
        "C",
    ]
