"""Environment of the programs that we start: without the keys that a file `.env` of the working folder set."""

from __future__ import annotations

import os
from collections.abc import Iterable

_from_dotenv: set[str] = set()


def keep_from_programs(names: Iterable[str]) -> None:
    """Leave variables out of the environment of the programs that are started from now on."""
    _from_dotenv.update(names)


def program_environment() -> dict[str, str]:
    """Return the environment for a program."""
    return {name: value for name, value in os.environ.items() if name not in _from_dotenv}
