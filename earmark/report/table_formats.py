"""Tables as CSV, Markdown and LaTeX (booktabs), for papers and spreadsheets."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from earmark.report.files import escape_formulas
from earmark.text.printable import printable

TableFormat: TypeAlias = Literal["csv", "markdown", "latex"]
LATEX: Final = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': "''", "–": "--", "—": "---", "…": r"\ldots{}", "±": r"$\pm$", "×": r"$\times$",
    "−": r"$-$",
}  # fmt: skip


class DataTable(Struct, frozen=True):
    """A table in two forms: values by column for CSV, and texts for people."""

    title: str
    columns: tuple[str, ...]  # of the values
    values: Sequence[Sequence[Any]]
    head: tuple[str, ...]  # of the texts
    lines: Sequence[Sequence[str]]
    words: int = 1  # columns of texts that hold words; the rest are numbers
    comments: tuple[str, ...] = ()  # signatures, and notes on the numbers


def format_table(table: DataTable, form: TableFormat) -> str:
    """Format a table, without a newline at its end."""
    return {"csv": to_csv, "markdown": to_markdown, "latex": to_latex}[form](table)


def to_csv(table: DataTable) -> str:
    """Format the values as CSV with a header; texts that are formulas are escaped, undefined numbers are empty."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(table.columns)
    texts = ([printable(cell) if isinstance(cell, str) else cell for cell in line] for line in table.values)
    writer.writerows(map(escape_formulas, texts))  # a line end in a name would forge a row on a terminal
    return file.getvalue().rstrip("\n")


def to_markdown(table: DataTable) -> str:
    """Format the texts as a table of Markdown, with the comments below it.

    >>> print(to_markdown(DataTable("t", (), (), ("task", "n"), (("a|b", "3"),))))
    | task | n |
    |:-|-:|
    | a\\|b | 3 |
    """
    rule = "".join(["|:-"] * table.words + ["|-:"] * (len(table.head) - table.words)) + "|"
    lines = ["| " + " | ".join(map(_markdown, line)) + " |" for line in (table.head, *table.lines)]
    notes = [f"- {_markdown(comment)}" for comment in table.comments]
    return "\n".join([lines[0], rule, *lines[1:], *([""] if notes else []), *notes])


def _markdown(text: str) -> str:
    return re.sub(r"([\\`*|<>\[\]])", r"\\\1", printable(text))


def to_latex(table: DataTable) -> str:
    """Format the texts as a tabular of LaTeX with the rules of booktabs; comments are comments of LaTeX.

    >>> print(to_latex(DataTable("t", (), (), ("task", "n"), (("a_b", "3"),), comments=("acc|v:1",))))
    % acc|v:1
    % needs \\usepackage{booktabs}
    \\begin{tabular}{lr}
    \\toprule
    task & n \\\\
    \\midrule
    a\\_b & 3 \\\\
    \\bottomrule
    \\end{tabular}
    """
    columns = "l" * table.words + "r" * (len(table.head) - table.words)
    head, *lines = (" & ".join(map(escape_latex, line)) + r" \\" for line in (table.head, *table.lines))
    return "\n".join(
        [
            *(f"% {_ascii(printable(comment))}" for comment in table.comments),
            r"% needs \usepackage{booktabs}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            head,
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def escape_latex(text: str) -> str:
    """Escape a text for LaTeX.

    >>> escape_latex("a_b & 50 %")
    'a\\\\_b \\\\& 50 \\\\%'
    """
    return "".join(LATEX.get(letter, letter) for letter in printable(text))


def _ascii(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode()
