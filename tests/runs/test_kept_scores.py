"""Scores that a rescore keeps, since it asks no judge."""

from __future__ import annotations

import json
from pathlib import Path

from commands import earmark
from servers import said, serving

from earmark.journal import read_journal
from earmark.report.files import read_metrics
from earmark.runs.scoring import read_scores


def test_a_rescore_without_ask_keeps_the_scores_of_a_judge_and_says_what_is_missing(tmp_path: Path) -> None:
    lines = [{"id": str(n), "reply": f"Reply {n}", "target": "yes", "question": "Which?"} for n in range(4)]
    (tmp_path / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with serving(lambda *_: said("4")) as server:
        run = _judged_run(server.url)
        before, metrics, asked = [*read_scores(run / "scores.jsonl")], read_metrics(run), len(server.asked)
        assert asked
        done = earmark("rescore", str(run))
        assert (done.returncode, len(server.asked)) == (0, asked), done.stderr
        assert [*read_scores(run / "scores.jsonl")] == before
        assert read_metrics(run).rows == metrics.rows
        again = next(read_journal(run / "responses.jsonl"))
        with (run / "responses.jsonl").open("ab") as file:  # answered anew since the scoring
            file.write((run / "responses.jsonl").read_bytes().splitlines(keepends=True)[0])
        done = earmark("rescore", str(run))
        assert "1 scores are missing: the judge was not asked" in done.stdout
        unasked = [line for line in read_scores(run / "scores.jsonl") if line.rule == "not asked"]
        assert [line.id for line in unasked] == [again.item.id]
        done = earmark("rescore", str(run), "prompt=sakura")
        assert done.returncode == 2


def _judged_run(url: str) -> Path:
    assert earmark("run", "mine.bench", "model=fake", "items=3").returncode == 0
    (signed,) = Path("results").rglob("run.json")
    config = signed.parent / "config.yaml"
    scorers = f"scorers: {{all: [{{name: judge, judge: '{url}'}}]}}"
    config.write_text(config.read_text().partition("benchmark:")[0] + f"benchmark:\n  benchmark: mine\n  {scorers}\n")
    signature = json.loads(signed.read_text())
    signature["benchmark"]["imported"] = True
    signed.write_text(json.dumps(signature))
    assert earmark("trust", str(signed.parent)).returncode == 0
    assert earmark("rescore", str(signed.parent), "--ask").returncode == 0
    return signed.parent
