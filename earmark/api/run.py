"""Run a benchmark from Python."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from earmark.api.results import Run
from earmark.config.compose import compose_config
from earmark.data.hydra_words import quote
from earmark.engine.load import load_run_benchmark, split_tasks
from earmark.engine.progress import Callbacks, Progress
from earmark.errors import UsageError
from earmark.evaluate import evaluate

Settings = Any  # a text, number, true or false, None, or a list or dictionary of these


def run(
    benchmark: str,
    model: str | Mapping[str, Settings],
    *,
    progress: bool | Callable[[Progress], None] = True,
    **settings: Settings,
) -> Run:
    """Run a benchmark, or resume the newest unfinished run of equal settings, and return it scored.

    `benchmark`: a name with its tasks, such as "acoustics:pitch,loudness". `model`: as on the command line (a name of
    `earmark list models`, BACKEND/NAME, or the URL of a server), or settings with one of these as `model`. `settings`:
    those of `earmark run`, such as limit=50, condition=["plain", "silence"]. `progress`: shown, not shown, or a
    function that is given it. Also works where an event loop runs already, as in a notebook. Raises EarmarkError.
    """
    coroutine = arun(benchmark, model, progress=progress, **settings)
    try:
        asyncio.get_running_loop()
    except RuntimeError:  # there is none
        return asyncio.run(coroutine)
    with ThreadPoolExecutor(1, "earmark-run") as pool:
        return pool.submit(asyncio.run, coroutine).result()


async def arun(
    benchmark: str,
    model: str | Mapping[str, Settings],
    *,
    progress: bool | Callable[[Progress], None] = True,
    **settings: Settings,
) -> Run:
    """The same as a coroutine: `run = await earmark.arun(...)`."""
    name, tasks = split_tasks(benchmark)
    config = compose_config([*model_words(model), *(setting_word(key, value) for key, value in settings.items())])
    loaded, config = load_run_benchmark(name, tuple(filter(None, tasks.split(","))), config)
    with _display(progress) as callbacks:
        result = await evaluate(loaded, config, callbacks)
    return Run(result.folder)


def model_words(model: str | Mapping[str, Settings]) -> list[str]:
    """The words of a command line for a model.

    >>> model_words({"model": "openai/gpt-4o-audio-preview", "temperature": 0})
    ['model=openai/gpt-4o-audio-preview', 'model.temperature=0']
    """
    if isinstance(model, str):
        return [f"model={model}"]
    named = model.get("model")
    if not isinstance(named, str):
        raise UsageError(f"model={dict(model)!r} names no model; expected one as 'model', such as a URL")
    return [
        f"model={named}",
        *(setting_word(f"model.{key}", value) for key, value in model.items() if key != "model"),
    ]


def setting_word(key: str, value: Settings) -> str:
    """A setting as a word of the command line.

    >>> setting_word("limit", 50), setting_word("condition", ["plain", "noise:10"]), setting_word("resume", False)
    ('limit=50', "condition=['plain','noise:10']", 'resume=false')
    >>> setting_word("system_prompt", "It's 1, 2")
    "system_prompt='It\\\\'s 1, 2'"
    """
    return f"{key}={_grammar(value)}"


def _grammar(value: Settings) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{_grammar(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_grammar, value)) + "]"
    return quote(str(value))


def _display(progress: bool | Callable[[Progress], None]) -> AbstractContextManager[Callbacks]:
    if callable(progress):
        return nullcontext(Callbacks(_discard, progress))
    if not progress:
        return nullcontext(Callbacks(_discard, _discard))
    from earmark.terminal.progress import ProgressDisplay  # noqa: PLC0415 - rich, only where it is shown

    return ProgressDisplay()


def _discard(_: object) -> None:
    """Do nothing."""
