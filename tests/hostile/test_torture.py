"""A short part of `make torture`: kills at random moments and at changes of files, and servers that break."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from commands import PATIENCE

TOOL = Path(__file__).parents[2] / "tools" / "torture"


def test_nothing_is_lost_doubled_or_left_in_a_short_torture(tmp_path: Path) -> None:
    words = ("--seed", "16", "--minutes", "1.5", "--kills", "6", "--steps", "1", "--faults", "6")
    done = subprocess.run(
        [sys.executable, TOOL, *words], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stdout + done.stderr
    trials, _, table = done.stdout.partition("\ncommand ")
    assert len(trials.splitlines()) == sum(map(int, re.findall(r"^\S+ +(\d+)", table.partition("\n")[2], re.MULTILINE)))
    assert trials, done.stdout
