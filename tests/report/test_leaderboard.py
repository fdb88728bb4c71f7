"""Leaderboards as tables: many tasks, and several rules."""

from __future__ import annotations

from pathlib import Path

from imported_results import whole
from imported_runs import imported

from earmark.report.leaderboard import footnotes, leaderboard_table
from earmark.runs.leaderboard import build_leaderboards


def test_a_board_of_many_tasks_or_of_several_rules_says_so(tmp_path: Path) -> None:
    row = {"question": "What is said?", "reference": "a dog", "model_prediction": "a cat", "judge_response": ""}
    for model, rate in (("first", 5.0), ("second", 1.0)):
        for task in range(18):
            told = {"x_judge": {"judge_score": 1.0}, "details": [row | {"rate_score": rate}]}
            whole(tmp_path / "logs" / model / f"muchomusic_{task}_x_judge_score.json", told)
    assert len(imported(tmp_path / "logs")) == 2
    (board,) = build_leaderboards(Path("results"))
    head, _ = leaderboard_table(board)
    assert head[-1] == "failed"
    assert footnotes(board) == [
        "17 more columns are left out: --by NAME ranks by another, --json has all",
        (
            "scored by different rules, so that the numbers do not compare: theirs|x_judge:0-5: first; theirs|x_judge:0-1: "
            "second"
        ),
    ]
    (ours,) = build_leaderboards(Path("results"), metric="rouge_l")
    assert (ours.metric, len(footnotes(ours))) == ("rouge_l", 1)
