"""Runs as the viewer finds them: written by hand, or asked of a model that always answers alike."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
from recorded_runs import run as run_here

from earmark.engine.load import load_benchmark
from earmark.journal import Record, ScoreLine
from earmark.runs.signature import RunSignature
from earmark.runs.trust import trust_run
from earmark.types import Failure, Item, Response, Usage
from earmark.viewer.foreign_code import CodePolicy
from earmark.viewer.pages import Pages
from earmark.viewer.results import Audiograms, Results

NAME = "model/bench/2026-01-31_12-00-00"
REPLIES = ("A", "B", "A", "I cannot say", "B", "A")


def record(number: int, reply: str = "A", **more: Any) -> Record:
    """A record: the right answer of every second one is B."""
    item = Item(
        f"item-{number}", more.pop("task", "all"), f"Which? ({number})", (), ("yes", "no"), ("A", "B"),
        ("AB"[number % 2],), tags={"level": ("easy", "hard")[number % 3 == 0]},
    )  # fmt: skip
    return Record(item, response=Response(reply, usage=Usage(tokens_out=number), seconds=float(number)), **more)


def failed(number: int, message: str = "the server is away") -> Record:
    return msgspec.structs.replace(record(number), response=None, failure=Failure("request-failed", message))


def score(of: Record, answer: str | None) -> ScoreLine:
    right = float(answer in of.item.targets)
    state: Any = "request-failed" if of.failure else "answered" if answer else "unparsed"
    counts = {"right": right, "n": 1.0, "chance": 0.5}
    return ScoreLine(of.item.task, of.item.id, of.condition, of.repeat, "choice", state, answer, counts, "first")


def write_lines(path: Path, lines: Iterable[Any], tail: bytes = b"") -> None:
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines) + tail)


def write_run(
    root: Path, records: Iterable[Record], name: str = NAME, *, scored: bool = True, benchmark: str = "mine.bench"
) -> Path:
    """A run of records; a reply that is A or B is read as that."""
    run = root / name
    run.mkdir(parents=True)
    described = {"name": benchmark, "version": 1, "tasks": ["all"], "settings": {}}
    model = {"name": name.partition("/")[0]}
    signature = RunSignature(described, model, ["plain"], 1, None, {})
    (run / "run.json").write_bytes(msgspec.json.encode(signature))
    (run / "config.yaml").write_text("run:\n  condition: [plain]\nmodel: {}\nbenchmark: {}\n")
    lines = list(records)
    write_lines(run / "responses.jsonl", lines)
    if scored:
        scores = [score(line, line.response.text if line.response and line.response.text in "AB" else None)
                  for line in lines]  # fmt: skip
        write_lines(run / "scores.jsonl", scores)
    trust_run(run)
    return run


def six(root: Path, name: str = NAME, replies: Iterable[str] = REPLIES) -> Path:
    """A run of six answers: the first, second, third and sixth of them A, B, A, A, one that is not read."""
    return write_run(root, (record(number, reply) for number, reply in enumerate(replies)), name)


def acoustics(results: str, *more: str, reply: str = "A", name: str = "fake", url: str = "") -> Path:
    """A real run of tones, of a model that always answers alike, or of one behind a server."""
    benchmark = load_benchmark("acoustics", ("pitch",), {"items": 6})
    model = (f"model={url}",) if url else ("model=fake", f"model.reply={reply}")
    words = (*model, f"model.name={name}", f"results={results}", "preflight=false")
    return run_here(*words, *more, benchmark=benchmark).folder


def pages_of(root: Path, *, audiograms: Audiograms | None = None, **more: Any) -> Pages:
    return Pages(Results(root), CodePolicy(lambda _: None, **more), audiograms)
