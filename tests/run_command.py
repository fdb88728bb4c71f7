"""The command of a small run."""

from __future__ import annotations

COMMAND = ("run", "mine.bench", "model=fake", "items=4")
