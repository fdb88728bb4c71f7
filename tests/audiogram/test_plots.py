"""Pictures of audiograms: the library that draws."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from audiogram_runs import EAR, folder
from commands import ENV, earmark

# ^ where examples/ears.py is right in 75 %: a normal error is smaller than 0.674 of its spread that often


@pytest.mark.parametrize("command", [["audiogram", *EAR], ["show", "RUN", "--plot", "a.png"]])
def test_without_the_library_that_draws_the_line_to_type_comes_before_anything_is_asked(command: list[str]) -> None:
    if command[0] == "show":
        assert earmark("run", "mine.bench", "items=4", "model=fake", "noise=[0]").returncode == 0
        command = [str(folder()) if word == "RUN" else word for word in command]
    program = "import sys; sys.modules['matplotlib'] = None; from earmark.cli import main; main(*sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", program, *command], env=ENV, capture_output=True, text=True, check=False
    )
    assert done.returncode == 4, done.stderr
    assert (
        done.stderr.strip()
        == "earmark: matplotlib is not installed, and pictures are drawn by it; type: pip install 'earmark[plot]'"
    )
    assert command[0] == "show" or not Path("results").exists()
