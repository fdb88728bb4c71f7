"""The program of LISTEN in a process of its own."""

from __future__ import annotations

import subprocess
import sys

from commands import ENV, PATIENCE


def listen_eval(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from earmark.cli.listen_eval import main; main()", *words],
        env=ENV, capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
