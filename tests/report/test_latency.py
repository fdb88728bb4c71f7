"""Times and tokens: by task and condition, of answers alone, and the same in one part or several."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from click.testing import CliRunner

import earmark
from earmark import cli
from earmark.journal import AudioSent, Record
from earmark.report.latency import LatencyCounter
from earmark.types import Failure, Item, Response, Usage


def record(n: int, task: str = "a", condition: str = "plain") -> Record:
    response = Response("x", seconds=float(n), first_token=n / 10, usage=Usage(tokens_out=n))
    sent = (AudioSent("a", "", "wav", 16000, 1, 2.0, 9),)
    return Record(Item(str(n), task), condition=condition, response=response, audio_sent=sent)


def test_quantiles_by_task_and_condition() -> None:
    counter = LatencyCounter()
    for n in range(1, 101):
        counter.add(record(n))
        counter.add(record(2 * n, "b", "silence"))
    counter.add(Record(Item("x", "a"), failure=Failure("request-failed", "no")))
    rows = {(row.task, row.condition, row.measure): row for row in counter.to_rows()}
    seconds = rows["a", "plain", "seconds"]
    assert (seconds.n, seconds.p50, seconds.p50_low, seconds.p50_high) == (100, 50.5, 40.0, 61.0)
    assert seconds.p95 == np.quantile(np.arange(1, 101), 0.95)
    assert rows["a", "plain", "real_time"].p50 == 50.5 / 2
    assert rows["a", "plain", "first_token"].p50 == 5.05
    assert rows["b", "silence", "tokens_out"].p50 == 101
    assert not any(measure == "first_audio" for _, _, measure in rows)


def test_parts_add_up() -> None:
    whole, first, second = LatencyCounter(), LatencyCounter(), LatencyCounter()
    for n in range(1, 30):
        whole.add(record(n))
        (first if n < 10 else second).add(record(n))
    first.extend(second)
    assert first.to_rows() == whole.to_rows()


def test_a_run_writes_and_shows_them(tmp_path: Path) -> None:
    run = earmark.run("acoustics:pitch", "fake", items=24, results=str(tmp_path), progress=False)
    rows = run.metrics.latency
    assert {row.measure for row in rows} == {"seconds", "real_time"}
    with (run.folder / "latency.csv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert [float(row["p95"]) for row in table] == [row.p95 for row in rows]
    shown = CliRunner().invoke(cli.earmark, ["show", str(run.folder), "--latency"], catch_exceptions=False).output
    assert "real_time" in shown
    assert "seconds and tokens of an answer" in shown
