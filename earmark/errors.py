"""Exceptions of the package.

    EarmarkError                   one line for the user: what was found, what was expected, what to do
    ├── UsageError           (2)   an invalid argument of the command line
    ├── BadData              (3)   an invalid file of data, or one that cannot be read or written
    ├── BadSetup             (4)   a missing package, key, server or model
    ├── RunMismatch          (5)   an unfinished run has other settings, prompts or audio
    ├── RunStopped           (6)   the run ended before its last item; the same command resumes it
    └── AskError                   about one prompt; the engine records it as a `Failure`
        ├── Transient              a retry may help
        ├── Rejected               the model will never accept this request
        ├── ContentFiltered        the provider withheld the answer
        └── AudioError             the audio could not be read or prepared for the model

The number is the exit status of the command line. 0 is success, 1 a bug, 7 a run that ended with failed items, 8 a
requirement on a run that is not met, 130 an interrupt.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable
from typing import ClassVar, Final

FINISHED_WITH_FAILURES = 7
REQUIREMENT_FAILED = 8
INTERRUPTED = 130
DISK_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def near_names(name: str, known: Iterable[object]) -> str:
    """Ask for names that are alike; empty where there are none.

    >>> near_names("pich", ["pitch", "tempo"])
    '; did you mean pitch?'
    """
    from difflib import get_close_matches  # noqa: PLC0415 - of messages alone

    lower = {str(each).lower(): str(each) for each in known}
    near = [lower[each] for each in get_close_matches(name.lower(), lower, 3)]
    return f"; did you mean {' or '.join(near)}?" if near else ""


def alternatives(name: str, known: Iterable[object], listed: str = "") -> str:
    """List the names that there are, at the end of a message on one that is not; those that are alike come first.

    `listed` stands for all of them, where they are not listed one by one.

    >>> alternatives("pich", ["pitch", "tempo"]), alternatives("x", ["pitch", "tempo"]), alternatives("x", [])
    ('; did you mean pitch? There are: pitch, tempo', '; there are: pitch, tempo', '; there are: none')
    """
    names = [str(each) for each in known]
    near = near_names(name, names)
    return f"{f'{near} There' if near else '; there'} are: {listed or ', '.join(names) or 'none'}"


class EarmarkError(Exception):
    """Base class: caught by the command line and nowhere else."""

    status: ClassVar[int] = 1


class UsageError(EarmarkError):
    """An argument of the command line is invalid."""

    status = 2


class BadData(EarmarkError):
    """A file of data is invalid, or cannot be read or written."""

    status = 3


class BadSetup(EarmarkError):
    """A package, key, server or model is missing."""

    status = 4


class RunMismatch(EarmarkError):
    """An unfinished run cannot be resumed with the current settings, prompts or audio."""

    status = 5


class RunStopped(EarmarkError):
    """The run ended before its last item, with every response on disk."""

    status = 6


class AskError(EarmarkError):
    """One prompt could not be answered."""


class Transient(AskError):
    """A retry may help; `wait` is the delay that the server asked for, in seconds."""

    def __init__(self, message: str, wait: float | None = None, *, busy: bool = False) -> None:
        super().__init__(message)
        self.wait = wait
        self.busy = busy  # the server is overloaded


class Rejected(AskError):
    """The model will never accept this request."""


class ContentFiltered(AskError):
    """The provider withheld the answer."""


class AudioError(AskError):
    """The audio could not be read, or not be prepared for the model."""


def from_os_error(error: OSError) -> BadData | RunStopped:
    """Translate an OSError on a file or folder.

    >>> from_os_error(PermissionError(errno.EACCES, "Permission denied", "results"))
    BadData('results: Permission denied; the path must exist and be readable and writable')
    """
    why = error.strerror or str(error)
    message = f"{error.filename}: {why}" if error.filename else why
    if error.errno in DISK_FULL:
        return RunStopped(f"{message}; free some space and rerun the command to resume")
    return BadData(f"{message}; the path must exist and be readable and writable")
