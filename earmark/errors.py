"""Every exception of the house.

    EarmarkError               one line for the user: what was found, what was expected, what to do
    ├── UsageError       (2)   a word on the command line means nothing here
    ├── BadData          (3)   a file of data that cannot be what it should be, or that the system does not give or take
    ├── BadSetup         (4)   a missing package, key, server or model: nothing can be asked
    ├── RunMismatch      (5)   an unfinished run was made with other settings, prompts or sound
    ├── Stopped          (6)   the run ended before its last item; the same command goes on
    └── AskError               about one prompt; `run.py` makes a `Failure` of it
        ├── Transient          asking again may help
        ├── Rejected           the model will not take this request, ever
        ├── Filtered           the provider withheld the answer
        └── AudioError        the sound could not be read or fitted to the model

The number is the exit status of the command line. 0 is success, 1 a bug of ours, 7 a run that ended with failed items,
130 an interrupt.
"""

from __future__ import annotations

import errno
from typing import ClassVar, Final

FINISHED_WITH_FAILURES = 7
INTERRUPTED = 130
DISK_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})  # what a full disk says


class EarmarkError(Exception):
    """The root: catch this at the door and nowhere else."""

    status: ClassVar[int] = 1


class UsageError(EarmarkError):
    """A word on the command line means nothing here."""

    status = 2


class BadData(EarmarkError):
    """A file of data is not what it should be."""

    status = 3


class BadSetup(EarmarkError):
    """Nothing can be asked until the user changes something outside Earmark."""

    status = 4


class RunMismatch(EarmarkError):
    """An unfinished run cannot be continued with what is asked now."""

    status = 5


class RunStopped(EarmarkError):
    """The run ended before its last item, with every answer on disk."""

    status = 6


class AskError(EarmarkError):
    """One prompt could not be answered."""


class Transient(AskError):
    """Asking again may help; `wait` is how long the server asked for, in seconds."""

    def __init__(self, message: str, wait: float | None = None, *, busy: bool = False) -> None:
        super().__init__(message)
        self.wait = wait
        self.busy = busy  # the server said that it has too much to do


class Rejected(AskError):
    """The model will not take this request, however often it is asked."""


class ContentFiltered(AskError):
    """The provider withheld the answer."""


class AudioError(AskError):
    """The sound could not be read, or not be fitted to what the model hears."""


def from_os_error(error: OSError) -> BadData | RunStopped:
    """Translate an OSError on a file or folder.

    >>> from_os_error(PermissionError(errno.EACCES, "Permission denied", "results"))
    BadData('results: Permission denied; expected a place that is there and may be read and written')
    """
    why = error.strerror or str(error)
    message = f"{error.filename}: {why}" if error.filename else why
    if error.errno in DISK_FULL:
        return RunStopped(f"{message}; make room, and the same command goes on")
    return BadData(f"{message}; expected a place that is there and may be read and written")
