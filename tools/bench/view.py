"""Cost of looking at runs: tables, lists, sounds, comparisons. `python tools/bench view` runs it."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import soundfile

from earmark.journal import AudioSent, Record, ScoreLine
from earmark.runs.signature import RunSignature
from earmark.types import EncodedAudio, Item, Response, Usage
from earmark.viewer.drawing import describe_sound, draw_spectrogram
from earmark.viewer.filters import EVERYTHING, Filters, Order
from earmark.viewer.foreign_code import CodePolicy
from earmark.viewer.pages import Pages
from earmark.viewer.results import Results
from earmark.viewer.table import RunTable

LARGE: Final = 100_000  # answers of the large run
BEST_OF: Final = 5
WORDS: Final = "the model hears a dog that barks twice and a door that is closed slowly in the next room".split()


def write_large_run(root: Path, count: int, name: str = "model/bench/2026-01-01_00-00-00") -> Path:
    """Write a run of made-up answers, 1.1 kB a line of the journal."""
    run = root / name
    run.mkdir(parents=True)
    described = {"name": "bench.items", "version": 1, "tasks": ["all"], "settings": {}}
    (run / "run.json").write_bytes(msgspec.json.encode(RunSignature(described, {"name": name}, ["plain"], 1, None, {})))
    rng = np.random.default_rng(0)
    with (run / "responses.jsonl").open("wb") as journal, (run / "scores.jsonl").open("wb") as scores:
        for number in range(count):
            answer = "ABCD"[rng.integers(4)]
            text = " ".join(rng.choice(WORDS, 60)) + f" so it is {answer}"
            item = Item(f"item-{number}", "all", "Which of these is it? " * 6, (), ("one", "two", "three", "four"),
                        tuple("ABCD"), ("A",), tags={"level": str(number % 7), "speaker": str(number % 50)})  # fmt: skip
            sent = AudioSent(f"clip-{number}.wav", f"{number:016x}", "wav", 16_000, 1, 9.5, 304_044, ("as it is",))
            response = Response(text, usage=Usage(300, 60), seconds=float(rng.random()))
            record = Record(item, f"{number:016x}", f"{number:016x}", audio_sent=(sent,), response=response)
            right = float(answer == "A")
            counts = {"right": right, "read": 1.0, "n": 1.0, "chance": 0.25}
            line = ScoreLine(
                "all", item.id, "plain", 0, "choice", "answered", answer, counts, "last", "", right, bool(right)
            )
            journal.write(msgspec.json.encode(record) + b"\n")
            scores.write(msgspec.json.encode(line) + b"\n")
    return run


def best(work: Callable[[], Any]) -> float:
    """Return the shortest of several wall times, in seconds."""
    times = []
    for _ in range(BEST_OF):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def report(what: str, seconds: float, goal: float, more: str = "") -> None:
    print(f"view: {what}: {seconds:.3f} s, {seconds / goal:.2f} of the goal of {goal:g} s{more}")


def measure_table(run: str) -> None:
    """Open the table of a run, in a process of its own; print seconds and megabytes as JSON."""
    import_peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    RunTable(Path(run))
    seconds, peak = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps([seconds, peak / 1024, import_peak / 1024]))


def measure_large(root: Path) -> None:
    run = write_large_run(root, LARGE)
    size = (run / "responses.jsonl").stat().st_size / 1e6
    name = run.relative_to(root).as_posix()
    query = [("run", name), ("head", "1")]
    report(f"first 50 of {LARGE:,} answers ({size:.0f} MB)",
           best(lambda: Pages(Results(root), CodePolicy(print))._head(name)), 1.0)  # noqa: SLF001 # fmt: skip
    command = [sys.executable, __file__, "table", str(run)]
    runs = [
        json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(BEST_OF)
    ]
    seconds, peak, before = min(runs)
    report("table ready", seconds, 2.5, f", peak {peak:.0f} MB ({before:.0f} MB before), goal 400 MB")
    pages = Pages(Results(root), CodePolicy(print))
    table = pages.results.table(name)
    lists = {
        "filter": (Filters(mark="wrong"), Order()), "tag": (Filters(tags=(("level", "3"),)), Order()),
        "search": (Filters(search="slowly"), Order()), "sort": (EVERYTHING, Order("seconds", descending=True)),
        "last page": (EVERYTHING, Order(limit=50, offset=LARGE - 50)),
    }  # fmt: skip
    for what, (filters, order) in lists.items():
        report(f"{what}, on the server", best(lambda f=filters, o=order: table.listing(f, o)), 0.3)  # type: ignore[misc] # bound at once
    report("an item with its neighbours",
           best(lambda: pages.item([*query[:1], ("item.task", "all"), ("item.id", "item-5000")])), 0.3)  # fmt: skip


def measure_runs(root: Path) -> None:
    for number in range(1000):
        write_large_run(root, 1, f"model-{number}/bench/2026-01-01_00-00-00")
    report("list of 1,000 runs", best(lambda: Results(root).summaries()), 2.5)


def measure_sounds(folder: Path) -> None:
    for what, seconds, goals in (("a clip of 30 s", 30, (0.15, 0.25)), ("a clip of an hour", 3600, (2.5, 2.5))):
        path = folder / f"{seconds}.wav"
        soundfile.write(path, np.random.default_rng(0).normal(0, 0.1, seconds * 16_000).astype(np.float32), 16_000)
        audio = EncodedAudio(path.read_bytes(), "wav", 16_000, 1, float(seconds))
        report(f"{what}, waveform", best(lambda a=audio: describe_sound(a)), goals[0])  # type: ignore[misc] # bound at once
        report(f"{what}, spectrogram", best(lambda a=audio: draw_spectrogram(a)), goals[1])  # type: ignore[misc] # bound at once


def measure_comparison(root: Path) -> None:
    """Compare two runs of 15,000 answers, in processor seconds."""
    names = [write_large_run(root, 15_000, f"model-{number}/bench/2026-01-01_00-00-00") for number in range(2)]
    query = [("run", run.relative_to(root).as_posix()) for run in names]
    pages = Pages(Results(root), CodePolicy(print))
    report("counts of a comparison of 2 x 15,000", best(lambda: pages.compare(query)), 4.0)
    report("items of it", best(lambda: pages.compare_items([*query, ("only", "first")])), 4.0)


def view() -> None:
    """Measure everything in temporary folders."""
    for measure in (measure_large, measure_runs, measure_sounds, measure_comparison):
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder))


if __name__ == "__main__":
    if sys.argv[1:2] == ["table"]:
        measure_table(sys.argv[2])
    else:
        view()
