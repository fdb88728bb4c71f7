"""Runs from Python: the same run as the command line's, in a script, in a coroutine, in a notebook's loop."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import earmark
from earmark.api.run import setting_word
from earmark.cli import main
from earmark.config.compose import compose_config
from earmark.engine.progress import Progress
from earmark.errors import UsageError


def run(folder: Path, **settings: Any) -> earmark.Run:
    return earmark.run("acoustics:pitch", model="fake", results=str(folder), progress=False, **{"limit": 8, **settings})


def test_a_run_equals_that_of_the_command_line(tmp_path: Path) -> None:
    ours = run(tmp_path / "api", condition=["plain", "silence"])
    with pytest.raises(SystemExit) as end:
        main(
            "run",
            "acoustics:pitch",
            "model=fake",
            "limit=8",
            "condition=[plain,silence]",
            f"results={tmp_path / 'cli'}",
        )
    assert end.value.code in (0, None)
    theirs = earmark.load_run(tmp_path / "cli")
    assert ours.scores() == theirs.scores()
    assert [item["answer"] for item in ours.items()] == [item["answer"] for item in theirs.items()]
    assert ours.signature == msgspec.structs.replace(theirs.signature)
    assert (ours.model, ours.benchmark, ours.is_finished) == ("fake", "acoustics", True)


def test_a_finished_run_is_not_resumed_and_resume_false_begins_anew(tmp_path: Path) -> None:
    first = run(tmp_path)
    assert run(tmp_path, resume=False).folder != first.folder


def test_a_run_in_a_running_loop_and_as_a_coroutine(tmp_path: Path) -> None:
    seen: list[int] = []

    async def notebook() -> tuple[earmark.Run, earmark.Run]:
        first = run(tmp_path / "a")  # as a cell of a notebook does

        def count(progress: Progress) -> None:
            seen.append(progress.done)

        second = await earmark.arun("acoustics:pitch", "fake", progress=count, limit=8, results=str(tmp_path / "b"))
        return first, second

    first, second = asyncio.run(notebook())
    assert first.scores() == second.scores()
    assert seen[-1] == 8


def test_an_error_reaches_the_caller(tmp_path: Path) -> None:
    async def notebook() -> None:
        run(tmp_path, limmit=3)

    for call in (lambda: run(tmp_path, limmit=3), lambda: asyncio.run(notebook())):
        with pytest.raises(UsageError, match="limmit"):
            call()
    with pytest.raises(UsageError, match="names no model"):
        earmark.run("acoustics", model={"temperature": 0})


texts = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | texts,
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)


@given(values)
def test_settings_arrive_as_they_were_given(value: object) -> None:
    assert compose_config(["model=fake", setting_word("anything", value)]).benchmark == {"anything": value}


def test_importing_the_package_imports_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import earmark; print(*sorted(set(sys.modules) - before))"
    run = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    heavy = {"numpy", "aiohttp", "rich", "hydra", "msgspec", "duckdb"}
    assert not heavy & set(run.stdout.split())


def test_names_of_the_package() -> None:
    names: Sequence[str] = earmark.__all__
    assert all(getattr(earmark, name) is not None for name in names)
    assert set(names) <= set(dir(earmark))
    with pytest.raises(AttributeError, match=r"there are: .*load_run"):
        _ = earmark.evaluate_all
