"""Batch files: sent once, fetched when they are done, and gone on with after any stop."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from mine import bench
from servers import Queue, queueing

from earmark.config.compose import compose_config
from earmark.engine import batch
from earmark.errors import RunStopped, UsageError
from earmark.evaluate import Callbacks, RunResult, evaluate
from earmark.journal import Record, read_journal
from earmark.types import replace

# Our server reads forms by aiohttp, which warns of itself where a form comes cut at an odd place.
pytestmark = pytest.mark.filterwarnings("ignore:unread_data:DeprecationWarning")
ITEMS = 12


def answer(text: str = "A") -> tuple[int, dict[str, Any]]:
    choice = {"finish_reason": "stop", "message": {"content": text}}
    return 200, {"choices": [choice], "usage": {"prompt_tokens": 1000, "completion_tokens": 10}}


def run(queue: Queue, *words: str, items: int = ITEMS) -> RunResult:
    """One sitting, in this process."""
    settings = compose_config([f"model={queue.url}", "model.name=m", "batch=true", "preflight=false", *words])
    benchmark = bench.make(items=items)
    return asyncio.run(evaluate(benchmark, settings, Callbacks(lambda _: None, lambda _: None)))


def records() -> list[Record]:
    (path,) = Path("results").rglob("responses.jsonl")
    return list(read_journal(path))


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "MIN_POLL_INTERVAL", 0.01)
    monkeypatch.setattr(batch, "MAX_POLL_INTERVAL", 0.02)


def test_every_question_goes_into_a_batch_and_its_own_answer_comes_back() -> None:
    with queueing(lambda body: answer(str(len(body["messages"][0]["content"][-1]["text"])))) as queue:
        outcome = run(queue, "model.prices={in: 2, out: 8}")
        assert queue.calls.count("upload") == queue.calls.count("create") == 1
    assert outcome.metrics.finished
    for record in records():
        words = f"{record.item.question}\nA. yes\nB. no"
        assert record.response
        assert record.response.text == str(len(words))
        assert record.response.usage.cost == pytest.approx((1000 * 2 + 10 * 8) / 1e6 / 2)  # for half the price
        assert record.audio_sent
    assert len(records()) == ITEMS


def test_files_are_as_large_as_a_service_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "MAX_REQUESTS_PER_FILE", 5)
    with queueing(lambda _: answer()) as queue:
        assert run(queue).metrics.finished
        assert [len(queue.files[one["input_file_id"]].splitlines()) for one in queue.batches.values()] == [5, 5, 2]
    (folder,) = Path("results").rglob("batch")
    assert not list(folder.glob("*.requests.jsonl")), "what has been sent need not be kept"


def test_a_batch_that_takes_too_long_is_waited_for_by_the_next_sitting() -> None:
    with queueing(lambda _: answer(), looks=1000) as queue:
        with pytest.raises(RunStopped, match="12 questions are still in the service's queue"):
            run(queue, "batch_timeout=0.05")
        with pytest.raises(UsageError, match="12 questions are under way in a batch; add batch=true"):
            run(queue, "batch=false")
        queue.looks = 1
        assert run(queue).metrics.finished
        assert queue.calls.count("upload") == queue.calls.count("create") == 1
    assert len(records()) == ITEMS


@pytest.mark.parametrize("call", ["upload", "look", "content"])
def test_a_service_that_stumbles_is_asked_again(call: str) -> None:
    with queueing(lambda _: answer()) as queue:
        queue.broken.add(call)
        assert run(queue).metrics.finished
        assert queue.calls.count("create") == 1


def test_a_batch_that_may_have_been_made_is_looked_for_before_another_is() -> None:
    with queueing(lambda _: answer()) as queue:
        queue.broken.add("create")  # it made the batch, and did not say so
        with pytest.raises(RunStopped, match="the service made no batch"):
            run(queue)
        assert run(queue).metrics.finished
        assert len(queue.batches) == queue.calls.count("upload") == 1


def test_the_batch_of_another_run_with_the_same_questions_is_not_taken_for_ours() -> None:
    """As when a second model is asked the same, and the connection breaks while its batch is made."""
    with queueing(lambda body: answer({"m": "A", "other": "B"}[body["model"]])) as queue:
        assert run(queue).metrics.finished
        queue.broken.add("create")
        with pytest.raises(RunStopped):
            run(queue, "model.name=other", "results=others")
        del queue.batches["batch-1"]  # it was not made after all
        assert run(queue, "model.name=other", "results=others").metrics.finished
    (journal,) = Path("others").rglob("responses.jsonl")
    assert {record.response.text for record in read_journal(journal) if record.response} == {"B"}


def test_what_the_service_did_not_come_to_is_asked_again() -> None:
    with queueing(lambda body: answer() if "(3)" not in str(body) else None) as queue:
        assert run(queue).n_failed == 1
        (left,) = [record for record in records() if record.failure]
        assert left.failure
        assert "batch-0 is expired" in left.failure.message
        assert not left.failure.final
        queue.reply = lambda _: answer("B")
        assert run(queue).metrics.finished
        assert len(queue.files[queue.batches["batch-1"]["input_file_id"]].splitlines()) == 1
    assert [record.response.text for record in records() if record.response].count("B") == 1


def test_a_line_that_cannot_be_read_is_a_question_that_is_asked_again() -> None:
    with queueing(lambda _: answer(), looks=1000) as queue:
        with pytest.raises(RunStopped):
            run(queue, "batch_timeout=0.05")
        (made,) = queue.batches.values()
        first, *rest = (json.loads(line)["custom_id"] for line in queue.files[made["input_file_id"]].splitlines())
        lines = [
            json.dumps({"custom_id": name, "response": {"status_code": 200, "body": answer()[1]}}) for name in rest
        ]
        torn = f'{{"custom_id": "{first}", "response": {{"status_co'
        queue.files["out"] = "\n".join([torn, "5", '{"response": 7}', *lines]).encode()
        made |= {"status": "completed", "output_file_id": "out"}
        assert run(queue).n_failed == 1
        queue.looks = 1
        assert run(queue).metrics.finished


def test_errors_within_a_batch_have_their_kinds() -> None:
    said = {
        "(0)": (400, {"error": {"message": "bad audio"}}),
        "(1)": (400, {"error": {"code": "content_filter", "message": "filtered"}}),
        "(2)": (429, {"error": {"message": "slow down"}}),
        "(3)": (400, {"error": {"message": "Unsupported parameter: 'temperature'", "param": "temperature"}}),
        "(4)": (401, {"error": {"message": "no key"}}),
    }
    with queueing(lambda body: next((found for at, found in said.items() if at in str(body)), answer())) as queue:
        run(queue, items=6)
    told = {r.item.id: (r.failure.state, r.failure.final) for r in records() if r.failure}
    assert told == {
        "item-0": ("request-failed", True),
        "item-1": ("refused", True),
        "item-2": ("request-failed", False),
        "item-3": ("request-failed", False),
        "item-4": ("request-failed", False),
    }


def test_a_batch_that_is_refused_stops_the_run_and_is_sent_again() -> None:
    with queueing(lambda _: answer()) as queue:
        queue.refusal = "too many tokens in the queue"
        with pytest.raises(RunStopped, match="too many tokens in the queue; the same command"):
            run(queue)
        queue.refusal = ""
        assert run(queue).metrics.finished
        assert len(queue.batches) == 2


def test_what_a_batch_cannot_do_is_told() -> None:
    with queueing(lambda _: answer()) as queue, pytest.raises(UsageError, match="budget= cannot stop a batch"):
        run(queue, "budget=1")
    settings = compose_config(["model=fake", "batch=true"])
    with pytest.raises(UsageError, match="a queue that fake does not have"):
        asyncio.run(evaluate(bench.make(), settings, Callbacks(lambda _: None, lambda _: None)))


def test_a_conversation_is_no_question_of_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    made = bench.make(items=1)
    talk = replace(made, prompt=lambda item: replace(made.prompt(item), replies="each"))
    monkeypatch.setattr(bench, "make", lambda **_: talk)
    with queueing(lambda _: answer()) as queue, pytest.raises(UsageError, match="in several requests for one answer"):
        run(queue)
