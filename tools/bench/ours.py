"""What of ours is no command of its own, each a process: the counterparts of bare.py.

python tools/bench/ours.py cells FILE
python tools/bench/ours.py sound FILE COUNT
python tools/bench/ours.py words COUNT
python tools/bench/ours.py score FOLDER COUNT         score the journal of a run of bench.items
python tools/bench/ours.py completed JOURNAL          what a resumed run reads of a journal
python tools/bench/ours.py opus SECONDS               the condition codec:opus@32k on seconds of noise
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path


def cells(path: str) -> None:
    """Every cell of a parquet file in order."""
    import duckdb  # noqa: PLC0415

    from earmark.data.rows import read_cell  # noqa: PLC0415

    ((count,),) = duckdb.execute("select count(*) from read_parquet(?)", [path]).fetchall()
    for row in range(count):
        read_cell(path, "audio.bytes", row)


def sound(path: str, count: str) -> None:
    """Sound as a model that takes 16 kHz mono gets it."""
    from earmark.audio.prepare import fit_audio  # noqa: PLC0415
    from earmark.types import Capabilities, Clip  # noqa: PLC0415

    for _ in range(int(count)):
        fit_audio(Clip(path), Capabilities(("wav",), (16000,), 1))


def words(count: str) -> None:
    """Word errors, normalized as Whisper does."""
    from word_pairs import pairs  # type: ignore[import-not-found] # noqa: PLC0415

    from earmark.scorers.wer import Settings, WerScorer  # noqa: PLC0415
    from earmark.types import Item  # noqa: PLC0415

    scorer = WerScorer(Settings(language="en"))
    for index, (text, reply) in enumerate(pairs(int(count))):
        scorer.counts(Item(str(index), targets=(text,)), reply)


def score(folder: str, count: str) -> None:
    """Score a journal and write all reports."""
    from earmark.engine.load import load_benchmark  # noqa: PLC0415
    from earmark.report.rows import DatasetCounts  # noqa: PLC0415
    from earmark.runs.scoring import write_scores  # noqa: PLC0415

    benchmark = load_benchmark("bench.items", (), {})
    asyncio.run(write_scores(Path(folder), benchmark, 0, DatasetCounts(int(count))))


def completed(path: str) -> None:
    """What a resumed run reads of its journal."""
    from earmark.journal import load_completed  # noqa: PLC0415

    load_completed(Path(path))


def opus(seconds: str) -> None:
    """Noise at 16 kHz mono, as it comes out of opus, a second at a time."""
    import numpy as np  # noqa: PLC0415

    from earmark.conditions.codec import Settings, load  # noqa: PLC0415
    from earmark.types import Context, Item, Prompt, Turn, Waveform  # noqa: PLC0415

    condition = load(Settings("opus", "32k"), Context())
    noise = np.random.default_rng(0).normal(0, 0.1, (1, 16000)).astype(np.float32)
    for _ in range(int(seconds)):
        condition.apply(Prompt((Turn("user", (Waveform(noise, 16000, "noise", "noise"),)),)), Item("item"))


if __name__ == "__main__":
    parts = {each.__name__: each for each in (cells, sound, words, score, completed, opus)}
    parts[sys.argv[1]](*sys.argv[2:])
