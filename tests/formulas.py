"""Replies that a spreadsheet would take for formulas."""

from __future__ import annotations

import csv
import re
from pathlib import Path

FORMULAS = ("=SUM(1,1)", "+1", "-1", "@cmd", "\t=1", "\r=1", "=cmd|'/C calc'!A0", "'=1", "''+1")


def as_it_was(cell: str) -> str:
    """A cell without the apostrophe that keeps a spreadsheet from running it."""
    return re.sub(r"^'(?='*[=+\-@\t\r])", "", cell)


def cells(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
