"""Audiograms of an ear with known thresholds."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
EAR = ("model=fake", "model.reply=examples.ears:ear", "model.name=simulated")


def folder() -> Path:
    (path,) = Path("results").rglob("responses.jsonl")
    return path.parent
