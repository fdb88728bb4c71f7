"""`earmark run`: its files, and the same command once more."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

from commands import earmark
from run_command import COMMAND
from servers import said, serving

from earmark import errors


def cut(path: Path) -> None:
    """Leave half a file."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def test_broken_numbers_are_made_again_by_the_same_command(run: Path) -> None:
    cut(run / "metrics.json")
    assert "unfinished" in earmark("list", "runs").stdout
    done = earmark(*COMMAND)
    assert done.returncode == 0, done.stderr
    assert "going on with" in done.stderr
    assert earmark("show", str(run)).returncode == 0


def test_a_run_leaves_its_files_and_can_be_shown() -> None:
    done = earmark(
        "run", "acoustics:pitch", "acoustics:loudness", "model=fake", "items=10", "condition=[plain,silence]"
    )
    assert done.returncode == 0, done.stderr
    assert "0.500" in done.stdout
    (run,) = (path.parent for path in Path("results").rglob("run.json"))
    assert {path.name for path in run.iterdir()} >= {
        "config.yaml",
        "run.json",
        "responses.jsonl",
        "scores.jsonl",
        "metrics.json",
        "summary.csv",
        "samples",
    }
    metrics = json.loads((run / "metrics.json").read_text())
    assert metrics["finished"]
    assert [(row["task"], row["condition"]) for row in metrics["rows"] if not row["slice"]] == [
        (task, condition) for task in ("pitch", "loudness", "mean over tasks") for condition in ("plain", "silence")
    ]
    with (run / "summary.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["value"] for row in rows if row["metric"] == "accuracy"} == {"0.5"}
    with (run / "samples" / "pitch.csv").open(newline="") as file:
        samples = list(csv.DictReader(file))
    assert len(samples) == 20
    assert {sample["reply"] for sample in samples} == {"A"}
    assert "0.500" in earmark("show", str(run)).stdout
    assert "accuracy_read" in earmark("show", str(run), "--all").stdout
    assert "accuracy, an interval of width 0.04 needs about" in earmark("show", str(run), "--width", "0.04").stdout
    assert re.search(r"@  fake   acoustics  \S+  plain, silenc", earmark("list", "runs").stdout)


def test_failed_items_end_a_run_with_a_status_of_its_own() -> None:
    from aiohttp import web

    with serving(lambda _, n: web.Response(status=400, text="{}") if n == 1 else said("A")) as server:
        done = earmark("run", "acoustics:pitch", "items=4", f"model={server.url}")
    assert done.returncode == errors.FINISHED_WITH_FAILURES
    assert "if the 1 failed were right" in done.stdout
