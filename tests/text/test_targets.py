"""Targets: a label names itself, a text its choice, and what may mean two things means none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.text.choices import choice_letters
from earmark.text.targets import resolve_target

CHOICES, LABELS = ("Man", "Woman", "15 s"), ("A", "B", "C")
OPTIONS = st.lists(st.text(st.characters(categories=["L", "N", "Zs"]), min_size=1), min_size=1, max_size=6)


@given(OPTIONS)
def test_every_label_names_itself_and_every_text_its_own_choices(choices: list[str]) -> None:
    labels = choice_letters(len(choices))
    assert [resolve_target(label, choices, labels) for label in labels] == [(label,) for label in labels]
    for choice in choices:
        if choice not in labels:
            expected = tuple(label for label, other in zip(labels, choices, strict=True) if other == choice)
            assert resolve_target(choice, choices, labels) == expected


@given(OPTIONS, st.text())
def test_only_labels_come_out_each_once_and_in_their_order(choices: list[str], target: str) -> None:
    labels = choice_letters(len(choices))
    found = resolve_target(target, choices, labels)
    assert list(found) == [label for label in labels if label in found]


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("Man", ("A",)),
        (" woman\n", ("B",)),
        ("(b)", ("B",)),
        ("[C]", ("C",)),
        ("c.", ("C",)),
        ("A. Man", ("A",)),
        ("C) 15 S", ("C",)),
        ("B: woman", ("B",)),
    ],
)
def test_forms_of_a_target_by_hand(target: str, found: tuple[str, ...]) -> None:
    assert resolve_target(target, CHOICES, LABELS) == found


@pytest.mark.parametrize("target", ["", " ", "D", "Child", "A. Woman", "A Man", "Man or Woman", "A, B", "15"])
def test_what_names_no_choice_or_contradicts_itself_is_none(target: str) -> None:
    assert resolve_target(target, CHOICES, LABELS) == ()


def test_case_tells_choices_apart_where_nothing_else_does() -> None:
    assert resolve_target("us", ("US", "us"), ("A", "B")) == ("B",)
    assert resolve_target("Us", ("US", "us"), ("A", "B")) == ()
    assert resolve_target("us ", ("US", "us"), ("A", "B")) == ("B",)


def test_a_text_that_is_also_a_label_is_the_label() -> None:
    assert resolve_target("A", ("B", "A"), ("A", "B")) == ("A",)
