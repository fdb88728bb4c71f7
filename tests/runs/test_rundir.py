"""Names of folders, and what makes two runs the same."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from earmark.data.differences import differences
from earmark.engine.digests import prompt_digest
from earmark.engine.load import load_benchmark
from earmark.errors import BadData, RunMismatch
from earmark.runs.rundir import check_data, create_rundir, find_runs, find_unfinished
from earmark.runs.signature import RunSignature, data_digests, load_signature, make_signature
from earmark.types import Clip, Prompt, Turn, replace


def test_a_folder_that_is_no_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadData, match="is no run"):
        load_signature(tmp_path)
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(BadData, match="cannot be read"):
        load_signature(tmp_path)
    assert find_runs(tmp_path / "nowhere") == []


def test_data_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    benchmark = replace(load_benchmark("acoustics", (), {}), files=lambda: (str(tmp_path),))
    with pytest.raises(BadData, match=f"^{tmp_path}: cannot be read"):
        make_signature(benchmark, {}, ["plain"], 1, None)


def test_differences_name_every_field() -> None:
    before = {"model": {"temperature": 0, "name": "a"}, "limit": None, "old": 1}
    now = {"model": {"temperature": 0.7, "name": "a"}, "limit": 5, "new": 2}
    assert differences(before, now) == [
        "model.temperature was 0 and is 0.7",
        "limit was not there and is 5",
        "old was 1 and is not there",
        "new was not there and is 2",
    ]
    assert differences(before, before) == []


def test_what_is_asked_signs_words_order_roles_and_choices() -> None:
    clip = Clip("a.wav", name="a")
    prompts = [
        Prompt((Turn("user", ("x", clip)),)),
        Prompt((Turn("user", (clip, "x")),)),
        Prompt((Turn("system", ("x", clip)),)),
        Prompt((Turn("user", ("x", clip)),), ("a",), ("A",)),
        Prompt((Turn("user", ("x", clip)),), sampling={"max_tokens": 1}),
        Prompt((Turn("user", ("x", Clip("a.wav", name="a", end=1.0))),)),
    ]
    assert len({prompt_digest(prompt) for prompt in prompts}) == len(prompts)


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


def test_files_of_one_name_keep_a_digest_each(tmp_path: Path) -> None:
    """Every repository has its rows in data/test-00000-of-00001.parquet."""
    files = [tmp_path / name / "data" / "test-00000-of-00001.parquet" for name in ("one", "two", "three")]
    for number, file in enumerate(files):
        file.parent.mkdir(parents=True)
        file.write_bytes(bytes([number]))
    for root in (str(tmp_path), ""):
        digests = data_digests([str(file) for file in files], root)
        assert list(digests) == [f"{name}/data/test-00000-of-00001.parquet" for name in ("one", "two", "three")]
        assert len(set(digests.values())) == 3
    assert list(data_digests([str(files[0])])) == ["data/test-00000-of-00001.parquet"]  # as runs before have it
