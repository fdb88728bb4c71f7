"""Scorers that are opened without asking anybody."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from earmark.engine.load import load_scorer
from earmark.errors import UsageError
from earmark.runs.kept_scores import KeptScores
from earmark.runs.open_scorers import OpenScorers


def test_a_scorer_that_asks_nobody_is_opened_and_one_that_asks_keeps_its_scores(tmp_path: Path) -> None:
    async def opened() -> None:
        async with AsyncExitStack() as stack:
            scorers = OpenScorers(
                lambda _: (load_scorer("choice", {}), load_scorer("judge", {"judge": "fake"})),
                stack,
                KeptScores(tmp_path),
            )
            await scorers.of("birds")

    with pytest.raises(UsageError, match="birds has no scores of judge to keep, and its judge is not asked"):
        asyncio.run(opened())
