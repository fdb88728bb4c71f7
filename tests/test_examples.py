"""The examples, run as their first lines say."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from commands import ENV, earmark

ROOT = Path(__file__).parents[1]
DOCS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.fixture(autouse=True)
def _examples_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENV, "PYTHONPATH", f"{ENV['PYTHONPATH']}:{ROOT}")


def scores(words: list[str]) -> dict[tuple[str, str], float]:
    done = earmark("run", *words)
    assert done.returncode == 0, done.stderr
    (path,) = Path("results").rglob("metrics.json")
    rows = json.loads(path.read_text())["rows"]
    return {(row["task"], row["condition"]): row["metrics"]["accuracy"]["value"] for row in rows}


def test_a_benchmark_in_one_file_runs_by_its_dotted_name() -> None:
    words = ["examples.beeps", "model=fake", "model.reply=examples.listeners:counter"]
    assert scores(words) == {("count", "plain"): 1.0}


def test_the_benchmark_that_is_timed_can_be_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENV, "PYTHONPATH", f"{ENV['PYTHONPATH']}:{ROOT / 'tools'}")
    assert scores(["bench.items", "items=4", "model=fake"]) == {("all", "plain"): 1.0}


def test_a_function_that_hears_hears_nothing_in_silence() -> None:
    words = ["acoustics:loudness", "model=fake", "model.reply=examples.listeners:loudest", "condition=[plain,silence]"]
    assert scores(words) == {("loudness", "plain"): 1.0, ("loudness", "silence"): 0.5}


def test_a_model_in_one_file_is_asked_by_its_dotted_name() -> None:
    assert scores(["acoustics:loudness", "model=examples.loudest"]) == {("loudness", "plain"): 1.0}
    done = earmark("run", "acoustics:side", "items=24", "model=examples.loudest/mine", "model.concurrency=2")
    assert (done.returncode, "acoustics by mine" in done.stdout) == (7, True)
    assert (
        "failed 24: expected a sound for each of 2 choices, found 1"
        in earmark("show", *map(str, Path("results/mine/acoustics").iterdir())).stdout
    )


def test_a_condition_in_one_file_is_heard_by_its_dotted_name() -> None:
    words = ["acoustics:loudness", "items=24", "model=fake", "model.reply=examples.listeners:loudest"]
    found = scores([*words, "condition=[plain,examples.backwards]"])
    assert found == {("loudness", "plain"): 1.0, ("loudness", "examples.backwards"): 1.0}
    (journal,) = Path("results").rglob("responses.jsonl")
    assert journal.read_text().count('"backwards"') == 2 * 24


def test_a_scorer_in_one_file_scores_runs_that_are_compared() -> None:
    for reply in ("B", "one two three four"):
        done = earmark(
            "run", "acoustics:loudness", "items=24", "model=fake", f"model.reply={reply}", f"model.name={reply[0]}"
        )
        assert done.returncode == 0, done.stderr
    runs = [str(path.parent) for path in sorted(Path("results").rglob("run.json"))]
    for run in runs:
        done = earmark("rescore", run, "--scorer", "examples.brief", "most=3")
        assert (done.returncode, "brief" in done.stdout) == (0, True), done.stderr
    (row,) = json.loads(earmark("compare", *runs, "--json").stdout)["rows"]
    assert row["difference"]["value"] == -1.0


def test_a_module_in_the_working_folder_is_found_and_hides_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        ENV, "PYTHONSAFEPATH", "1"
    )  # as for the installed program, where Python itself does not look here
    Path("mine2").mkdir()
    Path("mine2/beeps.py").write_text((ROOT / "examples" / "beeps.py").read_text())
    Path("msgspec.py").write_text("raise SystemExit('the wrong msgspec')\n")
    assert scores(["mine2.beeps", "model=fake", "model.reply=examples.listeners:counter"]) == {("count", "plain"): 1.0}


def test_the_card_of_a_module_of_ones_own_is_told() -> None:
    told = earmark("info", "examples.beeps").stdout
    assert told.startswith("examples.beeps\n\nBeeps: how many beeps are in the clip?")
    assert "  level = -20.0" in told


def test_evaluating_from_python() -> None:
    command = [sys.executable, str(ROOT / "examples" / "from_python.py")]
    done = subprocess.run(command, env=ENV, capture_output=True, text=True, check=True)
    assert re.search(r"accuracy +loudness +plain +1\.000", done.stdout)


def test_scoring_replies_of_a_file() -> None:
    done = earmark("score", str(ROOT / "examples" / "replies.jsonl"), "--scorer", "choice", "--json")
    told = json.loads(done.stdout)
    assert told["metrics"]["accuracy"] == 0.5
    assert told["states"]["refused"] == 1


@pytest.mark.parametrize("page", DOCS, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_name_commands_and_files_that_are_there(page: Path) -> None:
    from earmark.plugins import display_name, plugin_names

    text = page.read_text(encoding="utf-8")
    known = {display_name("cli", name) for name in plugin_names("cli")}
    for command in re.findall(r"(?:^|`)earmark ([a-z][a-z-]*)", text, re.MULTILINE):
        assert command in known, f"{page.name} names a command '{command}' that is not there"
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (page.parent / link).exists(), f"{page.name} links to {link}, which is not there"
