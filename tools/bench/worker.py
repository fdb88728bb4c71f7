"""A reply that takes tens of milliseconds of work on one thread, as a model in this process does."""

from __future__ import annotations

import time

from earmark.types import Prompt

SECONDS = 0.04  # of processor time


def answer(_: Prompt) -> str:
    """Work, then answer."""
    until = time.thread_time() + SECONDS
    while time.thread_time() < until:
        sum(range(2000))
    return "A"
