"""Tables as CSV, Markdown and LaTeX: what is escaped, and the structure."""

from __future__ import annotations

import csv
import io
import re

from hypothesis import given
from hypothesis import strategies as st

from earmark.report.table_formats import DataTable, escape_latex, format_table

TABLE = DataTable(
    "t", ("task", "value"), [("=sum_1", 0.5), ("b", None)], ("task", "score (95 % interval)"),
    [("=sum_1", "0.500 (0.4-0.6)"), ("b", "-")], 1, ("choice|v:1", "naïve"),
)  # fmt: skip


def test_csv_has_the_values() -> None:
    rows = list(csv.reader(io.StringIO(format_table(TABLE, "csv"))))
    assert rows == [["task", "value"], ["'=sum_1", "0.5"], ["b", ""]]


def test_latex_is_a_tabular_of_booktabs_with_signatures_as_comments() -> None:
    text = format_table(TABLE, "latex")
    lines = text.splitlines()
    assert lines[:3] == ["% choice|v:1", r"% na\xefve", r"% needs \usepackage{booktabs}"]
    assert lines[3:7] == [r"\begin{tabular}{lr}", r"\toprule", r"task & score (95 \% interval) \\", r"\midrule"]
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"]
    assert all(re.sub(r"\\&", "", line).count("&") == 1 for line in lines[5:-2] if line.endswith(r"\\"))


@given(st.text(alphabet=r"a_%&#$~^\{}<>|é", max_size=8))
def test_no_letter_is_special_to_latex_once_it_is_escaped(text: str) -> None:
    bare = re.sub(r"\\[a-zA-Z]+\{\}|\\[_%&#${}]", "", escape_latex(text))
    assert not set(bare) & set(r"_%&#$~^\{}<>|")


def test_markdown_keeps_its_columns() -> None:
    table = DataTable("t", (), (), ("a", "n"), [("x|y", "1"), ("*b*", "2")], 1, ("note",))
    lines = format_table(table, "markdown").splitlines()
    assert lines == ["| a | n |", "|:-|-:|", r"| x\|y | 1 |", r"| \*b\* | 2 |", "", "- note"]
