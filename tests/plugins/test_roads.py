"""Plug-ins that are not packaged: entry points of a package that is really installed, and files that change."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import ENV

PROJECT = """[project]
name = "earmark-beeps"
version = "1.0"

[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""
# A wheel is a zip archive; a backend of a few lines needs no package that builds others.
BACKEND = """
import zipfile

GROUPS = "benchmarks", "conditions", "importers", "models", "scorers"
INFO = "earmark_beeps-1.0.dist-info"


def build_wheel(folder, config_settings=None, metadata_directory=None):
    name = "earmark_beeps-1.0-py3-none-any.whl"
    points = "".join(f"[earmark.{group}]\\nbeeps-{group} = beeps_{group}\\n" for group in GROUPS)
    with zipfile.ZipFile(f"{folder}/{name}", "w") as wheel:
        for group in GROUPS:
            wheel.write(f"beeps_{group}.py")
        wheel.writestr(f"{INFO}/METADATA", "Metadata-Version: 2.1\\nName: earmark-beeps\\nVersion: 1.0\\n")
        wheel.writestr(f"{INFO}/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{INFO}/entry_points.txt", points)
        wheel.writestr(f"{INFO}/RECORD", "")
    return name
"""
HEAD = '''"""Beeps: plug-ins of an installed package."""

from contextlib import asynccontextmanager

from msgspec import Struct

from earmark.journal import Record
from earmark.runs.imported import FunctionImporter, ImportedRun
from earmark.scorers.exact import ExactScorer, Settings as ExactSettings
from earmark.types import Benchmark, Capabilities, Item, Prompt, Response, SynthSpec, Turn
'''
SETTINGS = """

class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    word: str = "beep"


"""
FILES = {
    "benchmarks": """
def load(settings, context):
    clip = SynthSpec("tone", {"frequency": 440.0, "seconds": 0.1, "level": -20.0})
    items = [Item(str(n), "all", "What is heard?", (clip,), targets=(settings.word,)) for n in range(3)]
    prompt = lambda item: Prompt((Turn("user", (*item.clips, item.question)),))
    return Benchmark(version=1, tasks=("all",), items=lambda: items, prompt=prompt, scorers=lambda _: (ExactScorer(),))
""",
    "models": """
class Beeper:
    name = "beeper"
    capabilities = Capabilities()

    def __init__(self, word):
        self.word = word

    async def generate(self, prompt):
        return Response(self.word)


@asynccontextmanager
async def load(settings, context):
    yield Beeper(settings.word)
""",
    "conditions": """
class Unchanged:
    removes_audio = keeps_words = False

    def apply(self, prompt, item):
        return prompt


def load(settings, context):
    return Unchanged()
""",
    "scorers": """
class Beeps(ExactScorer, frozen=True):
    pass


def load(settings, context):
    return Beeps(ExactSettings(), context.name)
""",
    "importers": """
def load(settings, context):
    def read(path):
        record = Record(Item("1", "all", targets=("beep",)), response=Response(path.read_text().strip()))
        yield ImportedRun("beeps", ("all",), "beeper", [record], scorers=lambda _: [{"name": "exact"}])

    return FunctionImporter(lambda path: path.suffix == ".beeps", read)
""",
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which a package with a plug-in of each kind is installed by pip, without a network."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("site")
    (source / "pyproject.toml").write_text(PROJECT)
    (source / "backend.py").write_text(BACKEND)
    for group, text in FILES.items():
        settings = SETTINGS if group != "scorers" else "\n\nSettings = ExactSettings\n"
        (source / f"beeps_{group}.py").write_text(HEAD + settings + text)
    words = ("install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--target", str(target))
    command = [sys.executable, "-m", "pip", *words, str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


def earmark(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command where a package is installed."""
    env = ENV | {"PYTHONPATH": os.pathsep.join((ENV["PYTHONPATH"], str(site)))}
    command = [sys.executable, "-m", "earmark", *words]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_a_run_takes_a_benchmark_a_model_and_a_condition_of_an_installed_package(installed: Path) -> None:
    words = ("beeps-benchmarks", "model=beeps-models", "condition=[plain,beeps-conditions]", "word=beep")
    done = earmark(installed, "run", *words)
    assert done.returncode == 0, done.stderr
    (file,) = Path("results").rglob("metrics.json")
    rows = json.loads(file.read_text())["rows"]
    assert [(row["condition"], row["n"], row["metrics"]["exact_match"]["value"]) for row in rows] == [
        ("plain", 3, 1.0),
        ("beeps-conditions", 3, 1.0),
    ]


def test_replies_are_scored_and_results_imported_by_an_installed_package(installed: Path) -> None:
    Path("replies.jsonl").write_text('{"id": "1", "reply": "beep", "target": "beep"}\n')
    scored = earmark(installed, "score", "replies.jsonl", "--scorer", "beeps-scorers")
    assert scored.returncode == 0, scored.stderr
    assert "exact_match" in scored.stdout
    Path("log.beeps").write_text("beep\n")
    imported = earmark(installed, "import", "log.beeps")
    assert imported.returncode == 0, imported.stderr
    assert "beeps by beeper" in imported.stdout


@pytest.mark.parametrize("kind", ["benchmarks", "scorers", "conditions"])
def test_an_installed_plug_in_is_listed_and_described(installed: Path, kind: str) -> None:
    listed = earmark(installed, "list", kind).stdout
    assert f"  beeps-{kind}" in listed
    card = earmark(installed, "info", f"beeps-{kind}")
    assert (card.returncode, "Beeps: plug-ins of an installed package." in card.stdout) == (0, True), card.stderr


def test_a_name_of_no_plug_in_names_the_installed_ones(installed: Path) -> None:
    done = earmark(installed, "run", "acoustics", "model=fake", "condition=beep")
    assert done.returncode == 2
    assert "beeps-conditions" in done.stderr


# ---------------------------------------------------------------- a file that changes

MODEL = '''"""A model that fails, until it is repaired."""

from contextlib import asynccontextmanager

from msgspec import Struct

from earmark.errors import Rejected
from earmark.types import Capabilities, Response


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Failing:
    name = "failing"
    capabilities = Capabilities()

    async def generate(self, prompt):
        raise Rejected("not now")


@asynccontextmanager
async def load(settings, context):
    yield Failing()
'''


def test_a_retry_after_the_file_of_a_plug_in_has_changed_is_refused_and_loses_nothing(tmp_path: Path) -> None:
    Path("failing.py").write_text(MODEL)
    done = earmark(tmp_path, "run", "mine.bench", "items=3", "model=./failing.py", "max_attempts=1")
    assert done.returncode == 7, done.stderr
    (signed,) = Path("results").rglob("run.json")
    run, journal = signed.parent, (signed.parent / "responses.jsonl").read_bytes()
    Path("failing.py").write_text(MODEL.replace('raise Rejected("not now")', 'return Response("A")'))
    retried = earmark(tmp_path, "retry", str(run))
    path = Path("failing.py").resolve()
    assert (retried.returncode, retried.stderr) == (
        5,
        f"earmark: {path} has changed since {run} was asked; put it back, or run it anew\n",
    )
    assert (run / "responses.jsonl").read_bytes() == journal
    Path("failing.py").write_text(MODEL)
    again = earmark(tmp_path, "retry", str(run))
    assert "asking again, 1 of 1 times: 3 questions" in again.stderr  # the file is what it was
