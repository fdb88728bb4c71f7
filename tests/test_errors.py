"""Errors: each ends a command with a status of its own, and an error of the system becomes one line."""

from __future__ import annotations

import errno
import re
from itertools import pairwise
from pathlib import Path

import pytest

from earmark import errors
from earmark.errors import (
    DISK_FULL,
    AskError,
    AudioError,
    BadData,
    EarmarkError,
    Rejected,
    RunStopped,
    Transient,
    alternatives,
    from_os_error,
    near_names,
)


def test_every_error_is_one_of_ours_and_no_two_kinds_share_a_status() -> None:
    raised = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Exception)]
    kinds = [each for each in raised if issubclass(each, EarmarkError)]
    assert kinds == raised
    commands = sorted(kind.status for kind in kinds if not issubclass(kind, AskError))
    assert all(first < second for first, second in pairwise(commands)), commands
    assert {errors.FINISHED_WITH_FAILURES, errors.INTERRUPTED, 0}.isdisjoint(commands)


def test_what_becomes_of_one_prompt_is_no_error_of_a_command() -> None:
    assert all(issubclass(kind, AskError) for kind in (Transient, Rejected, AudioError))
    assert not any(issubclass(kind, AskError) for kind in (BadData, RunStopped))


def test_a_passing_failure_says_how_long_to_wait_and_who_is_busy() -> None:
    told = Transient("HTTP 429", 2.5, busy=True)
    assert (str(told), told.wait, told.busy) == ("HTTP 429", 2.5, True)
    assert (Transient("x").wait, Transient("x").busy) == (None, False)


@pytest.mark.parametrize("number", sorted(DISK_FULL))
def test_a_full_disk_stops_a_run_that_goes_on(number: int) -> None:
    found = from_os_error(OSError(number, "full", "results/a.jsonl"))
    assert isinstance(found, RunStopped)
    assert str(found) == "results/a.jsonl: full; free some space and rerun the command to resume"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (FileNotFoundError(errno.ENOENT, "No such file or directory", "a.wav"), "a.wav: No such file or directory; "),
        (
            IsADirectoryError(errno.EISDIR, "Is a directory", "run.json"),
            "run.json: Is a directory; the path must exist",
        ),
        (OSError("cannot seek"), "cannot seek; the path must exist"),
    ],
)
def test_any_other_error_of_a_file_is_one_line_that_names_it(error: OSError, told: str) -> None:
    found = from_os_error(error)
    assert isinstance(found, BadData)
    assert str(found).startswith(told)
    assert "\n" not in str(found)


def test_every_list_of_names_is_preceded_by_those_that_are_alike() -> None:
    """A message that lists what there is, of a name that is not, is made by `alternatives`."""
    listing = re.compile(r"called '\{[^{}]*\}'[^{}]*; there are: \{', '\.join")
    package = Path(errors.__file__).parent
    wrong = [path for path in package.rglob("*.py") if listing.search(path.read_text(encoding="utf-8"))]
    assert wrong == []
    assert alternatives("loudnes", ["pitch", "loudness"]) == "; did you mean loudness? There are: pitch, loudness"
    assert near_names("LOCAL", ["local"]) == "; did you mean local?"
