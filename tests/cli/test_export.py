"""`earmark export`."""

from __future__ import annotations

from pathlib import Path

from commands import earmark


def test_an_export_writes_over_no_answer(run: Path) -> None:
    before = (run / "responses.jsonl").read_bytes()
    done = earmark("export", str(run), "--to", "jsonl", "--out", str(run / "responses.jsonl"))
    assert (done.returncode, "would write over a file of a run" in done.stderr) == (2, True)
    assert (run / "responses.jsonl").read_bytes() == before
    assert all(earmark("export", str(run), "--to", "csv").returncode == 0 for _ in range(2))
