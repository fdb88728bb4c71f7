"""Cases of judges, and a cache of their own for every test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import ENV


@pytest.fixture
def cases(shared: Path) -> dict[str, Any]:
    lines = map(json.loads, (shared / "cases" / "cases.jsonl").read_text(encoding="utf-8").splitlines())
    return {case["id"]: case for case in lines}


@pytest.fixture
def eva(shared: Path) -> Path:
    return shared / "data" / "eva"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EARMARK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(ENV, "EARMARK_CACHE", str(tmp_path / "cache"))
