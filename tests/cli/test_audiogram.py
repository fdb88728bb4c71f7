"""`earmark audiogram` as a user types it: an ear with known thresholds, a deaf one, a kill in the midst, and what is
refused.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from audiogram_runs import EAR, ROOT
from commands import ENV, earmark
from servers import said, serving

KNOWN = {"pitch": 0.674 * 0.5, "loudness": 0.674 * 1.5, "duration": 100 * math.expm1(0.674 * 0.15), "gap": 0.674 * 6}


# ^ where examples/ears.py is right in 75 %: a normal error is smaller than 0.674 of its spread that often


@pytest.fixture(autouse=True)
def _examples_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENV, "PYTHONPATH", f"{ENV['PYTHONPATH']}:{ROOT}")


def measured(*words: str) -> dict[str, dict[str, Any]]:
    """The findings of an audiogram, by dimension."""
    done = earmark("audiogram", *words, "--json")
    assert done.returncode == 0, done.stderr
    return {one["dimension"]: one for one in json.loads(done.stdout)["audiogram"]["results"]}


# ---------------------------------------------------------------- what it finds


def test_thresholds_of_an_ear_that_measures_the_sound_lie_in_their_intervals() -> None:
    found = measured(*EAR, "dimensions=[pitch,loudness,duration,gap,tempo]")
    for name, threshold in KNOWN.items():
        assert found[name]["outcome"] == "measured"
        assert (found[name]["low"] or 0.0) < threshold < found[name]["high"], name
    assert found["tempo"]["outcome"] == "not reached"  # it guesses there
    assert found["tempo"]["threshold"] is None


def test_the_same_ear_in_silence_is_deaf() -> None:
    done = earmark("audiogram", *EAR, "dimensions=[pitch,tone]", "tracks=2", "trials=16", "condition=silence")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(" none ") == 7
    assert "no threshold in any dimension: the model does not hear these sounds, or does not follow" in done.stdout
    assert "pitch: no threshold: at chance at the easiest level, 12 semitones" in done.stdout


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("dimensions=[pich]", "no dimension is called 'pich'; did you mean pitch? There are: pitch, loudness"),
        ("limit=3", "limit=3 means nothing for an audiogram: trials=, tracks= and dimensions= say how much is asked"),
        ("repeats=2", "repeats=2 means nothing"),
        ("batch=true", "batch=True means nothing"),
        ("condition=[plain,silence]", "an audiogram is heard in one way"),
        (
            "trails=9",
            "no setting is called 'trails'; did you mean trials or tracks? There are: dimensions, trials, tracks",
        ),
    ],
)
def test_a_setting_that_means_nothing_is_refused_in_one_line(word: str, told: str) -> None:
    done = earmark("audiogram", *EAR, word)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert told in done.stderr
    assert not Path("results").exists()


def test_a_deaf_server_is_found_by_the_preflight_and_asked_nothing() -> None:
    with serving(lambda *_: said("A"), preflight=True) as server:
        done = earmark("audiogram", f"model={server.url}", "dimensions=[pitch]")
        assert done.returncode == 4, done.stderr
        assert "receives no audio" in done.stderr
    assert not list(Path("results").rglob("responses.jsonl"))
