"""A process that scores chunks of a journal for another one, see score_workers.py."""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
from typing import Any

from earmark.runs.score_workers import WorkerSetup, score_for_parent


def main() -> None:
    """Score chunks as they come, until no more do."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a scorer prints goes nowhere
    requests: Any = sys.stdin.buffer
    setup: WorkerSetup = pickle.load(requests)  # noqa: S301 - of the process that started this one
    while True:
        try:
            chunk = pickle.load(requests)  # noqa: S301
        except EOFError:
            return
        result = asyncio.run(score_for_parent(setup, chunk))
        pickle.dump(None if result.scored.broken else result, answers)
        answers.flush()


if __name__ == "__main__":
    main()
