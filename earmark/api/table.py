"""A table that a terminal and a notebook can show."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from earmark.text.printable import printable


class TextTable(Struct, frozen=True):
    """A table with a title and footnotes; printed as text, shown as HTML in a notebook."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join(map(printable, self._lines()))

    def __repr__(self) -> str:
        return str(self)

    def _lines(self) -> Iterator[str]:
        widths = [max(map(len, column)) for column in zip(self.head, *self.rows, strict=True)]
        yield self.title
        yield _line(self.head, widths)
        yield "  ".join("─" * width for width in widths)
        yield from (_line(row, widths) for row in self.rows)
        yield from self.notes

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{_escape(cell)}</th>" for cell in self.head)
        body = "".join(f"<tr>{''.join(f'<td>{_escape(cell)}</td>' for cell in row)}</tr>" for row in self.rows)
        notes = "".join(f"<div>{_escape(note)}</div>" for note in self.notes)
        return (
            f"<table><caption>{_escape(self.title)}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"
        )

    def to_pandas(self) -> Any:
        """The rows as a `pandas.DataFrame`. Raises BadSetup where pandas is not installed."""
        return to_dataframe([dict(zip(self.head, row, strict=True)) for row in self.rows])


def to_dataframe(rows: Sequence[dict[str, Any]]) -> Any:
    """Rows as a `pandas.DataFrame`. Raises BadSetup where pandas is not installed."""
    from earmark.errors import BadSetup  # noqa: PLC0415 - a table is printed without it

    try:
        import pandas as pd  # noqa: PLC0415 - the user's own, not ours
    except ModuleNotFoundError as error:
        raise BadSetup("to_pandas() needs pandas, which is not installed; type: pip install pandas") from error
    return pd.DataFrame(rows)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _escape(text: str) -> str:
    return html.escape(printable(text))
