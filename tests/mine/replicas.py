"""Replies for tests of replicas: each notes its item and its process in a file of the working folder."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from earmark.errors import ContentFiltered, Transient
from earmark.types import Prompt, Response
from mine.odd import number

LOG = Path("asked.txt")
POISON = 150  # the item that kills the process


def answer(prompt: Prompt) -> Response:
    """An answer that depends on the item alone."""
    item = number(prompt)
    with LOG.open("a") as file:
        file.write(f"{item} {os.getpid()}\n")
    return Response("AB"[item % 3 == 0])


def poisoned(prompt: Prompt) -> Response:
    """The same, but for one item that kills the process."""
    response = answer(prompt)
    if number(prompt) == POISON:
        os.kill(os.getpid(), signal.SIGKILL)
    return response


def faulty(prompt: Prompt) -> Response:
    """Errors of each kind."""
    item = number(prompt)
    if item == 1:
        raise ContentFiltered("withheld")
    if item == 2 and not any(each == 2 for each, _ in asked()):
        answer(prompt)
        raise Transient("not now", 0.0)
    if item == 3:
        raise ZeroDivisionError("a bug of the model")
    return answer(prompt)


def asked() -> list[tuple[int, int]]:
    """Items and processes, in the order of the questions."""
    lines = LOG.read_text().splitlines() if LOG.exists() else []
    return [(int(item), int(process)) for item, process in map(str.split, lines)]
