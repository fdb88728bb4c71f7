"""State of the batches of a run: files in RUN/batch/, see batch.py."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from earmark.errors import UsageError
from earmark.journal import read_keys

FOLDER: Final = "batch"


class BatchState(Struct, frozen=True):
    """State of a batch."""

    number: int
    questions: int
    file: str = ""  # as the service calls it, once it has it
    batch: str = ""
    done: bool = False


class CompletedOrPending:
    """Questions not to ask: those completed, and those pending in a batch."""

    def __init__(self, done: Container[int], run: Path) -> None:
        self._done = done
        self._sent = {
            line.question_id()
            for state in load_batch_states(run)
            if not state.done
            for line in read_keys(records_path(run, state.number))
        }

    def __contains__(self, question: object) -> bool:
        return question in self._sent or question in self._done


def load_batch_states(run: Path) -> list[BatchState]:
    """The batches of a run, in order."""
    return [msgspec.json.decode(path.read_bytes(), type=BatchState) for path in sorted((run / FOLDER).glob("*.json"))]


def count_pending(run: Path) -> int:
    """Number of questions of a run a service has in its queue."""
    return sum(state.questions for state in load_batch_states(run) if not state.done)


def check_no_pending_batch(run: Path) -> None:
    """Raise UsageError where questions that are under way in a batch would be asked otherwise."""
    if waiting := count_pending(run):
        raise UsageError(f"{run}: {waiting} questions are under way in a batch; add batch=true to wait for them")


def records_path(run: Path, number: int) -> Path:
    return run / FOLDER / f"{number:03}.records.jsonl"


def requests_path(run: Path, number: int) -> Path:
    return run / FOLDER / f"{number:03}.requests.jsonl"
