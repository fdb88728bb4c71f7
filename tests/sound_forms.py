"""A benchmark of one's own with sound in every form that there is, and runs of it."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import soundfile
from recorded_runs import run
from table_data import put_parquet, wav

from earmark.config.compose import compose_config
from earmark.engine.load import load_run_benchmark
from earmark.runs.trust import trust_run

MODULE = '''
"""A benchmark of one's own, with sound in every form that there is."""
from msgspec import Struct
from earmark.scorers.choice import ChoiceScorer
from earmark.types import Benchmark, Clip, Item, Prompt, SynthSpec, Turn

class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    data: str = "clips"

CLIPS = (
    Clip("{}/mono.wav"), Clip("{}/stereo.wav", name="two channels"), Clip("{}/mono.wav", start=0.02, end=0.07),
    Clip("{}/clips.zip", member="inner/a.wav"), Clip("{}/clips.parquet", row=1, column="audio.bytes"),
    SynthSpec("tone", {"frequency": 440, "seconds": 0.1, "level": -20}, "a tone"),
)

def load(settings, context):
    def items():
        for number, clip in enumerate(CLIPS):
            if isinstance(clip, Clip):
                clip = clip.__replace__(path=clip.path.format(settings.data))
            yield Item(f"item-{number}", "all", "Which?", (clip, clip), ("yes", "no"), ("A", "B"), ("A",))
    return Benchmark(
        version=1, tasks=context.tasks or ("all",), items=items, prompt=prompt, scorers=lambda _: (ChoiceScorer(),)
    )

def prompt(item):
    return Prompt((Turn("system", ("Listen.",)), Turn("user", (item.clips[0], "or", item.clips[1], item.question))))
'''.replace(
    "clip.__replace__(path=clip.path.format(settings.data))", "replace(clip, path=clip.path.format(settings.data))"
).replace("SynthSpec, Turn", "SynthSpec, Turn, replace")
CONDITIONS = "[plain,silence,noise:0,swap,codec:mp3@32k,speed:1.5]"


def make_forms(folder: Path, package: str = "replayed") -> Path:
    """Put the benchmark and its clips into a folder."""
    (folder / package).mkdir()
    (folder / package / "bench.py").write_text(MODULE)
    clips = folder / "clips"
    clips.mkdir()
    times = np.arange(2400) / 24_000
    sides = np.stack([0.3 * np.sin(2 * np.pi * 300 * times), 0.2 * np.sin(2 * np.pi * 700 * times)], axis=1)
    soundfile.write(clips / "stereo.wav", sides, 24_000)
    (clips / "mono.wav").write_bytes(wav(500))
    with zipfile.ZipFile(clips / "clips.zip", "w") as archive:
        archive.writestr("inner/a.wav", wav(600))
    put_parquet(clips / "clips.parquet", [{"n": 0}, {"n": 1}])
    return folder


def ask(name: str, *words: str, model: str = "fake") -> Path:
    """A run of it, whose config.yaml is as that of a command."""
    words = (f"model={model}", "model.concurrency=1", "preflight=false", *words)
    benchmark, _ = load_run_benchmark(name, (), compose_config(words))
    run_words = [word for word in words if not word.startswith(("data=", "items=", "policy="))]
    made = run(*run_words, benchmark=benchmark).folder
    path = made / "config.yaml"  # as that of a command, with the settings of the benchmark
    own = [word for word in words if word not in run_words]
    settings = "".join(f"\n  {key}: {value}" for key, value in (word.split("=") for word in own))
    path.write_text(path.read_text().replace("benchmark: {}", f"benchmark:{settings or ' {}'}"))
    trust_run(made)
    return made.resolve()
