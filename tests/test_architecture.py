"""docs/architecture.md names files and functions that exist, and at most twelve steps."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
STEPS = re.findall(r"^\| (\d+) \| .* \| `([a-z_/]+\.py)` \| `(\w+)` \|$", PAGE, re.MULTILINE)


def test_the_path_has_at_most_twelve_steps() -> None:
    assert [int(number) for number, _, _ in STEPS] == list(range(1, len(STEPS) + 1))
    assert 8 <= len(STEPS) <= 12


@pytest.mark.parametrize(("number", "file", "function"), STEPS)
def test_a_step_names_a_function_of_its_file(number: str, file: str, function: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    assert function in defined, f"step {number}: {file} defines no {function}"


def test_every_folder_of_the_package_has_an_owner() -> None:
    named = set(re.findall(r"`(\w+)(?:/|\.py)`", PAGE.partition("## Folders")[2].partition("## Floors")[0]))
    package = ROOT / "earmark"
    rooms = {path.parent.name for path in package.glob("*/__init__.py")} - {"conf"}
    assert rooms <= named, f"docs/architecture.md does not say what {sorted(rooms - named)} owns"
