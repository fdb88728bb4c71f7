"""A benchmark and a model that hold a program up: on a thread, and on the loop's own."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec import Struct

from earmark.models.fake import FakeModel
from earmark.types import Benchmark, replace
from mine import bench

LONG = 60.0  # seconds


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing to set."""


def fetch(say: Callable[[str], None]) -> None:
    """Bring data for ever."""
    say("fetching")
    Path("begun").touch()
    time.sleep(LONG)


def benchmark(tasks: tuple[str, ...] = ()) -> Benchmark:
    """A benchmark whose data are fetched for ever."""
    return replace(bench.load(bench.Settings(), tasks), name="mine.slow", fetch=fetch)


@asynccontextmanager
async def opened() -> AsyncIterator[FakeModel]:
    """A model whose weights are loaded for ever."""
    time.sleep(LONG)  # noqa: ASYNC251 - as libraries that load weights do
    yield FakeModel(lambda _: "A")


def load(settings: Settings, tasks: tuple[str, ...] | None = None) -> object:
    """Either, by how it is asked for."""
    if tasks is not None:
        return benchmark(tasks)
    Path("begun").touch()
    return opened()
