"""The page on Python and the notebook, executed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import nbclient
import nbformat
import pytest

ROOT = Path(__file__).parents[2]


def test_the_code_of_the_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    _, code = re.findall(r"```python\n(.*?)```", (ROOT / "docs/python.md").read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(code, "docs/python.md", "exec"), {})  # noqa: S102 - our own page
    out = capsys.readouterr().out
    assert "acoustics by fake" in out
    assert "12 pitch-0" in out
    assert "exact McNemar" in out
    assert "wer     " in out


def test_the_notebook_runs_and_shows_tables(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    notebook = nbformat.reads((ROOT / "examples/notebook.ipynb").read_text(encoding="utf-8"), as_version=4)  # type: ignore[no-untyped-call]
    client = nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    shown = [output["data"] for output in outputs if "data" in output]
    tables = [data["text/html"] for data in shown if "text/html" in data]
    assert any("<caption>acoustics by" in table for table in tables)
    assert any("exact McNemar" in table for table in tables)
    assert not [output for output in outputs if output["output_type"] == "error"]
