"""Exports of a run: replies that are formulas."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
from commands import earmark
from formulas import FORMULAS, as_it_was, cells
from servers import said, serving

from earmark.journal import JOURNAL_FILE, read_journal
from earmark.runs.export_run import export_run


def test_replies_that_are_formulas_are_texts_in_csv_and_exact_elsewhere() -> None:
    """e17 of the findings."""
    with serving(lambda _, number: said(FORMULAS[(number - 1) % len(FORMULAS)])) as server:
        done = earmark("run", "acoustics:pitch", f"items={len(FORMULAS) + 1}", f"model={server.url}", "model.name==x")
    assert done.returncode == 0, done.stderr
    (run,) = (path.parent for path in Path("results").rglob("run.json"))
    answers = {record.item.id: record.response.text for record in read_journal(run / JOURNAL_FILE) if record.response}
    assert {*answers.values()} == {*FORMULAS}
    for path in (run / "samples" / "pitch.csv", *export_run(run, "csv", None)):
        lines = cells(path)
        assert {line["id"]: as_it_was(line["reply"]) for line in lines} == answers
        assert all(line["reply"].startswith("'") for line in lines)
    (exported,) = export_run(run, "jsonl", None)
    told = [json.loads(line)["record"] for line in exported.read_text().splitlines()]
    assert {one["item"]["id"]: one["response"]["text"] for one in told} == answers
    (exported,) = export_run(run, "parquet", None)
    assert dict(duckdb.read_parquet(str(exported)).project("id, reply").fetchall()) == answers
    table = duckdb.read_parquet(str(exported))
    types = dict(zip(table.columns, map(str, table.types), strict=True))
    wanted = ("choices", "clips", "counts", "right", "value", "level")
    expected = ["VARCHAR[]", "VARCHAR[]", "MAP(VARCHAR, DOUBLE)", "BOOLEAN", "DOUBLE", "VARCHAR"]
    assert [types[name] for name in wanted] == expected
    assert {line["model"] for line in cells(run / "summary.csv")} == {"'=x"}
