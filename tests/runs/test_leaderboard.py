"""The leaderboard, a published table, and averages in a comparison."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from commands import earmark
from ranked_runs import board, ran

from earmark.stats.compare import mcnemar
from earmark.stats.difference import holm


@pytest.fixture
def listens(shared: Path) -> tuple[Path, Path]:
    data = f"data={shared}/fixtures/listen"
    return ran("always-b", "B", "listen", data), ran("always-c", "C", "listen", data)


def test_equal_scores_share_a_rank_and_ranks_have_an_interval() -> None:
    """n13: three models that are right alike are all first, whatever the order of their names or runs."""
    for name, reply in (("low", "hm"), ("zeta", "A"), ("alpha", "A"), ("mid", "A")):
        ran(name, reply, "acoustics:pitch", "items=48")
    (only,) = board()
    told = {entry["model"]: (entry["rank"], entry["ranks"]) for entry in only["entries"]}
    assert told == {"zeta": (1, [1, 3]), "alpha": (1, [1, 3]), "mid": (1, [1, 3]), "low": (4, [4, 4])}
    shown = earmark("leaderboard").stdout
    assert shown.count("1 (1-3)") == 3
    assert "in brackets: range of the rank at 95 %" in shown
    values = [entry.get("p") for entry in only["entries"]]
    assert values[0] is None
    assert values[1:3] == [1.0, 1.0]
    # 24 of 48 right against none is one of six comparisons, three of which are as clear
    assert values[3] == pytest.approx(6 * mcnemar(0, 24))


def test_the_first_is_picked_by_the_same_data() -> None:
    """Ten models that are equally good, 500 items: few tables call any of them worse than the first."""
    dice, false, among_others = np.random.default_rng(0), 0, 0
    for _ in range(120):
        right = dice.random((10, 500)) < dice.beta(2, 1, 500)
        ranked = right[np.argsort(-right.sum(axis=1))]
        values = [mcnemar(int((ranked[0] & ~other).sum()), int((other & ~ranked[0]).sum())) for other in ranked[1:]]
        false += any(p is not None and p < 0.05 for p in holm(values, 45))
        among_others += any(p is not None and p < 0.05 for p in holm(values))
    assert false / 120 <= 0.05
    assert among_others > false


@pytest.mark.shared
def test_a_benchmarks_own_average_ranks(listens: tuple[Path, Path]) -> None:
    (found,) = board()
    assert found["by"] == "overall"
    values = [entry["row"]["metrics"]["weighted_accuracy"]["value"] for entry in found["entries"]]
    assert values == sorted(values, reverse=True)
    assert 0 < found["entries"][1]["p"] <= 1
    (by_task,) = board("--by", "2B")
    assert by_task["entries"][0]["row"]["task"] == "2B"
    first, second = listens
    rows = {
        row["task"]: row["difference"]
        for row in json.loads(earmark("compare", str(first), str(second), "--json").stdout)["rows"]
    }
    over = ("1_audio", "1_audio_and_text", "2B", "2C", "3B", "3C", "4")
    assert rows["overall"]["value"] == pytest.approx(sum(rows[task]["value"] for task in over) / 7)
    assert rows["overall"]["low"] < rows["overall"]["value"] < rows["overall"]["high"]


@pytest.mark.shared
def test_a_run_stands_beside_the_published_table(listens: tuple[Path, Path]) -> None:
    done = earmark("compare", str(listens[0]), "--paper")
    assert done.returncode == 0, done.stderr
    assert "34.9 (12.8)" in done.stdout
    assert "first generation of the authors' code" in done.stdout
    lines = json.loads(earmark("compare", str(listens[0]), "--paper", "--json").stdout)
    assert [line["task"] for line in lines][-1] == "overall"
    assert lines[0]["Gemini 2.5 Pro"] == "96.6 (96.6)"
    assert float(lines[4]["this run"].split()[0]) > 0
