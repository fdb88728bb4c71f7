"""As many records as questions, whatever a reply, an item or a log holds: nothing takes another's answer with it."""

from __future__ import annotations

import asyncio
import json
import os
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import soundfile
from commands import earmark
from hypothesis import given, settings
from hypothesis import strategies as st
from mine import bench, odd
from recorded_runs import ITEMS, QUICK, records, run
from servers import Queue, queueing

from earmark import journal
from earmark.data.responses import check_response
from earmark.engine import batch
from earmark.engine.barrier import Tracebacks
from earmark.engine.load import load_benchmark
from earmark.engine.prepare import PromptPreparer, prepare_questions
from earmark.engine.progress import Progress
from earmark.engine.questions import questions
from earmark.engine.runner import Runner
from earmark.engine.throttle import Throttle
from earmark.errors import AskError, BadData, BadSetup, Rejected, RunStopped
from earmark.journal import Journal, Record, count_standing, read_journal
from earmark.models._openai_reply import read_reply
from earmark.models._openai_stream import StreamedReply
from earmark.models._reply import Reply
from earmark.models.fake import FakeModel
from earmark.runs.dataset_check import check_records
from earmark.runs.import_runs import import_runs
from earmark.types import Item, Response


def test_an_answer_that_cannot_be_encoded_takes_no_other_with_it() -> None:
    """Finding K1, n05."""
    outcome = run("model=fake", "model.reply=mine.odd:odd")
    found = records(outcome)
    assert len(found) == ITEMS == outcome.metrics.rows[0].n
    answers = {at: found[f"item-{at}"].response for at in range(ITEMS) if at not in odd.FAIL}
    texts = {at: response for at, response in answers.items() if response}
    assert len(texts) == ITEMS - len(odd.FAIL)
    assert {response.text for response in texts.values()} == {"A \ufffd", "A"}
    noted = [at for at, response in texts.items() if any("U+FFFD" in note for note in response.notes)]
    assert noted == [0, 1]
    assert (texts[1].reasoning, texts[1].transcripts, texts[1].notes[0]) == ("\ufffd", ("\ufffd",), "noted \ufffd")
    assert (texts[2].usage.tokens_in, texts[2].usage.cost) == (7, 0.5)
    assert texts[3].likelihoods[0] == -1.0 > texts[3].likelihoods[1]
    assert texts[6].notes == ("usage left out: no finite numbers", "seconds left out: no finite numbers")
    failures = [found[f"item-{at}"].failure for at in odd.FAIL]
    assert all(failure and failure.state == "request-failed" for failure in failures)
    assert [failure.message.partition(";")[0] for failure in failures if failure][:2] == [
        "the reply function returned NoneType, expected a text or a Response",
        "the reply function returned int, expected a text or a Response",
    ]
    assert outcome.n_failed == len(odd.FAIL)


def test_a_file_whose_name_is_no_utf8_runs_beside_the_others(tmp_path: Path) -> None:
    """Finding K1, n22."""
    names = [b"mod\xe0 notte.wav", b"mod\xe8 notte.wav", "così.wav".encode()]
    for name in names:
        with (tmp_path / os.fsdecode(name)).open("wb") as file:
            soundfile.write(file, np.full(160, 1, "int16"), 16000, format="WAV")
    outcome = run("model=fake", benchmark=load_benchmark("mine.odd", (), {"data": str(tmp_path)}))
    found = records(outcome)
    assert sorted(found) == ["così.wav", "mod\\xe0 notte.wav", "mod\\xe8 notte.wav"]
    assert all(record.response and record.audio_sent for record in found.values())
    done = earmark("run", "mine.odd", f"data={tmp_path}", "model=fake", "results=others")
    assert done.returncode == 0, done.stderr


def surrogate_log(place: Path) -> Path:
    """A log of Inspect, three samples of which the second holds half a letter."""
    samples = [
        {
            "id": at,
            "epoch": 1,
            "input": "Which?",
            "target": "B",
            "output": {"choices": [{"message": {"content": reply}}]},
        }
        for at, reply in enumerate(("B", f"half a sign {odd.HALF} B", "A"))
    ]
    log = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "samples": samples}
    place.write_text(json.dumps(log))
    return place


def test_half_a_letter_in_files_is_read_as_the_replacement_character(tmp_path: Path) -> None:
    """Finding K1, n05b."""
    ((folder, metrics),) = import_runs(surrogate_log(tmp_path / "log.json"), "", "results", "", lambda _: None)
    texts = [record.response.text for record in read_journal(folder / "responses.jsonl") if record.response]
    assert texts == ["B", "half a sign \ufffd B", "A"]
    assert metrics.dataset.questions == 3
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        log = json.loads((tmp_path / "log.json").read_text())
        archive.writestr("header.json", json.dumps({"status": "success", "eval": log["eval"]}))
        for at, sample in enumerate(log["samples"]):
            archive.writestr(f"samples/{at}_epoch_1.json", json.dumps(sample))
    ((folder, _),) = import_runs(tmp_path / "log.eval", "", "packed", "", lambda _: None)
    responses = [record.response for record in read_journal(folder / "responses.jsonl") if record.response]
    assert [(response.text, len(response.notes)) for response in responses] == [("B", 0), (texts[1], 1), ("A", 0)]
    file = tmp_path / "replies.jsonl"
    rows = [{"id": at, "reply": f"{odd.HALF} B" if at == 1 else "B", "target": "B", "labels": "AB"} for at in range(3)]
    file.write_text("\n".join(map(json.dumps, rows)))
    done = earmark("score", str(file), "--scorer", "choice", "--json", "--items", str(tmp_path / "items"))
    assert done.returncode == 0, done.stderr
    assert (json.loads(done.stdout)["n"], json.loads(done.stdout)["metrics"]["accuracy"]) == (3, 1)
    assert len((tmp_path / "items").read_text().splitlines()) == 3


@given(
    st.builds(
        Response,
        text=st.text(st.characters()) | st.sampled_from([odd.HALF, f"x{odd.HALF}\udc00y"]) | st.none() | st.integers(),
        reasoning=st.text(st.characters()),
        likelihoods=st.lists(st.floats() | st.floats(width=32).map(np.float32)).map(tuple),
        notes=st.lists(st.text(st.characters(categories=["Cs", "L"]))).map(tuple),
        seconds=st.floats() | st.none() | st.text(),
        first_token=st.floats() | st.none() | st.booleans(),
    )
)
def test_what_is_kept_of_an_answer_is_read_back_as_it_was_kept(response: Response) -> None:
    try:
        kept = check_response(response)
    except AskError:
        return
    line = msgspec.json.encode(Record(Item("1"), response=kept))
    assert msgspec.json.decode(line, type=Record).response == kept


# ---------------------------------------------------------------- the number of records


def lose(monkeypatch: pytest.MonkeyPatch, *lost: str) -> None:
    """Have journals drop the records of some items without a word, as a bug of ours would."""
    append = Journal.append
    monkeypatch.setattr(
        Journal, "append", lambda self, record: None if record.item.id in lost else append(self, record)
    )


def test_a_run_that_lacks_records_says_how_many_and_which(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        lose(patch, "item-1", "item-2")
        with pytest.raises(
            RunStopped, match=r"2 of 40 questions have no record: all, item item-1, plain; all, item item-2"
        ):
            run("model=fake")
    outcome = run("model=fake")
    assert len(list(Path("results").rglob("run.json"))) == 1
    assert len(records(outcome)) == ITEMS


def test_a_batch_that_lacks_records_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "MIN_POLL_INTERVAL", 0.01)
    lose(monkeypatch, "item-3")
    body = {"choices": [{"finish_reason": "stop", "message": {"content": f"A {odd.HALF}"}}]}
    queue: Queue
    with queueing(lambda _: (200, body)) as queue:
        words = (f"model={queue.url}", "model.name=m", "batch=true", "preflight=false")
        with pytest.raises(RunStopped, match="1 of 40 questions have no record: all, item item-3"):
            run(*words)
    (path,) = Path("results").rglob("responses.jsonl")
    assert {record.response.text for record in read_journal(path) if record.response} == {"A \ufffd"}


def test_an_import_that_lacks_records_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("earmark.runs.import_runs.count_standing", lambda path: count_standing(path) - 1)
    with pytest.raises(BadData, match="read 3 answers and kept 2; nothing was imported"):
        import_runs(surrogate_log(tmp_path / "log.json"), "", "results", "", lambda _: None)
    assert not list(Path("results").rglob("run.json"))


# ---------------------------------------------------------------- replies of any shape

SHAPES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just(odd.HALF),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ("type", "text", "content", "thinking", "data", "transcript", "audio_tokens", "code", "message")
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)
MESSAGE = (
    st.dictionaries(
        st.sampled_from(("content", "reasoning_content", "reasoning", "refusal", "audio", "tool_calls")),
        SHAPES,
        max_size=4,
    )
    | SHAPES
)
CHOICE = st.dictionaries(st.sampled_from(("finish_reason", "logprobs", "error")), SHAPES, max_size=2) | SHAPES
USED = (
    st.dictionaries(
        st.sampled_from(("prompt_tokens", "completion_tokens", "prompt_tokens_details", "cost")), SHAPES, max_size=3
    )
    | SHAPES
)


@st.composite
def bodies(draw: st.DrawFn, said: str) -> Any:
    """A body of chat completions with anything in any of its fields; `said` is "message" or "delta"."""
    choice = draw(CHOICE)
    if isinstance(choice, dict):
        choice = choice | {said: draw(MESSAGE)}
    body: dict[str, Any] = {"choices": draw(st.just([choice]) | SHAPES)}
    return body | draw(st.fixed_dictionaries({}, optional={"usage": USED, "error": SHAPES}))


def gathered(events: list[Any]) -> Reply:
    """Events of a stream as the reply that they add up to."""
    stream = StreamedReply(0.0)
    for event in events:
        stream.add_event(json.dumps(event).encode())
        if stream.error is not None:
            return Reply(200, {}, stream.error)
    return Reply(200, {}, stream.payload())


def answer(reply: Reply) -> Response:
    """The answer in a reply; a wrong setup, which stops a run by design, is a failure here."""
    try:
        return read_reply(reply)
    except BadSetup as error:
        raise Rejected(str(error)) from error


@settings(max_examples=60)
@given(st.lists(bodies("message") | SHAPES, min_size=1, max_size=8), st.lists(bodies("delta") | SHAPES, max_size=4))
def test_a_run_comes_to_its_end_whatever_the_shape_of_its_replies(
    tmp_path_factory: pytest.TempPathFactory, whole: list[Any], streamed: list[Any]
) -> None:
    """Finding T1: each reply is an answer or a failure of its own item."""
    replies: list[Callable[[], Any]] = [partial(answer, Reply(200, {}, body)) for body in whole]
    replies.append(lambda: answer(gathered(streamed)))
    replies += [partial(iter([body]).__next__) for body in whole]  # a user's function that returns it as it stands
    path = tmp_path_factory.mktemp("run") / "responses.jsonl"
    benchmark = bench.make(items=len(replies))
    model = FakeModel(lambda prompt: replies[odd.number(prompt)]())

    async def go() -> None:
        preparer = PromptPreparer(benchmark.prompt, model.capabilities, Tracebacks(path.parent))
        runner = Runner(Throttle(model, 4), benchmark, path, QUICK, Progress(len(replies)))
        await runner.ask(prepare_questions(questions(benchmark, (None,), QUICK), preparer))

    asyncio.run(go())
    check_records(path, count_standing(path), len(replies), questions(benchmark, (None,), QUICK))
    assert all(bool(record.response) != bool(record.failure) for record in journal.read_journal(path))
