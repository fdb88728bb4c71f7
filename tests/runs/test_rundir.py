"""Names of folders, and what makes two runs the same."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from earmark.errors import RunMismatch
from earmark.runs.rundir import check_data, create_rundir, find_runs, find_unfinished
from earmark.runs.signature import RunSignature


def test_runs_that_begin_at_the_same_moment_have_folders_of_their_own(tmp_path: Path) -> None:
    now = RunSignature({}, {}, [], 1, None, {})
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: create_rundir(tmp_path / "model" / "bench", now, ""), range(24)))
    assert len(set(made)) == 24
    assert sorted(find_runs(tmp_path)) == sorted(made)


def test_an_unfinished_run_of_another_benchmark_or_model_in_the_same_place_is_left_alone(tmp_path: Path) -> None:
    def of(benchmark: str, model: str, temperature: float = 0.0) -> RunSignature:
        return RunSignature({"name": benchmark}, {"name": model, "temperature": temperature}, ["plain"], 1, None, {})

    first = create_rundir(tmp_path, of("listen", "ear"), "")
    assert find_unfinished(tmp_path, of("acoustics", "ear")) is None
    assert find_unfinished(tmp_path, of("listen", "mind")) is None
    create_rundir(tmp_path, of("acoustics", "ear"), "")
    assert find_unfinished(tmp_path, of("listen", "ear")) == first
    said: list[str] = []
    assert find_unfinished(tmp_path, of("listen", "ear", 0.7), said.append) is None
    assert len(said) == 1
    assert str(first) in said[0]
    assert "model.temperature was 0.0 and is 0.7" in said[0]
    second = create_rundir(tmp_path, of("listen", "ear", 0.7), "")
    assert find_unfinished(tmp_path, of("listen", "ear"), said.append) == first
    assert find_unfinished(tmp_path, of("listen", "ear", 0.7), said.append) == second
    assert len(said) == 1


def test_of_runs_of_equal_settings_the_newest_goes_on_and_one_with_equal_data_before_it(tmp_path: Path) -> None:
    def of(digest: str) -> RunSignature:
        return RunSignature({"name": "listen"}, {"name": "ear"}, ["plain"], 1, None, {"a.parquet": digest})

    first, second = create_rundir(tmp_path, of("1"), ""), create_rundir(tmp_path, of("2"), "")
    assert find_unfinished(tmp_path, of("1")) == first
    assert find_unfinished(tmp_path, of("2")) == second
    assert find_unfinished(tmp_path, of("3")) == second
    with pytest.raises(RunMismatch, match="its data has changed since"):
        check_data(second, of("3"))
