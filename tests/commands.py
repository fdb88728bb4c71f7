"""The command line in a process of its own, as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ENV = os.environ | {"PYTHONPATH": str(HERE), "NO_COLOR": "1"}


PATIENCE = 600.0  # seconds, against hanging for ever; what takes seconds here may take minutes on a busy machine


def earmark(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    command = [sys.executable, "-m", "earmark", *words]
    return subprocess.run(command, env=ENV, capture_output=True, text=True, check=False, timeout=PATIENCE)


def started(*words: str) -> subprocess.Popen[str]:
    """Start a command and go on."""
    command = [sys.executable, "-m", "earmark", *words]
    return subprocess.Popen(command, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
