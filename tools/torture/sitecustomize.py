"""Kill this process at the n-th change of files, where EARMARK_KILL_AT says so: found by Python on PYTHONPATH."""

from __future__ import annotations

import builtins
import io
import os
import signal
from collections.abc import Callable
from typing import Any

STEP = int(os.environ.pop("EARMARK_KILL_AT", "0"))
done = 0


def counted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Count the calls of a function, and die at one of them."""

    def call(*arguments: Any, **options: Any) -> Any:
        global done  # noqa: PLW0603 - of the process
        done += 1
        if done == STEP:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **options)

    return call


def opened(function: Callable[..., Any]) -> Callable[..., Any]:
    """Count what is opened to be written."""
    count = counted(function)

    def call(*arguments: Any, **options: Any) -> Any:
        mode = str(options.get("mode", arguments[1] if len(arguments) > 1 else "r"))
        return (count if set(mode) & set("wax+") else function)(*arguments, **options)

    return call


if STEP:
    for name in ("rename", "replace", "mkdir", "unlink", "rmdir", "ftruncate"):
        setattr(os, name, counted(getattr(os, name)))
    builtins.open = io.open = opened(io.open)
