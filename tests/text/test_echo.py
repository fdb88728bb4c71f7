"""Replies that repeat their prompt."""

from __future__ import annotations

from commands import earmark
from recorded_runs import ITEMS, records, run

from earmark.text.echo import NOTE


def test_a_reply_that_repeats_the_prompt_is_noted_and_counted() -> None:
    """Finding K12."""
    outcome = run("model=fake", "model.reply=mine.odd:echo")
    noted = [found.item.id for found in records(outcome).values() if found.response and NOTE in found.response.notes]
    assert sorted(noted) == sorted(f"item-{at}" for at in range(1, ITEMS, 2))
    assert [
        notice for notice in outcome.metrics.warnings if "20 of 40 answers repeat the text of their prompt" in notice
    ]
    assert "20 of 40 answers repeat" in earmark("show", str(outcome.folder)).stdout
    assert "20 of 40 answers repeat" in earmark("rescore", str(outcome.folder)).stdout
