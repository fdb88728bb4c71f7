"""The replies of a run that is there, as a model."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from mine import bench

from earmark.config.compose import compose_config
from earmark.engine.digests import prompt_digest
from earmark.engine.open import open_model
from earmark.errors import BadData, Rejected
from earmark.evaluate import Callbacks, RunResult, evaluate
from earmark.journal import Journal, Record, read_journal
from earmark.types import Failure, Item, Prompt, Response, Turn

SILENT = Callbacks(lambda _: None, lambda _: None)


def run(*words: str, **settings: Any) -> RunResult:
    return asyncio.run(evaluate(bench.make(**settings), compose_config(words), SILENT))


def said(outcome: RunResult) -> dict[tuple[str, str, int], Response | Failure | None]:
    records = read_journal(outcome.folder / "responses.jsonl")
    return {(r.item.id, r.condition, r.repeat): r.response or r.failure for r in records}


def write(path: Path, *records: Record) -> Path:
    path.mkdir(parents=True)

    async def go() -> None:
        journal = Journal(path / "responses.jsonl", lambda _: None)
        for record in records:
            journal.append(record)
        await journal.close()

    asyncio.run(go())
    return path


def test_a_run_answers_as_it_did() -> None:
    words = ("model=fake", "model.reply=mine.replies:length", "condition=[plain,silence]", "repeats=2")
    first = run(*words, items=30)
    again = run("model=replay", f"model.run={first.folder}", *words[2:], items=30)
    assert said(first) == said(again)
    assert len(said(again)) == 120
    assert again.model == "replay-fake"
    assert again.metrics.rows == first.metrics.rows


def test_what_was_not_asked_or_was_asked_otherwise_is_a_failure_that_says_so() -> None:
    first = run("model=fake", items=3)
    more = said(run("model=replay", f"model.run={first.folder}", items=5))
    assert sum(isinstance(found, Failure) for found in more.values()) == 2
    failure = more["item-4", "plain", 0]
    assert isinstance(failure, Failure)
    assert failure.message == f"{first.folder} was not asked all, item item-4, plain, repeat 0"
    otherwise = run("model=replay", f"model.run={first.folder}", items=3, question="Why?")
    assert all(isinstance(f, Failure) and "with another prompt" in f.message for f in said(otherwise).values())


def test_what_failed_fails_again_and_the_last_line_counts(tmp_path: Path) -> None:
    item = next(iter(bench.items(bench.Settings(items=1))))
    lost = Failure("request-failed", "busy", final=False, attempts=5)
    folder = write(tmp_path / "m/b/run", Record(item, failure=lost), Record(item, response=Response("B")))
    assert said(run("model=replay", f"model.run={folder}", items=1)) == {("item-0", "plain", 0): Response("B")}
    folder = write(tmp_path / "m/b/other", Record(item, failure=lost))
    (again,) = said(run("model=replay", f"model.run={folder}", "resume=false", items=1)).values()
    assert again == Failure("request-failed", "busy", final=True, attempts=5)


def test_an_imported_log_is_a_run() -> None:
    """Its records know their items and no digests of words."""
    folder = write(
        Path("results/theirs/mine.bench/2026-01-01_00-00-00"),
        *(Record(Item(f"item-{at}", "all"), response=Response("AB"[at % 2])) for at in range(4)),
    )
    outcome = run("model=replay", f"model.run={folder}", items=4)
    assert outcome.model == "replay-theirs"
    assert outcome.metrics.rows[0].metrics["accuracy"].value == 1.0


def test_prompts_of_words_are_found_by_their_words(tmp_path: Path) -> None:
    prompts = [Prompt((Turn("user", (text,)),)) for text in ("one", "two", "three")]
    records = [
        Record(
            Item(f"{at}"),
            prompt_digest=prompt_digest(prompts[at % 2]),
            repeat=at // 2,
            response=Response(f"reply {at}"),
        )
        for at in (2, 1, 0, 3)
    ]
    folder = write(tmp_path / "m/b/run", *records)

    async def go() -> list[str]:
        async with open_model({"backend": "replay", "run": str(folder)}) as model:
            told = [(await model.generate(prompts[at])).text for at in (0, 0, 0, 1, 1)]
            with pytest.raises(Rejected, match="has no response to this prompt"):
                await model.generate(prompts[2])
            return told

    assert asyncio.run(go()) == ["reply 0", "reply 2", "reply 2", "reply 1", "reply 3"]


def test_a_folder_that_is_no_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadData, match=r"is no run: no responses\.jsonl"):
        run("model=replay", f"model.run={tmp_path}")
