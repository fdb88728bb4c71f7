"""The way from the command to the model: how long it is, and how often settings are parsed on it."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec
import pytest
from msgspec import Struct

import earmark
from earmark.cli.run import command
from earmark.config import parse as config_parse
from earmark.data.prompt_words import WORDS_FILE, read_words
from earmark.journal import JOURNAL_FILE, read_journal
from earmark.models.fake import FakeModel
from earmark.runs.signature import load_signature, replace_versions
from earmark.types import Capabilities, Prompt, Response

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
    parse = config_parse.parse_settings

    def count(kind: type[Struct], settings: Mapping[str, Any], prefix: str) -> Any:
        parsed.append(f"{kind.__module__}.{kind.__name__}")
        return parse(kind, settings, prefix)

    monkeypatch.setattr(config_parse, "parse_settings", count)
    command.main(["mine.bench", "items=1", "model=fake"], standalone_mode=False)
    assert parsed.count("earmark.config.settings.CommonSettings") == 1
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


# ---------------------------------------------------------------- what lies in the folder of a run


def run_folder(*words: str) -> Path:
    """The folder of a small run of a fake model."""
    command.main(["mine.bench", "model=fake", *words], standalone_mode=False)
    return max(Path("results").rglob("run.json")).parent


def test_each_record_names_the_words_that_were_sent_after_its_condition() -> None:
    run = run_folder("items=3", "condition=[plain,transcript]", "repeats=2")
    words = {each.digest: each for each in read_words(run / WORDS_FILE)}
    records = list(read_journal(run / JOURNAL_FILE))
    assert (len(records), len(words)) == (12, 6)  # a repeat sends the same
    for record in records:
        (turn,) = words[record.words].turns
        sound, question = turn.parts
        assert question == f"{record.item.question}\nA. yes\nB. no"
        assert (sound == {"sound": 0}) == (record.condition == "plain")
        assert len(record.audio_sent) == (record.condition == "plain")


def test_words_are_on_disk_before_the_model_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def count_words() -> int:
        return sum(1 for path in Path("results").rglob(WORDS_FILE) for _ in read_words(path))

    async def generate(_: FakeModel, __: Prompt) -> Response:
        seen.append(count_words())
        return Response("A")

    monkeypatch.setattr(FakeModel, "generate", generate)
    run_folder("items=5", "model.concurrency=1")
    assert all(kept > index for index, kept in enumerate(seen)), seen


def test_words_can_be_left_out() -> None:
    run = run_folder("items=1", "keep_words=false")
    assert not (run / WORDS_FILE).exists()
    assert [record.words for record in read_journal(run / JOURNAL_FILE)] == [""]


def test_a_run_tells_where_it_was_begun_and_what_its_model_takes() -> None:
    run = run_folder("items=1", "model.capabilities={formats:[flac],rates:[8000]}")
    signature = load_signature(run)
    assert signature.working_folder == str(Path.cwd())
    assert signature.capabilities == Capabilities(("flac",), (8000,))
    elsewhere = msgspec.structs.replace(signature, working_folder="/elsewhere", capabilities=None)
    assert replace_versions(elsewhere) == replace_versions(signature)  # neither signs the run
