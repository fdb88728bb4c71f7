"""Score replies from Python."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import orjson
from msgspec import Struct

from earmark.api.results import Scores, _score
from earmark.api.table import TextTable
from earmark.engine.load import load_scorer
from earmark.report import table
from earmark.report.rows import Row
from earmark.runs.score_file import score_file


class ScoredReplies(Struct, frozen=True):
    """Scores of replies that no run asked for."""

    row: Row
    items: Scores  # a dictionary for each reply, in their order
    notes: tuple[str, ...] = ()

    @property
    def scores(self) -> Scores:
        """Every metric, a dictionary each: value, low, high, n, states."""
        return Scores(_score(self.row, name) for name in self.row.metrics)

    @property
    def table(self) -> TextTable:
        """Every metric with its interval, as `earmark score` prints them."""
        lines = ((line[0], *line[3:]) for line in table.full_table([self.row]))
        return TextTable(
            str(self.row.signature),
            ("metric", *table.HEAD[2:]),
            tuple(lines),
            (*table.footnotes([self.row]), *self.notes),
        )

    def __repr__(self) -> str:
        return str(self.table)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def score(replies: str | Path | Sequence[Mapping[str, Any]], scorer: str, **settings: Any) -> ScoredReplies:
    """Score replies with one of the scorers of `earmark list scorers`.

    `replies`: a file of JSON lines, or dictionaries with id, reply and target, and choices or labels where the scorer
    reads a choice. `settings`: those of the scorer, such as language="en" for wer. Raises EarmarkError.
    """
    made = load_scorer(scorer, settings)
    notes: list[str] = []
    source = Path(replies) if isinstance(replies, str | Path) else replies
    with ThreadPoolExecutor(1, "earmark-score") as pool:  # where an event loop runs already, as in a notebook
        row, lines = pool.submit(asyncio.run, score_file(source, made, notes.append)).result()
    return ScoredReplies(row, Scores(map(orjson.loads, lines)), tuple(notes))
