"""Names in braces are replaced, and nothing else."""

from __future__ import annotations

import pytest

from earmark.text.fields import FIELD, fill


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{a}{b}", "{b}x"),
        ('{"reply": 1} {a}', '{"reply": 1} {b}'),
        ("{} { {a", "{} { {a"),
        ("{a.__class__} {a!r} {a:>9}", "{a.__class__} {a!r} {a:>9}"),
        ("%s ${a} {{ a }}", "%s ${a} {{ a }}".replace("{a}", "{b}")),
    ],
)
def test_only_whole_names_are_replaced_and_once(text: str, filled: str) -> None:
    assert fill(text, {"a": "{b}", "b": "x"}) == filled


def test_fields_are_what_stands_in_braces() -> None:
    assert FIELD.findall("{question}, {choices} {}") == ["question", "choices"]
