"""A benchmark that holds a program up, on a thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from earmark.types import Benchmark, Context, replace
from mine import bench

LONG = 60.0  # seconds


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing to set."""


def fetch(say: Callable[[str], None]) -> None:
    """Bring data for ever."""
    say("fetching")
    Path("begun").touch()
    time.sleep(LONG)


def load(settings: Settings, context: Context) -> Benchmark:
    """A benchmark whose data are fetched for ever."""
    return replace(bench.make(), fetch=fetch)
