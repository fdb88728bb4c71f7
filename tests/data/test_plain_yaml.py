"""YAML that somebody else wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from earmark.data.plain_yaml import load_plain_yaml, load_yaml
from earmark.errors import BadData

BOMB = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10))


def test_aliases_are_allowed_where_they_are_the_users_own_and_counted(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text("a: &a [1, 2]\nb: *a\n")
    assert load_yaml(file) == {"a": [1, 2], "b": [1, 2]}
    file.write_text(BOMB)
    with pytest.raises(BadData, match=r"more than 1,000,000 values with those that aliases repeat"):
        load_yaml(file)


@pytest.mark.parametrize(
    ("text", "why"),
    [("a: &a 1\nb: *a", "line 2: found a YAML alias"), ("!!python/object:x.Y {}", "line 1: found a YAML tag"),
     ("[" * 200, "lists 100 deep"), ("a: [", "no YAML that can be read")],
)  # fmt: skip
def test_yaml_of_others_holds_plain_values(text: str, why: str) -> None:
    with pytest.raises(BadData, match=why):
        load_plain_yaml(text, "x.yaml")
