"""Whole processes and pairs of them: processor seconds by os.wait4, ratios round by round.

A ratio is that of two measurements of one round, A then B, so that both have the machine of the same minute. What is
reported is the median of the rounds and their range.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))


class Used(NamedTuple):
    """What a process took."""

    cpu: float  # seconds, of it and its children
    wall: float
    memory: float  # MB at most


class Figure(NamedTuple):
    """One line of the table."""

    name: str
    ratios: list[float]  # one a round
    goal: float
    at_most: bool  # False: at least
    remark: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.ratios)

    @property
    def is_met(self) -> bool:
        return self.median <= self.goal if self.at_most else self.median >= self.goal


def run(command: Sequence[str]) -> Used:
    """Run a command to its end; one that fails ends all."""
    paths = [str(HERE), str(HERE.parent), os.environ.get("PYTHONPATH", "")]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "NO_COLOR": "1"}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # else each start compiles what an installed package has compiled
    began = time.perf_counter()
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}")
    return Used(used.ru_utime + used.ru_stime, time.perf_counter() - began, used.ru_maxrss / 1024)


def python(*words: str) -> Used:
    """Run a command of this interpreter."""
    return run([sys.executable, *words])


def earmark(*words: str) -> Used:
    """Run a whole command of ours."""
    return python("-m", "earmark", *words)


def rounds(*steps: Callable[[], float]) -> list[tuple[float, ...]]:
    """Measure the steps one after the other, as often as there are rounds."""
    return [tuple(step() for step in steps) for _ in range(ROUNDS)]


@contextlib.contextmanager
def server(*words: str) -> Iterator[str]:
    """A canned server in a process of its own; see server.py."""
    process = subprocess.Popen([sys.executable, str(HERE / "server.py"), *words], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
