"""Shared parts of multiple-choice benchmarks."""

from __future__ import annotations

from collections.abc import Sequence

from earmark.errors import UsageError, alternatives


def check_tasks(benchmark: str, asked: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """The tasks asked for in the benchmark's own order, all of them where none is named."""
    wrong = [task for task in asked if task not in known]
    if wrong:
        raise UsageError(f"{benchmark} has no task '{wrong[0]}'{alternatives(wrong[0], known)}")
    return tuple(task for task in known if not asked or task in asked)
