"""Runs of models that always answer alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from commands import earmark


def ran(name: str, reply: str, *more: str) -> Path:
    before = set(Path("results").rglob("run.json"))
    done = earmark("run", *more, "model=fake", f"model.name={name}", f"model.reply={reply}")
    assert done.returncode in (0, 7), done.stderr
    (made,) = set(Path("results").rglob("run.json")) - before
    return made.parent


def board(*words: str) -> Any:
    done = earmark("leaderboard", *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
