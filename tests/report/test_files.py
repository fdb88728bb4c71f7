"""Reports as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from formulas import FORMULAS, as_it_was, cells
from hypothesis import given
from hypothesis import strategies as st

from earmark.report.files import escape_formulas, write_summary, write_tables
from earmark.report.rows import Row
from earmark.stats.estimate import Estimate
from earmark.types import STATES, Table


@given(st.text(st.sampled_from("'=+-@\t\r a1,\"\n"), max_size=6))
def test_no_text_is_a_formula_and_each_can_be_had_back(text: str) -> None:
    (cell,) = escape_formulas([text])
    assert cell[:1] not in {"=", "+", "-", "@", "\t", "\r"}
    assert as_it_was(cell) == text


@pytest.mark.parametrize("value", [-1, -1.5, 0, None, 2**60])
def test_numbers_stay_numbers(value: Any) -> None:
    assert escape_formulas([value]) == [value]


def test_a_summary_has_no_formulas_and_its_numbers_are_numbers(tmp_path: Path) -> None:
    row = Row("=task", "plain", "@scorer", "-signature", 1, dict.fromkeys(STATES, 0), {"+metric": Estimate(-0.5)})
    write_summary(tmp_path / "summary.csv", "=model", "@set", [row])
    (line,) = cells(tmp_path / "summary.csv")
    names = ("model", "benchmark", "task", "scorer", "metric", "signature")
    assert [line[name] for name in names] == ["'=model", "'@set", "'=task", "'@scorer", "'+metric", "'-signature"]
    assert line["value"] == "-0.5"


def test_a_table_of_a_protocol_is_left_as_it_is(tmp_path: Path) -> None:
    write_tables(tmp_path, [Table("theirs.csv", ("raw_response",), [(text,) for text in FORMULAS])])
    assert [line["raw_response"] for line in cells(tmp_path / "theirs.csv")] == [*FORMULAS]
