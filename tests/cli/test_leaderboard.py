"""`earmark leaderboard`: ranks, their intervals, and one table for each set of questions."""

from __future__ import annotations

import pytest
from commands import earmark
from ranked_runs import board, ran


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


def test_other_questions_are_another_table() -> None:
    ran("a", "A", "acoustics:pitch", "items=24")
    ran("b", "B", "acoustics:pitch", "items=48")
    ran("b", "B", "acoustics:pitch", "items=48", "limit=8")
    assert len(board()) == 3
    assert len(board("--benchmark", "acoustics")) == 3
    assert "settings: seed=0, items=48, split=all, limit=8\n" in earmark("leaderboard").stdout
    done = earmark("leaderboard", "--benchmark", "listen")
    assert (done.returncode, "no run has scores of listen plain; `earmark list runs" in done.stderr) == (2, True)
    done = earmark("leaderboard", "nowhere")
    assert (done.returncode, "nowhere: no such folder" in done.stderr) == (3, True)
