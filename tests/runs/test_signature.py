"""Signatures of runs: what cannot be read is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from earmark.engine.load import load_benchmark
from earmark.errors import BadData
from earmark.runs.rundir import find_runs
from earmark.runs.signature import load_signature, make_signature
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
