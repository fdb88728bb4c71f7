"""The engine: every item once, bounded, retried, and stopped where it must be."""

from __future__ import annotations

import asyncio
import errno
import tracemalloc
from collections.abc import AsyncGenerator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mine import bench

from earmark.config.settings import RunSettings
from earmark.engine.barrier import Tracebacks
from earmark.engine.prepare import PreparedItem, PromptPreparer, prepare_questions
from earmark.engine.progress import Progress
from earmark.engine.questions import Question, questions, skip_questions
from earmark.engine.runner import Runner
from earmark.engine.throttle import Throttle
from earmark.errors import AudioError, BadSetup, ContentFiltered, Rejected, RunStopped, Transient
from earmark.journal import CompletedIndex, Record, count_standing, load_completed, read_journal
from earmark.models.fake import FakeModel
from earmark.runs.dataset_check import check_dataset, check_records
from earmark.types import Benchmark, Failure, Item, NamedCondition, Prompt, Response, Usage, replace

QUICK = RunSettings(max_attempts=3, retry_timeout=60.0)


def prepared(stream: Iterator[Question], benchmark: Benchmark, journal: Path) -> AsyncGenerator[PreparedItem | Record]:
    """Questions, prepared for a model that takes anything."""
    capabilities = FakeModel(lambda _: "A").capabilities
    return prepare_questions(stream, PromptPreparer(benchmark.prompt, capabilities, Tracebacks(journal.parent)))


def sit(
    path: Path,
    reply: Callable[[Prompt], Any],
    *,
    items: int = 10,
    ceiling: int = 8,
    settings: RunSettings = QUICK,
    data: str = "",
) -> None:
    """One sitting: ask what the journal does not hold yet."""
    benchmark = bench.make(items=items, data=data)
    model = FakeModel(reply)

    left = skip_questions(questions(benchmark, (None,), settings), load_completed(path)[0])

    async def go() -> None:
        runner = Runner(Throttle(model, ceiling), benchmark, path, settings, Progress(items))
        await runner.ask(prepared(left, benchmark, path))

    asyncio.run(go())


def run(path: Path, reply: Callable[[Prompt], Any], **how: Any) -> list[Record]:
    sit(path, reply, **how)
    return list(read_journal(path))


def asked(prompt: Prompt) -> int:
    """The number of the item in a prompt."""
    text = str(prompt.turns[-1].parts[-1])
    return int(text.partition("(")[2].partition(")")[0])


def raising(error: Exception) -> str:
    raise error


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("earmark.engine.retries.MIN_BACKOFF", 0.001)
    monkeypatch.setattr("earmark.engine.retries.MAX_BACKOFF", 0.002)
    monkeypatch.setattr("earmark.engine.retries.JITTER", 0.0)


def test_every_item_is_answered_once_and_with_its_own_reply(tmp_path: Path) -> None:
    records = run(tmp_path / "j", lambda prompt: f"reply {asked(prompt)}", items=200, ceiling=32)
    assert sorted(r.item.id for r in records) == sorted(f"item-{at}" for at in range(200))
    assert all(r.response and r.response.text == f"reply {r.item.id.removeprefix('item-')}" for r in records)


def test_no_more_than_the_ceiling_are_under_way(tmp_path: Path) -> None:
    under_way, most = 0, 0

    class Slow:
        name = "slow"
        capabilities = FakeModel(lambda _: "A").capabilities

        async def generate(self, prompt: Prompt) -> Response:
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0.002)
            under_way -= 1
            return Response("A")

    benchmark = bench.make(items=100)
    stream = questions(benchmark, (None,), QUICK)

    async def go() -> None:
        runner = Runner(Throttle(Slow(), 6), benchmark, tmp_path / "j", QUICK, Progress(100))
        await runner.ask(prepared(stream, benchmark, tmp_path / "j"))

    asyncio.run(go())
    assert most == 6


def test_what_may_pass_is_asked_again_and_what_may_not_is_not(tmp_path: Path) -> None:
    tries: dict[int, int] = {}

    def reply(prompt: Prompt) -> str:
        at = asked(prompt)
        tries[at] = tries.get(at, 0) + 1
        if at == 1 and tries[at] < 3:
            raise Transient("busy", 0.001, busy=True)
        if at in (2, 3, 4, 5):
            raise {
                2: Transient("down"),
                3: Rejected("too long"),
                4: ContentFiltered("no"),
                5: AudioError("x.wav: broken"),
            }[at]
        return "A"

    records = {r.item.id: r for r in run(tmp_path / "j", reply, items=6)}
    assert tries == {0: 1, 1: 3, 2: 3, 3: 1, 4: 1, 5: 1}
    assert records["item-1"].response is not None
    assert records["item-1"].attempts == 3
    assert records["item-2"].failure == Failure("request-failed", "down", final=False, attempts=3)
    assert records["item-3"].failure == Failure("request-failed", "too long", attempts=1)
    assert records["item-4"].failure == Failure("refused", "no", attempts=1)
    assert records["item-5"].failure == Failure("sound-failed", "x.wav: broken", attempts=1)


def test_a_wait_beyond_all_patience_is_not_waited_for(tmp_path: Path) -> None:
    records = run(tmp_path / "j", lambda _: raising(Transient("come tomorrow", 86400.0)), items=1)
    message = "come tomorrow; it asks to wait 86,400 s, longer than retry_timeout=60 allows for one answer"
    assert records[0].failure == Failure("request-failed", message, final=False, attempts=1)


def test_a_wrong_setup_stops_the_run_and_is_no_failure_of_an_item(tmp_path: Path) -> None:
    with pytest.raises(BadSetup, match="wrong key"):
        run(tmp_path / "j", lambda prompt: "A" if asked(prompt) < 3 else raising(BadSetup("wrong key")), ceiling=1)
    assert [r.item.id for r in read_journal(tmp_path / "j")] == ["item-0", "item-1", "item-2"]


def test_a_dead_server_stops_the_run_after_so_many_failures(tmp_path: Path) -> None:
    settings = RunSettings(max_attempts=1, max_consecutive_failures=5)
    with pytest.raises(RunStopped, match="5 requests in a row failed, the last with: gone"):
        run(tmp_path / "j", lambda _: raising(Transient("gone")), items=1000, ceiling=1, settings=settings)
    assert len(list(read_journal(tmp_path / "j"))) == 4


def test_a_bug_fails_its_item_and_the_run_comes_to_its_end(tmp_path: Path) -> None:
    records = run(tmp_path / "j", lambda prompt: "A" if asked(prompt) in (1, 3) else str(1 / 0), ceiling=1, items=6)
    failures = {record.item.id: record.failure for record in records if record.failure}
    assert sorted(failures) == ["item-0", "item-2", "item-4", "item-5"]
    message = "ZeroDivisionError: division by zero; a bug, its traceback is in tracebacks.txt"
    assert {failure.message for failure in failures.values()} == {message}
    traces = (tmp_path / "tracebacks.txt").read_text()
    assert traces.count("Traceback (most recent call last)") == 1, "the same traceback is kept once"
    assert "all, item item-0, plain" in traces
    assert "str(1 / 0)" in traces


def test_bugs_in_a_row_stop_a_run_as_other_failures_do(tmp_path: Path) -> None:
    settings = RunSettings(max_attempts=1, max_consecutive_failures=5)
    with pytest.raises(RunStopped, match="5 requests in a row failed, the last with: ZeroDivisionError"):
        run(tmp_path / "j", lambda _: str(1 / 0), items=1000, ceiling=1, settings=settings)


def test_a_bug_of_a_benchmark_or_a_condition_fails_its_item(tmp_path: Path) -> None:
    broken = bench.make(items=4)

    class Condition:
        removes_audio = keeps_words = False

        def apply(self, prompt: Prompt, item: Item) -> Prompt:
            if item.id == "item-1":
                raise KeyError(item.id)
            return prompt

    def prompt(item: Item) -> Prompt:
        if item.id == "item-2":
            raise IndexError("tuple index out of range")
        return broken.prompt(item)

    benchmark, conditions = replace(broken, prompt=prompt), (NamedCondition("mine.broken", Condition()),)
    found = check_dataset(benchmark, conditions, QUICK, CompletedIndex())
    model = FakeModel(lambda _: "A")

    async def go() -> None:
        runner = Runner(Throttle(model, 2), benchmark, tmp_path / "j", QUICK, Progress(4))
        await runner.ask(prepared(questions(benchmark, conditions, QUICK), benchmark, tmp_path / "j"))

    asyncio.run(go())
    check_records(
        tmp_path / "j", count_standing(tmp_path / "j"), found.questions, questions(benchmark, conditions, QUICK)
    )
    messages = {r.item.id: r.failure.message for r in read_journal(tmp_path / "j") if r.failure}
    assert messages["item-1"].startswith("KeyError: 'item-1'; a bug")
    assert messages["item-2"].startswith("IndexError: tuple index out of range; a bug")
    assert len(messages) == 2


def test_a_second_sitting_asks_what_is_left(tmp_path: Path) -> None:
    with pytest.raises(BadSetup):
        run(tmp_path / "j", lambda prompt: "A" if asked(prompt) < 40 else raising(BadSetup("x")), items=100, ceiling=1)
    tries: list[int] = []

    def reply(prompt: Prompt) -> str:
        tries.append(asked(prompt))
        return "A"

    records = run(tmp_path / "j", reply, items=100)
    assert sorted(tries) == list(range(40, 100))
    assert len({r.item.id for r in records}) == len(records) == 100


def test_a_missing_file_fails_its_item_and_no_other(tmp_path: Path) -> None:
    records = run(tmp_path / "j", lambda _: "A", items=2, data=str(tmp_path))
    assert all(r.failure and r.failure.state == "sound-failed" and "clip-" in r.failure.message for r in records)


def test_memory_does_not_grow_with_the_number_of_items(tmp_path: Path) -> None:
    def peak(items: int) -> int:
        tracemalloc.start()
        sit(tmp_path / f"j{items}", lambda _: "A", items=items, ceiling=16)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(10)  # imports and caches
    assert peak(3000) < peak(300) + 300_000


class Costly:
    """A model whose answers cost 1 each; the first comes last."""

    name = "costly"
    capabilities = FakeModel(lambda _: "A").capabilities

    async def generate(self, prompt: Prompt) -> Response:
        await asyncio.sleep(0.05 if asked(prompt) == 0 else 0)
        return Response("A", usage=Usage(cost=1.0))


def ask_in_turns(journal: Path, settings: RunSettings) -> list[str]:
    """Ask two items at once, and each next one when a record has come, as an audiogram does; the ids in order."""
    benchmark, model = bench.make(items=8), Costly()
    records = asyncio.Queue[Record]()

    async def turns() -> AsyncGenerator[PreparedItem | Record]:
        stream = prepared(questions(benchmark, (None,), QUICK), benchmark, journal)
        position = 0
        async for item in stream:
            position += 1
            if position > 2:
                await records.get()
            yield item

    async def go() -> None:
        runner = Runner(Throttle(model, 4), benchmark, journal, settings, Progress(8))
        await runner.ask(turns(), records.put_nowait)

    asyncio.run(go())
    return [record.item.id for record in read_journal(journal)]


def test_a_stream_may_wait_for_the_records_of_what_it_gave(tmp_path: Path) -> None:
    assert len(ask_in_turns(tmp_path / "j", QUICK)) == 8


@pytest.mark.parametrize("budget", [1.0, 3.0])
def test_a_budget_ends_a_stream_that_waits_for_records(tmp_path: Path, budget: float) -> None:
    with pytest.raises(RunStopped, match=f"the budget is {budget:g}"):
        ask_in_turns(tmp_path / "j", replace(QUICK, budget=budget))
    costs = sum(record.response.usage.cost for record in read_journal(tmp_path / "j") if record.response)
    assert budget <= costs <= budget + 2


def test_a_full_disk_ends_a_stream_that_waits_for_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(_: int, __: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("earmark.journal.os.write", write)
    with pytest.raises(RunStopped, match=r"cannot be written .*No space left"):
        ask_in_turns(tmp_path / "j", QUICK)
