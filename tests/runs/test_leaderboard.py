"""The leaderboard, a published table, and averages in a comparison."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import earmark

from earmark.cli._tables import show_table
from earmark.config import yaml_names
from earmark.report.published import load_published
from earmark.stats.compare import holm, mcnemar


def ran(name: str, reply: str, *more: str) -> Path:
    before = set(Path("results").rglob("run.json"))
    done = earmark("run", *more, "model=fake", f"model.name={name}", f"model.reply={reply}")
    assert done.returncode in (0, 7), done.stderr
    (made,) = set(Path("results").rglob("run.json")) - before
    return made.parent


@pytest.fixture
def listens(shared: Path) -> tuple[Path, Path]:
    data = f"data={shared}/fixtures/listen"
    return ran("always-b", "B", "listen", data), ran("always-c", "C", "listen", data)


def board(*words: str) -> Any:
    done = earmark("leaderboard", *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_models_are_ranked_and_compared_with_the_first() -> None:
    acoustics = ("acoustics:pitch", "items=48")
    ran("b", "B", *acoustics)
    ran("mute", "hm", *acoustics)
    ran("a", "A", *acoustics)
    ran("a", "A", *acoustics)  # of a model's runs the newest counts
    (only,) = board()
    assert (only["benchmark"], only["metric"], only["by"]) == ("acoustics", "accuracy", "pitch")
    assert [entry["model"] for entry in only["entries"]][2] == "mute"
    assert len(only["entries"]) == 3
    first, second, last = only["entries"]
    assert "p" not in first or first["p"] is None
    assert second["p"] == pytest.approx(1.0)
    assert last["p"] < 0.001
    shown = earmark("leaderboard").stdout
    assert "acoustics: accuracy of pitch" in shown
    assert "settings: seed=0, items=48, split=all" in shown


def test_equal_scores_share_a_rank_and_ranks_have_an_interval() -> None:
    """n13: three models that are right alike are all first, whatever the order of their names or runs."""
    for name, reply in (("low", "hm"), ("zeta", "A"), ("alpha", "A"), ("mid", "A")):
        ran(name, reply, "acoustics:pitch", "items=48")
    (only,) = board()
    told = {entry["model"]: (entry["rank"], entry["ranks"]) for entry in only["entries"]}
    assert told == {"zeta": (1, [1, 3]), "alpha": (1, [1, 3]), "mid": (1, [1, 3]), "low": (4, [4, 4])}
    shown = earmark("leaderboard").stdout
    assert shown.count("1 (1-3)") == 3
    assert "in brackets: the ranks that a model may have, at 95 %" in shown
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


def test_other_questions_are_another_table() -> None:
    ran("a", "A", "acoustics:pitch", "items=24")
    ran("b", "B", "acoustics:pitch", "items=48")
    ran("b", "B", "acoustics:pitch", "items=48", "limit=8")
    assert len(board()) == 3
    assert len(board("--benchmark", "acoustics")) == 3
    assert "settings: seed=0, items=48, split=all, limit=8\n" in earmark("leaderboard").stdout
    done = earmark("leaderboard", "--benchmark", "listen")
    assert (done.returncode, "no run there has numbers of listen" in done.stderr) == (2, True)
    done = earmark("leaderboard", "nowhere")
    assert (done.returncode, "nowhere: no such folder" in done.stderr) == (3, True)


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


@pytest.mark.parametrize("width", [60, 80, 160, 200])
def test_a_wide_table_goes_on_below_and_cuts_no_number(width: int, capsys: pytest.CaptureFixture[str]) -> None:
    published = load_published(yaml_names("published")["listen"]).models
    head = ("task", "this run", *published)
    rows = [("1_audio_and_text", "11.1 (16.3)", *("34.9 (12.8)" for _ in published)), ("4", "-", *published)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("earmark.cli._console.FILE_WIDTH", width)
        show_table("beside", head, rows)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= width
    assert not any("…" in line for line in lines)
    assert all(sum(name in line for line in lines) == 2 for name in published)


def test_what_cannot_be_compared_is_told() -> None:
    run = ran("a", "A", "acoustics:pitch", "items=24")
    done = earmark("compare", str(run), "--paper")
    assert (done.returncode, "no published table of acoustics is known; there are: listen" in done.stderr) == (2, True)
    done = earmark("compare", str(run))
    assert (done.returncode, "give a second run" in done.stderr) == (2, True)


def test_published_averages_are_means_of_published_numbers() -> None:
    """A slip of the pen in the table would show here: its own averages follow from its cells."""
    from earmark.benchmarks.listen import AVERAGES

    published = load_published(yaml_names("published")["listen"]).models
    checked = 0
    for name, numbers in published.items():
        for average, over in AVERAGES.items():
            if average in numbers:
                mean = sum(numbers[task][0] for task in over) / len(over)
                assert numbers[average][0] == pytest.approx(mean, abs=0.08), (name, average)
                checked += 1
    assert checked == 20
