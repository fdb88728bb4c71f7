"""The one place that holds back exceptions which are not ours, so that a bug costs one item and not the run.

Models, benchmarks, conditions and scorers may be anybody's, and replies have any shape. What they raise about one item
beside the errors of `errors.py` is a bug, ours or theirs: the item fails by name, its traceback is kept in the folder
of the run, and the run goes on. Nothing else in the package catches what it does not name (tests/test_floors.py).
"""

from __future__ import annotations

import threading
import traceback
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from earmark.data.plain import replace_surrogates
from earmark.errors import DISK_FULL, EarmarkError
from earmark.types import Failure

FILE: Final = "tracebacks.txt"
MESSAGE_LENGTH: Final = 300  # characters of what an exception says that go into a failure


class Barrier:
    """A context that holds back an unexpected exception; `error` is what was raised in it.

    Errors of ours, interrupts, cancellation and a full disk pass. It may be entered again.
    """

    def __init__(self) -> None:
        self.error: Exception | None = None

    def __enter__(self) -> Self:
        self.error = None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is None:
            return False
        ours = isinstance(error, EarmarkError) or (isinstance(error, ExceptionGroup) and error.subgroup(EarmarkError))
        full = isinstance(error, OSError) and error.errno in DISK_FULL
        if not isinstance(error, Exception) or ours or full:
            return False
        self.error = error
        return True


class Tracebacks:
    """The file of tracebacks in the folder of a run; each traceback is written once. Threads share it."""

    def __init__(self, folder: Path | None = None) -> None:
        self._path = folder / FILE if folder else None
        self._seen: set[str] = set()
        self._lock = threading.Lock()

    def failure(self, barrier: Barrier, title: str, attempts: int = 1) -> Failure:
        """Write down what a barrier held back about one item, and return the failure that it amounts to."""
        return Failure("request-failed", self.add(barrier, title), attempts=attempts)

    def add(self, barrier: Barrier, title: str) -> str:
        """Write down what a barrier held back, and return what is to be said of it, in one line."""
        error = barrier.error
        if error is None:
            raise AssertionError("asked of a barrier that holds nothing back")
        where = "".join(traceback.format_tb(error.__traceback__)) + type(error).__name__
        with self._lock:
            if self._path and where not in self._seen:
                self._seen.add(where)
                with self._path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                    file.write(f"{title}\n{''.join(traceback.format_exception(error))}\n")
        message = replace_surrogates(" ".join(str(error).split()))[:MESSAGE_LENGTH]
        return f"{type(error).__name__}: {message}; a bug{f', its traceback is in {FILE}' if self._path else ''}"
