"""A model that holds a program up, on the loop's own thread."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec import Struct

from earmark.models.fake import FakeModel
from earmark.types import Context
from mine.slow import LONG


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing to set."""


@asynccontextmanager
async def load(settings: Settings, context: Context) -> AsyncIterator[FakeModel]:
    """A model whose weights are loaded for ever."""
    Path("begun").touch()  # noqa: ASYNC240 - as they do
    time.sleep(LONG)  # noqa: ASYNC251 - as libraries that load weights do
    yield FakeModel(lambda _: "A")
