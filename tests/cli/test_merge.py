from __future__ import annotations

from commands import earmark
from run_command import COMMAND

from earmark.runs.rundir import find_runs


def test_merge_prints_the_scores_and_the_new_run() -> None:
    for shard in ("1/2", "2/2"):
        done = earmark(*COMMAND[:3], "items=12", f"shard={shard}")
        assert done.returncode == 0, done.stderr
    shards = find_runs("results")
    done = earmark("merge", *map(str, shards))
    assert done.returncode == 0, done.stderr
    assert "mine.bench by fake: accuracy" in done.stdout
    (new,) = {*find_runs("results")} - {*shards}
    assert f"run: {new}" in done.stdout
    assert "shard" not in done.stdout


def test_a_shard_that_is_none_is_one_line() -> None:
    done = earmark(*COMMAND, "shard=9/2")
    assert done.returncode == 2
    assert (
        done.stderr.strip()
        == "earmark: shard=9/2: expected the number of a shard and how many there are, such as shard=3/8"
    )
