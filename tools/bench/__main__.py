"""Benchmarks: the cost of asking, relative to a bare loop in the same run. Prints ratios; nothing passes or fails.

python tools/bench [starting] [asking] [words] [histories] [million] [view]
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import numpy as np
import orjson
import pybase64
import soundfile

RUNS = 5
ITEMS, IN_FLIGHT, BYTES = 2000, 64, 150_000  # 150 kB of wav are 200 kB of base64
AUDIO = {"type": "input_audio", "input_audio": {"data": "CLIP", "format": "wav"}}
WORDS = {"type": "text", "text": "Which?"}
MESSAGE = orjson.dumps({"model": "bench", "messages": [{"role": "user", "content": [AUDIO, WORDS]}]}).split(b"CLIP")
HERE = Path(__file__).parent
JOURNAL, WORDS_FILE = "responses.jsonl", "words.jsonl"


@contextlib.contextmanager
def server() -> Iterator[str]:
    """A canned server in a process of its own."""
    process = subprocess.Popen([sys.executable, str(HERE / "server.py")], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.kill()
        process.wait()


def contents(path: str) -> bytes:
    return Path(path).read_bytes()


def body(clip: str) -> bytes:
    """A request, its clip read and encoded."""
    return pybase64.b64encode(contents(clip)).join(MESSAGE)


def bare(base: str, made: Callable[[int], bytes]) -> tuple[float, float]:
    """Processor seconds and wall seconds of a loop that sends so many bodies, each as it is made."""

    async def loop() -> tuple[float, float]:
        left = iter(range(ITEMS))
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

            async def worker() -> None:
                for index in left:
                    async with session.post(f"{base}/chat/completions", data=made(index)) as reply:
                        json.loads(await reply.read())

            cpu, wall = time.process_time(), time.perf_counter()
            async with asyncio.TaskGroup() as group:
                for _ in range(IN_FLIGHT):
                    group.create_task(worker())
            return time.process_time() - cpu, time.perf_counter() - wall

    return asyncio.run(loop())


def earmark(*words: str) -> tuple[float, float, float]:
    """Processor seconds, wall seconds and peak memory in MB of one whole command."""
    env = os.environ | {"PYTHONPATH": f"{HERE.parent}:{os.environ.get('PYTHONPATH', '')}"}
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "earmark", *words], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"earmark {' '.join(words)} ended with {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime, time.perf_counter() - began, used.ru_maxrss / 1024


def noises(folder: str) -> list[str]:
    """A file of noise for each item, no two alike."""
    clips = [f"{folder}/clip-{index}.wav" for index in range(ITEMS)]
    for index, clip in enumerate(clips):
        soundfile.write(clip, np.random.default_rng(index).integers(-9000, 9000, BYTES // 2, "int16"), 16000)
    return clips


def asking() -> None:
    """2,000 items of 200 KB, 64 in flight, a server in another process."""
    with tempfile.TemporaryDirectory() as work, server() as base:
        clips = noises(work)
        words = ["run", "bench.items", "resume=false", "preflight=false"]  # the canned server ignores audio
        words += [f"data={work}", f"model={base}", f"model.concurrency={IN_FLIGHT}", f"results={work}/results"]
        *_, memory = earmark(*words, f"items={ITEMS}")  # before this process is a large one, which a child begins as
        ready = [body(clip) for clip in clips]
        bare(base, ready.__getitem__)
        rounds = [  # one after the other, since how quick a machine is changes from minute to minute
            (
                bare(base, ready.__getitem__),
                bare(base, lambda _: ready[0]),
                bare(base, lambda index: body(clips[index])),
                earmark(*words, "items=1"),
                earmark(*words, f"items={ITEMS}"),
                earmark(*words, f"items={ITEMS}", "keep_words=false"),
            )
            for _ in range(RUNS)
        ]
    best = [min(several) for several in zip(*rounds, strict=True)]
    loop, same, reading, (start_cpu, start_wall, _), (cpu, wall, _), (wordless_cpu, wordless_wall, _) = best
    print(f"asking: {ITEMS:,} items of 200 KB, {IN_FLIGHT} in flight, server in another process, best of {RUNS}")
    for title, (took, seconds, *_) in {
        "bare aiohttp loop, ready-made bodies": loop,
        "the same, one body again and again": same,
        "the same, each clip read and encoded": reading,
        "earmark run, beyond start-up": (cpu - start_cpu, wall - start_wall),
        "the same, keep_words=false": (wordless_cpu - start_cpu, wordless_wall - start_wall),
    }.items():
        print(
            f"  {title:<37}{took / ITEMS * 1000:.2f} CPU s per 1,000   {ITEMS / seconds:>5,.0f} items/s   ratio "
            f"{took / loop[0]:.2f}"
        )
    print(f"  earmark run, start-up                {start_cpu:.2f} CPU s   {start_wall:.2f} s   peak {memory:.0f} MB")


def words() -> None:
    """Word errors of 20,000 pairs, normalised as Whisper does, beside the bare count of edits of texts that need no
    normaliser.
    """
    import jiwer  # noqa: PLC0415

    from earmark.scorers.wer import Settings, WerScorer  # noqa: PLC0415
    from earmark.types import Item  # noqa: PLC0415

    rng, count = random.Random(0), 20_000  # noqa: S311
    known = "the of and to in is it one hundred twenty don't colour mister street 5 said was with about that".split()
    texts = [" ".join(rng.choices(known, k=15)) for _ in range(count)]
    items = [Item(str(index), targets=(text,)) for index, text in enumerate(texts)]
    replies = texts[1:] + texts[:1]
    scorer = WerScorer(Settings(language="en"))
    took = []
    for each in (
        lambda: [jiwer.process_words(text, reply) for text, reply in zip(texts, replies, strict=True)],
        lambda: [scorer.counts(item, reply) for item, reply in zip(items, replies, strict=True)],
    ):
        began = time.process_time()
        each()
        took.append(time.process_time() - began)
    print(f"words: {count:,} pairs of 15 words; jiwer, nothing normalised: {took[0]:.1f} CPU s")
    print(f"  earmark, whisper-en: {took[1]:.1f} CPU s   ratio {took[1] / took[0]:.1f}")


def _write_prepared(folder: Path, benchmark: Any) -> Path:
    """Write the media of the histories as they are sent."""
    from earmark.audio.prepare import prepare_audio  # noqa: PLC0415
    from earmark.types import Capabilities, EncodedAudio, ImageBytes  # noqa: PLC0415

    prepared = folder / "prepared"
    prepared.mkdir()
    settings = benchmark.Settings(data=str(folder / "data"), media=str(folder / "media"))
    for item in benchmark.items(settings):
        for turn in prepare_audio(benchmark.prompt(settings, item), Capabilities(images=True)).turns:
            for part in turn.parts:
                if isinstance(part, ImageBytes | EncodedAudio):
                    (prepared / part.name.replace("/", "--")).write_bytes(part.data)
    return prepared


def long_histories() -> None:
    """Requests of 600 frames and 60 clips: media encoded for each, as the authors' script does, or once a run."""
    import history  # type: ignore[import-not-found] # noqa: PLC0415 - beside this file; needs the extra av

    with tempfile.TemporaryDirectory() as work, server() as base:
        folder = Path(work)
        history.make(folder)
        script_cpu, script_wall = history.script(folder, base, _write_prepared(folder, history.ph))
        words = ["run", "personalized_hearing", "model.concurrency=8", "preflight=false"]
        words += [f"data={folder}/data", f"media={folder}/media", f"model={base}"]
        start_cpu, start_wall, _ = earmark(*words, f"results={work}/r", "resume=false", "limit=1")
        cpu, wall, memory = earmark(*words, f"results={work}/r", "resume=false")
        wordless_cpu, *_ = earmark(*words, f"results={work}/w", "keep_words=false")
        journal, kept = (
            sum(path.stat().st_size for path in Path(work, "r").rglob(name)) for name in (JOURNAL, WORDS_FILE)
        )
    count = history.QUESTIONS
    print(f"histories: {count} questions of 60 sessions, 600 frames and 60 clips in each request, 8 in flight")
    print(
        f"  read and encode for each   {script_cpu / count * 1000:.0f} ms CPU a request   {count / script_wall:.1f} "
        "requests/s"
    )
    ours = (cpu - start_cpu) / (count - 1)
    print(
        f"  earmark, after the first   {ours * 1000:.0f} ms CPU a request   {(count - 1) / (wall - start_wall):.1f} "
        f"requests/s   peak {memory:.0f} MB"
    )
    print(f"  ratio of CPU               {ours / (script_cpu / count):.2f}")
    wordless = (wordless_cpu - start_cpu) / (count - 1)
    print(
        f"  the same, keep_words=false {wordless * 1000:.0f} ms CPU a request   words: {kept / journal:.0%} of the journal"
    )


def million() -> None:
    """Memory of a run over many generated items, against a run over few."""
    with tempfile.TemporaryDirectory() as work:
        words = ("run", "bench.items", "model=fake", f"results={work}/results", "resume=false")
        for count in (1_000, 100_000, 1_000_000):
            cpu, wall, memory = earmark(*words, f"items={count}")
            print(
                f"million: {count:>9,} generated items, fake model: {wall:.1f} s, {cpu:.1f} CPU s, peak {memory:.0f} MB"
            )


def starting() -> None:
    """`earmark --help` against a bare interpreter."""
    help_, bare_ = (
        [min(_run(*command) for _ in range(10))]
        for command in ((sys.executable, "-m", "earmark", "--help"), (sys.executable, "-c", "pass"))
    )
    print(
        f"starting: earmark --help {help_[0] * 1000:.0f} ms CPU, a bare interpreter {bare_[0] * 1000:.0f} ms, ratio "
        f"{help_[0] / bare_[0]:.1f}"
    )


def _run(*command: str) -> float:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, _, used = os.wait4(process.pid, 0)
    return used.ru_utime + used.ru_stime


def looking() -> None:
    """The pages of the viewer over large runs."""
    subprocess.run([sys.executable, str(HERE / "view.py")], check=True)


BENCHMARKS = {
    "starting": starting,
    "asking": asking,
    "words": words,
    "histories": long_histories,
    "million": million,
    "view": looking,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or ("starting", "asking", "words", "histories"):
        BENCHMARKS[name]()
