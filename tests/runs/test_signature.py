"""Signatures of runs: what cannot be read is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from earmark.engine.load import load_benchmark
from earmark.errors import BadData
from earmark.runs.rundir import find_runs
from earmark.runs.signature import data_digests, load_signature, make_signature
from earmark.types import replace


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
