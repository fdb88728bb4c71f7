"""The page of cases names a test for each case of the team's file, and says what the file says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from case_table import find_tests, table

PAGE = Path(__file__).parents[1] / "docs" / "cases.md"


@pytest.mark.shared
def test_the_page_is_that_of_the_file_and_no_case_is_open(shared: Path) -> None:
    cases = [json.loads(line) for line in (shared / "cases/cases.jsonl").read_text(encoding="utf-8").splitlines()]
    page = PAGE.read_text(encoding="utf-8")
    assert page == table(cases), "type: python tools/case_table.py CASES.jsonl > docs/cases.md"
    assert re.findall(r"^\| ([a-f]\d\d) \| .* \| holds \| `", page, re.MULTILINE) == [case["id"] for case in cases]


def test_a_case_without_a_test_is_open() -> None:
    unknown = {"id": "a" + "99", "kind": "a-extraction", "note": "Fault: Nothing. Sure: no."}
    assert not [*find_tests(unknown["id"])]
    assert "| Nothing. | open |  |" in table([unknown])
