"""Bare loops that a run is compared with, each a process of its own.

python tools/bench/bare.py ask ready|read|made URL FOLDER ITEMS  send a body for each clip, made before or when it is sent;
                                                                made: only make them
python tools/bench/bare.py letters JOURNAL                      compare the first letter of every reply, by orjson
python tools/bench/bare.py cells FILE                           every cell of a parquet file by one cursor
python tools/bench/bare.py sound FILE COUNT                     decode, mix, resample and encode by soundfile and soxr
python tools/bench/bare.py words COUNT                          word errors by jiwer and whisper-normalizer
python tools/bench/bare.py opus SECONDS                         noise through opus and back, by soundfile
python tools/bench/bare.py imports                              what a run against a server cannot do without
"""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import Callable
from pathlib import Path

IN_FLIGHT = 64


def ask(kind: str, base: str, folder: str, count: str) -> None:
    """Send as many bodies as there are clips, 64 at once."""
    import aiohttp  # noqa: PLC0415
    import orjson  # noqa: PLC0415
    import pybase64  # noqa: PLC0415

    audio = {"type": "input_audio", "input_audio": {"data": "CLIP", "format": "wav"}}
    message = {"role": "user", "content": [audio, {"type": "text", "text": "Which?"}]}
    parts = orjson.dumps({"model": "bench", "messages": [message]}).split(b"CLIP")

    def body(index: int) -> bytes:
        return pybase64.b64encode(Path(f"{folder}/clip-{index}.wav").read_bytes()).join(parts)

    made = {} if kind == "read" else {index: body(index) for index in range(int(count))}
    make: Callable[[int], bytes] = body if kind == "read" else made.__getitem__

    async def loop() -> None:
        left = iter(range(0 if kind == "made" else int(count)))
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

            async def worker() -> None:
                for index in left:
                    async with session.post(f"{base}/chat/completions", data=make(index)) as reply:
                        orjson.loads(await reply.read())

            async with asyncio.TaskGroup() as group:
                for _ in range(IN_FLIGHT):
                    group.create_task(worker())

    asyncio.run(loop())


def letters(journal: str) -> None:
    """The simplest rescoring there is."""
    import orjson  # noqa: PLC0415

    right = 0
    with Path(journal).open("rb") as file:
        for line in file:
            record = orjson.loads(line)
            right += record["response"]["text"][:1] == record["item"]["targets"][0]


def cells(path: str) -> None:
    """One cursor that goes on."""
    import duckdb  # noqa: PLC0415

    cursor = duckdb.connect(config={"threads": 1}).execute("select audio.bytes from read_parquet(?)", [path])
    while cursor.fetchmany(128):
        pass


def sound(path: str, count: str) -> None:
    """The best loop that could be written for 16 kHz mono."""
    import numpy as np  # noqa: PLC0415
    import soundfile  # noqa: PLC0415
    import soxr  # noqa: PLC0415

    for _ in range(int(count)):
        samples, rate = soundfile.read(io.BytesIO(Path(path).read_bytes()), dtype="float32", always_2d=True)
        mixed = (samples[:, 0] + samples[:, 1]) * np.float32(0.5)
        soundfile.write(io.BytesIO(), soxr.resample(mixed, rate, 16000), 16000, "PCM_16", format="wav")


def words(count: str) -> None:
    """Word errors as most do them."""
    import jiwer  # noqa: PLC0415
    from whisper_normalizer.english import EnglishTextNormalizer  # type: ignore[import-untyped] # noqa: PLC0415
    from word_pairs import pairs  # type: ignore[import-not-found] # noqa: PLC0415

    normalize = EnglishTextNormalizer()
    for text, reply in pairs(int(count)):
        jiwer.process_words(normalize(text), normalize(reply))


def opus(seconds: str) -> None:
    """Encode and decode noise at 16 kHz mono, a second at a time."""
    import numpy as np  # noqa: PLC0415
    import soundfile  # noqa: PLC0415

    noise = np.random.default_rng(0).normal(0, 0.1, 16000).astype(np.float32)
    for _ in range(int(seconds)):
        file = io.BytesIO()
        soundfile.write(file, noise, 16000, format="OGG", subtype="OPUS")
        soundfile.read(io.BytesIO(file.getvalue()), dtype="float32")


def imports() -> None:
    """Modules of other people that a run needs."""
    import aiohttp  # noqa: F401, PLC0415
    import click  # noqa: F401, PLC0415
    import msgspec  # noqa: F401, PLC0415
    import numpy as np  # noqa: F401, PLC0415
    import orjson  # noqa: F401, PLC0415
    import rich.console  # noqa: F401, PLC0415
    import soundfile  # noqa: F401, PLC0415
    import soxr  # noqa: F401, PLC0415


if __name__ == "__main__":
    loops = {each.__name__: each for each in (ask, letters, cells, sound, words, opus, imports)}
    loops[sys.argv[1]](*sys.argv[2:])
