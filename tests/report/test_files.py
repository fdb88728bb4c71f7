"""Reports as files."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest
from commands import earmark
from hypothesis import given
from hypothesis import strategies as st
from servers import said, serving

from earmark.journal import JOURNAL_FILE, Record, ScoreLine, read_journal
from earmark.report.files import SampleWriters, escape_formulas, publish_files, write_summary, write_tables
from earmark.report.rows import Row
from earmark.runs.export_run import export_run
from earmark.stats.estimate import Estimate
from earmark.types import STATES, Item, Table

FORMULAS = ("=SUM(1,1)", "+1", "-1", "@cmd", "\t=1", "\r=1", "=cmd|'/C calc'!A0", "'=1", "''+1")


def as_it_was(cell: str) -> str:
    """A cell without the apostrophe that keeps a spreadsheet from running it."""
    return re.sub(r"^'(?='*[=+\-@\t\r])", "", cell)


def cells(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_tasks_of_any_name_have_a_file_of_samples_each(tmp_path: Path) -> None:
    tasks = ["plain", "speech/en", "speech-en", ".."]
    (tmp_path / "staged").mkdir()
    with SampleWriters(tmp_path / "staged") as samples:
        for task in tasks:
            samples.add(Record(Item("1", task)), ScoreLine(task, "1", "plain", 0, "choice", "answered"))
    (tmp_path / "run").mkdir()
    publish_files(tmp_path / "staged", tmp_path / "run")
    written = sorted((tmp_path / "run" / "samples").iterdir())
    assert sorted(path.read_text().splitlines()[1].partition(",")[0] for path in written) == sorted(tasks)
    assert "plain.csv" in [path.name for path in written]


@given(st.text(st.sampled_from("'=+-@\t\r a1,\"\n"), max_size=6))
def test_no_text_is_a_formula_and_each_can_be_had_back(text: str) -> None:
    (cell,) = escape_formulas([text])
    assert cell[:1] not in {"=", "+", "-", "@", "\t", "\r"}
    assert as_it_was(cell) == text


@pytest.mark.parametrize("value", [-1, -1.5, 0, None, 2**60])
def test_numbers_stay_numbers(value: Any) -> None:
    assert escape_formulas([value]) == [value]


def test_a_summary_has_no_formulas_and_its_numbers_are_numbers(tmp_path: Path) -> None:
    row = Row("=task", "plain", "@scorer", "-signature", 1, dict.fromkeys(STATES, 0), {"+metric": Estimate(-0.5)})
    write_summary(tmp_path / "summary.csv", "=model", "@set", [row])
    (line,) = cells(tmp_path / "summary.csv")
    names = ("model", "benchmark", "task", "scorer", "metric", "signature")
    assert [line[name] for name in names] == ["'=model", "'@set", "'=task", "'@scorer", "'+metric", "'-signature"]
    assert line["value"] == "-0.5"


def test_a_table_of_a_protocol_is_left_as_it_is(tmp_path: Path) -> None:
    write_tables(tmp_path, [Table("theirs.csv", ("raw_response",), [(text,) for text in FORMULAS])])
    assert [line["raw_response"] for line in cells(tmp_path / "theirs.csv")] == [*FORMULAS]


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
    assert {line["model"] for line in cells(run / "summary.csv")} == {"'=x"}
