"""Two measurements that print figures of their own: long histories, and a million items."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Final

from measure import Figure, earmark, server  # type: ignore[import-not-found] # beside this file

JOURNAL: Final = "responses.jsonl"
WORDS_FILE: Final = "words.jsonl"


def long_histories() -> list[Figure]:
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
    wordless = (wordless_cpu - start_cpu) / (count - 1)
    print(
        f"  the same, keep_words=false {wordless * 1000:.0f} ms CPU a request   words: {kept / journal:.0%} of the journal"
    )
    return [Figure("histories / the authors' script", [ours / (script_cpu / count)], 0.6, True)]


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


def million() -> list[Figure]:
    """Memory of a run over many generated items, against a run over few."""
    with tempfile.TemporaryDirectory() as work:
        words = ("run", "bench.items", "model=fake", f"results={work}/results", "resume=false")
        for count in (1_000, 100_000, 1_000_000):
            cpu, wall, memory = earmark(*words, f"items={count}")
            print(
                f"million: {count:>9,} generated items, fake model: {wall:.1f} s, {cpu:.1f} CPU s, peak {memory:.0f} MB"
            )
    return []
