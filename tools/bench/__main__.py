"""Measure what has a goal, as ratios in one table and as bench/results/COMMIT.json. Nothing passes or fails.

python tools/bench [PART]...        parts: start asking waiting scoring resume cells sound opus words
                                    replicas view histories million

BENCH_ROUNDS=5 sets the number of rounds. Without a part all but the last two are measured.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import msgspec
import numpy as np
import soundfile
from large import long_histories, million  # type: ignore[import-not-found] # beside this file
from measure import HERE, ROUNDS, Figure, Used, earmark, python, rounds, server  # type: ignore[import-not-found]

from earmark.data.plain import encode_line
from earmark.journal import AudioSent, Record
from earmark.runs.signature import RunSignature
from earmark.types import Clip, Item, Response, Usage

BARE, OURS = str(HERE / "bare.py"), str(HERE / "ours.py")
BYTES = 150_000  # of wav, which are 200 kB of base64
CPU_WORK = "model.reply=worker:answer"  # tens of milliseconds of work on one thread


def start() -> list[Figure]:
    """A run of one item against a server, beside importing what it cannot do without."""
    with tempfile.TemporaryDirectory() as work, server() as base:
        pairs = rounds(
            lambda: earmark(*command(base, work), "items=1").cpu,
            lambda: python(BARE, "imports").cpu,
        )
    seconds = f"{min(pair[0] for pair in pairs):.2f} CPU s"
    return [
        Figure("start of earmark run / its imports", [a / b for a, b in pairs], 1.5, True, seconds),
    ]


def command(base: str, work: str) -> list[str]:
    words = ["run", "bench.items", "resume=false", "preflight=false", f"model={base}", "model.concurrency=64"]
    return [*words, f"results={work}/results"]


def asking() -> list[Figure]:
    """1,000 items of 200 KB, 64 in flight, beyond start-up, beside loops that send the same bodies."""
    count = 1000
    with tempfile.TemporaryDirectory() as work, server() as base:
        for index in range(count):
            noise = np.random.default_rng(index).integers(-9000, 9000, BYTES // 2, "int16")
            soundfile.write(f"{work}/clip-{index}.wav", noise, 16000)
        words = [*command(base, work), f"data={work}"]

        def loop(kind: str, number: int) -> Used:
            used: Used = python(BARE, "ask", kind, base, work, str(number))
            return used

        measured = [
            (earmark(*words, "items=1"), earmark(*words, f"items={count}"), loop("read", 1), loop("read", count),
             loop("made", count), loop("ready", count))
            for _ in range(ROUNDS)
        ]  # fmt: skip
    ours = [whole.cpu - one.cpu for one, whole, *_ in measured]
    reading = [read.cpu - first.cpu for _, _, first, read, *_ in measured]
    sending = [ready.cpu - made.cpu for *_, made, ready in measured]
    rates = [(read.wall - first.wall) / (whole.wall - one.wall) for one, whole, first, read, *_ in measured]
    remark = f"{min(ours):.2f} CPU s per 1,000"
    return [
        Figure("asking / loop that reads and encodes", divide(ours, reading), 1.4, True, remark),
        Figure("asking / loop of ready-made bodies", divide(ours, sending), 2.0, True),
        Figure("rate / that of the loop that reads", rates, 0.6, False),
    ]


def divide(first: list[float], second: list[float]) -> list[float]:
    return [a / b for a, b in zip(first, second, strict=True)]


def waiting() -> list[Figure]:
    """Servers that take their time: the ideal is items / places * latency."""
    figures = []
    for count, limit, latency, goal in ((400, 64, 1.0, 1.2), (1000, 512, 2.0, 1.3)):
        with tempfile.TemporaryDirectory() as work, server(f"--latency={latency}") as base:
            words = [*command(base, work)[:-2], f"model.concurrency={limit}", f"results={work}/results"]
            pairs = rounds(
                lambda words=words: earmark(*words, "items=1").wall,
                lambda words=words, count=count: earmark(*words, f"items={count}").wall,
            )
        ideal = count / limit * latency
        ratios = [(whole - one + latency) / ideal for one, whole in pairs]
        title = f"{count:,} items, {limit} in flight, {latency:g} s / ideal"
        figures.append(Figure(title, ratios, goal, True, f"{ideal:.1f} s ideal"))
    return figures


def scoring() -> list[Figure]:
    """Scoring 100,000 replies, beyond start-up, beside a pass of orjson that compares the first letter."""
    count = 100_000
    figures = []
    for title, text, goal in (
        ("scoring letters / one pass", "{label}", 3.0),
        ("scoring sentences, options of their own / one pass", "The answer is ({label}) {choice}.", 15.0),
    ):
        with tempfile.TemporaryDirectory() as work:
            folder = write_journal(Path(work), count, text)
            (one := Path(work) / "one").mkdir()
            few = write_journal(one, 1, text)
            pairs = rounds(
                lambda folder=folder, few=few: (
                    python(OURS, "score", folder, str(count)).cpu - python(OURS, "score", few, "1").cpu
                ),
                lambda folder=folder: (
                    python(BARE, "letters", f"{folder}/responses.jsonl").cpu - python(BARE, "letters", os.devnull).cpu
                ),
            )
        remark = f"{min(pair[0] for pair in pairs) / count * 1000:.3f} CPU ms a reply, workers' start included"
        figures.append(Figure(title, [a / b for a, b in pairs], goal, True, remark))
    return figures


def write_journal(folder: Path, count: int, text: str) -> str:
    """A run of so many items whose options are their own."""
    with (folder / "responses.jsonl").open("wb") as file:
        for index in range(count):
            choices = (f"dog {index}", "cat", f"bird {index % 7}", "car")
            label = "ABCD"[(index // 3) % 4]
            item = Item(
                f"item-{index}", "all", f"Which sound is it? ({index})", (Clip(f"/data/{index}.wav", name="clip"),),
                choices, ("A", "B", "C", "D"), ("ABCD"[index % 4],), group=f"item-{index}",
            )  # fmt: skip
            reply = text.format(label=label, choice=choices["ABCD".index(label)])
            sent = AudioSent("clip", f"{index:016x}", "wav", 16000, 1, 2.0, 64044)
            response = Response(reply, usage=Usage(30, 2, 25), seconds=0.5)
            file.write(encode_line(Record(item, f"{index:016x}", audio_sent=(sent,), response=response)))
    described = {"name": "bench.items", "version": 1, "tasks": ["all"], "settings": {}}
    signature = RunSignature(described, {"name": "m"}, ["plain"], 1, None, {})
    (folder / "run.json").write_bytes(msgspec.json.encode(signature))
    return str(folder)


def resume() -> list[Figure]:
    """What a resumed run reads of a journal of 50,000 records, beside decoding its lines by orjson."""
    with tempfile.TemporaryDirectory() as work:
        folder = write_journal(Path(work), 50_000, "The answer is ({label}) {choice}.")
        path = f"{folder}/responses.jsonl"
        pairs = rounds(
            lambda: python(OURS, "completed", path).cpu - python(OURS, "completed", "/none").cpu,
            lambda: python(BARE, "letters", path).cpu - python(BARE, "letters", os.devnull).cpu,
        )
    each = min(pair[0] for pair in pairs) / 50_000 * 1e6
    return [Figure("resuming / one pass", [a / b for a, b in pairs], 1.2, True, f"{each:.1f} CPU µs a record")]


def opus() -> list[Figure]:
    """The dearest condition beside libsndfile's own encoder and decoder, which it cannot do without."""
    pairs = rounds(
        lambda: python(OURS, "opus", "61").cpu - python(OURS, "opus", "1").cpu,
        lambda: python(BARE, "opus", "61").cpu - python(BARE, "opus", "1").cpu,
    )
    remark = f"{min(pair[0] for pair in pairs) / 60 * 1000:.1f} CPU ms a second of sound"
    return [Figure("codec:opus / libsndfile alone", [a / b for a, b in pairs], 1.3, True, remark)]


def cells() -> list[Figure]:
    """Cells of parquet files in order, beside one cursor that goes on."""
    figures = []
    for group in (2048, 8192):
        with tempfile.TemporaryDirectory() as work:
            path = f"{work}/cells.parquet"
            query = "select {'bytes': repeat(md5(range::varchar), 800)::blob} as audio from range(8192)"
            options = f"format parquet, compression uncompressed, row_group_size {group}"
            duckdb.connect().execute(f"copy ({query}) to '{path}' ({options})")
            pairs = rounds(
                lambda path=path: python(BARE, "cells", path).cpu - python("-c", "import duckdb").cpu,
                lambda path=path: (
                    python(OURS, "cells", path).cpu - python("-c", "import duckdb, earmark.data.rows, msgspec").cpu
                ),
            )
        figures.append(
            Figure(f"cells, row groups of {group:,} / cursor (speed)", [a / b for a, b in pairs], 0.8, False)
        )
    return figures


def sound() -> list[Figure]:
    """44.1 kHz stereo to 16 kHz mono wav, beside the best loop of soundfile and soxr."""
    figures = []
    count = "60"
    for form in ("wav", "flac", "mp3"):
        with tempfile.TemporaryDirectory() as work:
            path = f"{work}/clip.{form}"
            soundfile.write(path, np.random.default_rng(0).normal(0, 0.1, (441_000, 2)), 44100)
            pairs = rounds(
                lambda path=path: python(BARE, "sound", path, count).cpu - python(BARE, "sound", path, "1").cpu,
                lambda path=path: python(OURS, "sound", path, count).cpu - python(OURS, "sound", path, "1").cpu,
            )
        each = min(pair[1] for pair in pairs) / 59 / 10 * 1000
        remark = f"{each:.2f} ms a second of sound"
        figures.append(
            Figure(f"{form} to 16 kHz mono / best loop (speed)", [a / b for a, b in pairs], 0.9, False, remark)
        )
    return figures


def words() -> list[Figure]:
    """Word errors, normalized as Whisper does, beside jiwer and whisper-normalizer."""
    count = "4000"
    pairs = rounds(
        lambda: python(OURS, "words", count).cpu - python(OURS, "words", "1").cpu,
        lambda: python(BARE, "words", count).cpu - python(BARE, "words", "1").cpu,
    )
    return [Figure("word errors / jiwer and whisper-normalizer", [a / b for a, b in pairs], 0.6, True)]


def replicas() -> list[Figure]:
    """A model that works on one thread: the rate of two replicas beside that of one process, start-up left out."""
    count = 300
    with tempfile.TemporaryDirectory() as work:
        words = ["run", "bench.items", "model=fake", CPU_WORK, "model.concurrency=4", "resume=false"]
        words.append(f"results={work}/results")

        def took(*more: str) -> float:
            few, many = earmark(*words, *more, "items=2"), earmark(*words, *more, f"items={count}")
            return float(many.wall - few.wall)

        pairs = rounds(took, lambda: took("model.replicas=2"))
    remark = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    return [Figure("rate of two replicas / of one process", [a / b for a, b in pairs], 1.7, False, remark)]


def view() -> list[Figure]:
    """The pages of the viewer over large runs, which print figures of their own."""
    subprocess.run([sys.executable, str(HERE / "view.py")], check=True)
    return []


PARTS: dict[str, Callable[[], list[Figure]]] = {
    "start": start, "asking": asking, "waiting": waiting,  "scoring": scoring, "resume": resume, "cells": cells,
    "sound": sound, "opus": opus, "words": words, "replicas": replicas, "view": view, "histories": long_histories, "million": million,
}  # fmt: skip
APART = ("histories", "million")  # measured only by name


def show(figures: list[Figure]) -> None:
    """Print the table."""
    width = max(len(figure.name) for figure in figures)
    for figure in figures:
        span = f"{figure.median:6.2f} ({min(figure.ratios):.2f}-{max(figure.ratios):.2f})"
        goal = f"{'<=' if figure.at_most else '>='} {figure.goal:g}"
        print(
            f"{figure.name:<{width}}  {span:<22} {goal:<8} {'met' if figure.is_met else 'NOT MET':<8} {figure.remark}"
        )


def commit() -> str:
    words = ["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def main() -> None:
    """Measure parts, print each as it comes, and write all of them."""
    figures: list[Figure] = []
    for name in sys.argv[1:] or [name for name in PARTS if name not in APART]:
        made = PARTS[name]()
        figures += made
        if made:
            show(made)
        sys.stdout.flush()
    place = HERE.parents[1] / "bench" / "results" / f"{commit()}.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    known = json.loads(place.read_text()) if place.exists() else {}
    known["machine"] = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    known["figures"] = known.get("figures", {}) | {
        figure.name: {"median": figure.median, "ratios": figure.ratios, "goal": figure.goal, "at_most": figure.at_most,
                      "remark": figure.remark}
        for figure in figures
    }  # fmt: skip
    place.write_text(json.dumps(known, indent=1))
    print(f"written: {place}")


if __name__ == "__main__":
    main()
