"""What the commands print as JSON is what the pages show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from viewed_runs import acoustics, pages_of

from earmark import cli
from earmark.viewer.pages import Pages


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Two runs of tones under two conditions, and the folder that holds them."""
    words = ("condition=[plain,silence]",)
    return [tmp_path, *(acoustics(str(tmp_path), *words, reply=reply, name=f"says-{reply}") for reply in "AB")]


def printed(*words: object) -> Any:
    result = CliRunner().invoke(cli.earmark, [*map(str, words), "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def shown(pages: Pages, kind: str, *query: tuple[str, str]) -> Any:
    """Data of a page, as its server sends them."""
    return json.loads(json.dumps(pages.data_functions()[kind](list(query))))


def test_every_command_prints_what_its_page_shows(runs: list[Path]) -> None:
    root, *folders = runs
    pages = pages_of(root)
    names = [("run", folder.relative_to(root).as_posix()) for folder in folders]

    listed = printed("items", folders[0], "--wrong", "--limit", 50)
    assert listed["rows"] == shown(pages, "items", names[0], ("mark", "wrong"))["rows"]
    assert listed["total"] == len(listed["rows"]) == 6

    (whole,) = printed("items", folders[0], "--id", "pitch-001", "--condition", "plain")["items"]
    key = (("item.task", "pitch"), ("item.id", "pitch-001"))
    page = shown(pages, "item", names[0], *key)
    assert {name: page[name] for name in whole if name in page} | {
        "run": whole["run"],
        "words": whole["words"],
    } == whole
    assert page["prompt"] == whole["words"]

    of_run = {(row["task"], row["condition"]): row for row in shown(pages, "run", names[0])["rows"]}
    reported = [row for row in printed("show", folders[0])[0]["metrics"]["rows"] if not row.get("slice")]
    assert {(row["task"], row["condition"]) for row in reported} == set(of_run)
    for row in reported:
        there = of_run[row["task"], row["condition"]]
        metric, estimate = next(iter(row["metrics"].items()))
        assert (there["metric"], there["n"], there["value"]) == (metric, row["n"], estimate["value"])
        assert (there["low"], there["high"]) == (estimate["low"], estimate["high"])

    compared = printed("compare", *folders)
    differences = shown(pages, "differences", *names)["rows"]
    assert [{name: row[name] for name in row if name != "title"} for row in differences] == compared["rows"]
    counts = shown(pages, "compare", *names, ("condition", "plain"))["counts"]
    (plain,) = (row for row in compared["rows"] if (row["task"], row["condition"]) == ("pitch", "plain"))
    assert (counts["first"], counts["second"]) == (plain["right_only_baseline"], plain["right_only_candidate"])

    (board,) = printed("leaderboard", root)
    (ranked,) = shown(pages, "leaderboard")["boards"]
    for entry, there in zip(board["entries"], ranked["entries"], strict=True):
        estimate = next(iter(entry["row"]["metrics"].values()))
        assert [there[name] for name in ("model", "rank", "ranks", "p", "value", "low", "high", "n")] == [
            entry["model"], entry["rank"], entry["ranks"], entry.get("p"), estimate["value"], estimate["low"],
            estimate["high"], entry["row"]["n"],
        ]  # fmt: skip
