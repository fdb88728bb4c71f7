"""Leaderboards as data."""

from __future__ import annotations

from pathlib import Path

from viewed_runs import acoustics

from earmark.viewer.leaderboard_page import leaderboard_page
from earmark.viewer.results import Results


def test_models_are_ranked_with_their_gain(tmp_path: Path) -> None:
    for reply in ("A", "nothing"):
        acoustics(str(tmp_path), "condition=[plain,silence]", reply=reply, name=f"says-{reply}")
    (board,) = leaderboard_page(Results(tmp_path))["boards"]
    first, second = board["entries"]
    assert (first["model"], first["rank"], first["value"], first["n"]) == ("says-A", 1, 0.5, 6)
    assert (second["model"], second["unparsed"]) == ("says-nothing", 6)
    assert Results(tmp_path).path(first["run"]).is_dir()
    assert first["gain"]["control"] == "silence"
    assert leaderboard_page(Results(tmp_path), benchmark="listen") == {"boards": []}
