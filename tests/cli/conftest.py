"""A small run for tests of commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import earmark
from run_command import COMMAND


@pytest.fixture
def run() -> Path:
    assert earmark(*COMMAND).returncode == 0
    (signed,) = Path("results").rglob("run.json")
    return signed.parent
