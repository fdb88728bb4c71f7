"""`earmark audiogram` as a user types it: an ear with known thresholds, a deaf one, a kill in the midst, and what is
refused.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
import signal
import subprocess
import sys
import time
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from commands import ENV, PATIENCE, earmark, started
from servers import Server, said, serving, sounds

from earmark.journal import read_journal

ROOT = Path(__file__).parents[2]
EAR = ("model=fake", "model.reply=examples.ears:ear", "model.name=simulated")
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


def folder() -> Path:
    (path,) = Path("results").rglob("responses.jsonl")
    return path.parent


async def guess(body: dict[str, Any], _: int) -> web.Response:
    """An answer that depends on the sound and on nothing else, after a while."""
    await asyncio.sleep(0.02)
    return said("AB"[zlib.crc32(b"".join(data for _, data in sounds(body))) % 2])


def words(server: Server, *more: str) -> tuple[str, ...]:
    return ("audiogram", f"model={server.url}", "dimensions=[pitch,gap]", "trials=12", "model.concurrency=8", *more)


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
    assert "no threshold in any dimension: the model is deaf to these sounds" in done.stdout
    assert "pitch: no threshold: at chance at the easiest level, 12 semitones" in done.stdout


def test_files_show_and_pictures(tmp_path: Path) -> None:
    done = earmark("audiogram", *EAR, "dimensions=[loudness,tone]", "tracks=1", "trials=20")
    assert done.returncode == 0, done.stderr
    assert "Jesteadt, Wier and Green 1977" in done.stdout
    where = folder()
    for name in ("audiogram.png", "curves.png"):
        assert (where / name).read_bytes().startswith(b"\x89PNG")
    page = (where / "audiogram.html").read_text()
    assert "loudness" in page
    assert page.count("<svg") == 2
    assert not re.search(r'(?:src|href)="(?!#)', page)  # nothing is needed beside it
    shown = earmark("show", str(where), "--plot", str(tmp_path / "a.svg"))
    assert shown.stdout.splitlines()[:8] == done.stdout.splitlines()[:8]
    assert (
        "tone-1000" not in (tmp_path / "a.svg").read_text()
    )  # letters stay letters, and tones are told by their hertz
    assert "loudness" in (tmp_path / "a.svg").read_text()
    assert "finished" in earmark("list", "runs").stdout


def test_models_are_ranked_by_their_thresholds_and_not_compared_question_by_question() -> None:
    for name, reply in {"deaf": "A", "simulated": "examples.ears:ear"}.items():
        words = ("dimensions=[loudness]", "tracks=2", "trials=16")
        done = earmark("audiogram", "model=fake", f"model.name={name}", f"model.reply={reply}", *words)
        assert done.returncode == 0, done.stderr
    ranked = earmark("leaderboard", "results").stdout.splitlines()
    assert [line.split()[:2] for line in ranked if line.startswith(("1", "2"))] == [["1", "simulated"], ["2", "deaf"]]
    refused = earmark("compare", *map(str, sorted(Path("results").glob("*/audiogram/*"))))
    assert refused.returncode == 3
    assert "is an audiogram: each trial depends on the answers before it" in refused.stderr
    run = next(Path("results").glob("*/audiogram/*"))
    refused = earmark("export", str(run), "--to", "csv")
    assert (refused.returncode, "is an audiogram, which has no other form" in refused.stderr) == (3, True)


# ---------------------------------------------------------------- going on


def test_a_killed_audiogram_goes_on_and_finds_what_it_would_have_found() -> None:
    with serving(guess) as server:
        whole = earmark(*words(server, "results=whole", "--json"))
        trials = len(server.asked)
        server.asked.clear()
        for sitting in range(1, 4):
            process = started(*words(server))
            until = time.monotonic() + PATIENCE
            while len(server.asked) < 20 * sitting:
                assert time.monotonic() < until
                assert process.poll() is None, process.communicate()[1]
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=5)
        done = earmark(*words(server, "--json"))
        assert done.returncode == 0, done.stderr
        assert "going on with" in done.stderr
        assert len(server.asked) <= trials + 3 * 8
    assert json.loads(done.stdout)["audiogram"] == json.loads(whole.stdout)["audiogram"]
    assert set(Counter(record.item.id for record in read_journal(folder() / "responses.jsonl")).values()) == {1}


def test_a_budget_stops_it_and_other_settings_begin_another_beside_it() -> None:
    changes = {
        "tracks=3": "benchmark.settings.tracks was 4 and is 3",
        "seed=1": "benchmark.settings.seed was 0 and is 1",
        "dimensions=[pitch,tempo]": "benchmark.settings.dimensions",
        "model.temperature=0.5": "model.temperature",
        "condition=telephone": "condition was ['plain'] and is ['telephone']",
    }
    with serving(guess) as server:
        cut = earmark(*words(server, "budget=200", "model.prices.in=1e6"))
        assert cut.returncode == 6, cut.stderr
        assert "with a larger budget= the same command goes on" in cut.stderr
        first = folder() / "responses.jsonl"
        before = first.read_bytes()
        for change, told in changes.items():
            beside = earmark(*words(server, change))
            assert beside.returncode == 0, beside.stderr
            (said_so,) = [line for line in beside.stderr.splitlines() if "a new run begins beside it" in line]
            assert told in said_so
            assert str(first.parent) in said_so
        assert first.read_bytes() == before
        done = earmark(*words(server))
        assert f"going on with {first.parent}" in done.stderr
        assert first.read_bytes().startswith(before)


def test_trials_that_failed_are_counted_and_their_level_is_asked_again() -> None:
    def flaky(_: dict[str, Any], number: int) -> web.Response:
        return web.Response(status=503, text="{}") if number % 7 == 0 else said("A")

    with serving(flaky) as server:
        done = earmark(*words(server, "max_attempts=1", "--json"))
        assert done.returncode == 7, done.stderr
        findings = json.loads(done.stdout)["audiogram"]["results"]
        assert sum(one["states"]["request-failed"] for one in findings) == len(server.asked) // 7
        assert sum(one["states"]["answered"] for one in findings) == len(server.asked) - len(server.asked) // 7


def test_a_server_that_goes_away_stops_it_and_the_same_command_goes_on() -> None:
    away = True

    def answer(_: dict[str, Any], number: int) -> web.Response:
        return web.Response(status=503, text="{}") if away and number > 30 else said("A")

    with serving(answer) as server:
        first = earmark(*words(server, "max_attempts=1", "max_consecutive_failures=5"))
        assert first.returncode == 6, first.stderr
        assert "5 requests in a row failed" in first.stderr
        assert "unfinished: the command that began it goes on with it" in earmark("show", str(folder())).stdout
        away = False
        done = earmark(*words(server, "max_attempts=1"))
        assert done.returncode in (0, 7), done.stderr
        assert json.loads((folder() / "metrics.json").read_text())["finished"]


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("dimensions=[pich]", "no dimension is called 'pich'; there are: pitch, loudness"),
        ("limit=3", "limit=3 means nothing for an audiogram: trials=, tracks= and dimensions= say how much is asked"),
        ("repeats=2", "repeats=2 means nothing"),
        ("batch=true", "batch=True means nothing"),
        ("condition=[plain,silence]", "an audiogram is heard in one way"),
        ("trails=9", "no setting is called 'trails'; there are: dimensions, trials, tracks"),
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


@pytest.mark.parametrize("command", [["audiogram", *EAR], ["show", "RUN", "--plot", "a.png"]])
def test_without_the_library_that_draws_the_line_to_type_comes_before_anything_is_asked(command: list[str]) -> None:
    if command[0] == "show":
        assert earmark("run", "mine.bench", "items=4", "model=fake", "noise=[0]").returncode == 0
        command = [str(folder()) if word == "RUN" else word for word in command]
    program = "import sys; sys.modules['matplotlib'] = None; from earmark.cli import main; main(*sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", program, *command], env=ENV, capture_output=True, text=True, check=False
    )
    assert done.returncode == 4, done.stderr
    assert (
        done.stderr.strip()
        == "earmark: matplotlib is not installed, and pictures are drawn by it; type: pip install 'earmark[plot]'"
    )
    assert command[0] == "show" or not Path("results").exists()
