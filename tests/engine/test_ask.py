"""The way from the command to the model: how long it is, and how often settings are parsed on it."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from msgspec import Struct

import earmark
from earmark import config
from earmark.cli.run import command
from earmark.models.fake import FakeModel
from earmark.types import Prompt, Response

PACKAGE = str(Path(earmark.__file__).parent)
MAX_FRAMES = 10  # of Earmark's own between the command and the model


def waiting_frames(task: asyncio.Task[object]) -> Iterator[FrameType]:
    """Frames of the coroutines of a task that waits, the outermost first."""
    coroutine = task.get_coro()
    while inspect.iscoroutine(coroutine):
        if coroutine.cr_frame:
            yield coroutine.cr_frame
        coroutine = coroutine.cr_await  # type: ignore[assignment] # of a future: it ends there


def own_functions(frames: list[FrameType]) -> list[str]:
    return [frame.f_code.co_qualname for frame in frames if frame.f_code.co_filename.startswith(PACKAGE)]


def test_the_settings_of_a_model_are_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parse = config.parse_settings

    def count(kind: type[Struct], settings: Mapping[str, Any], prefix: str) -> Any:
        parsed.append(f"{kind.__module__}.{kind.__name__}")
        return parse(kind, settings, prefix)

    monkeypatch.setattr(config, "parse_settings", count)
    command.main(["mine.bench", "items=1", "model=fake"], standalone_mode=False)
    assert parsed.count("earmark.config.CommonSettings") == 1
    assert parsed.count("earmark.models.fake.Settings") == 1


def test_few_frames_lie_between_the_command_and_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    async def generate(_: FakeModel, __: Prompt) -> Response:
        running = asyncio.current_task()
        (main,) = (task for task in asyncio.all_tasks() if task is not running and "evaluate" in repr(task.get_coro()))
        here = [info.frame for info in inspect.stack()]
        seen[:] = [*own_functions(here[::-1]), *own_functions(list(waiting_frames(main)))]
        return Response("A")

    monkeypatch.setattr(FakeModel, "generate", generate)
    command.main(["mine.bench", "items=1", "model=fake"], standalone_mode=False)
    assert {"command", "evaluate", "Runner.ask", "Throttle.generate"} <= {*seen}
    assert len(seen) <= MAX_FRAMES, seen
