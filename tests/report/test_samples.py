"""Scored records as lines: what is right, the clips, a column for each tag."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import msgspec
import pytest
from formulas import cells
from hypothesis import given
from hypothesis import strategies as st

from earmark.journal import Record, ScoreLine
from earmark.report.files import escape_formulas, publish_files
from earmark.report.samples import (
    COLUMNS,
    LINE_END,
    SampleTable,
    SampleWriters,
    csv_line,
    is_right,
    item_value,
    sample_values,
)
from earmark.scorers.bleu import BleuScorer
from earmark.scorers.choice import ChoiceScorer
from earmark.scorers.wer import WerScorer
from earmark.types import Clip, Item, Response, Scorer

LINE = ScoreLine("t", "1", "plain", 0, "choice", "answered", "A", {"right": 1.0, "n": 1.0}, value=1.0, right=True)
CLIPS = (Clip("a|b.wav", end=2.0), Clip("x.zip", member="c.wav"), Clip("d.parquet", row=3, column="audio.bytes"))


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


def test_a_line_tells_the_question_the_clips_and_every_tag(tmp_path: Path) -> None:
    item = Item("1", "t", "=Which?", CLIPS, ("yes", "no"), ("A", "B"), ("A",), tags={"level": "3", "task": "own"})
    table = SampleTable(tmp_path / "t.csv")
    table.add(Record(item, response=Response("A")), LINE)
    table.close()
    (line,) = cells(tmp_path / "t.csv")
    assert [*line] == [*COLUMNS, "level", "tag_task"]
    assert (line["question"], line["right"], line["level"], line["tag_task"]) == ("'=Which?", "1", "3", "own")
    assert json.loads(line["clips"]) == ["a|b.wav@0-2", "x.zip#c.wav", "d.parquet#audio.bytes[3]"]


def test_a_tag_that_comes_late_has_its_column_too(tmp_path: Path) -> None:
    table = SampleTable(tmp_path / "t.csv")
    for tags in ({"a": "1"}, {}, {"b": "2", "a": "3"}):
        table.add(Record(Item("1", "t", "two\nlines", tags=tags)), LINE)
    table.close()
    lines = cells(tmp_path / "t.csv")
    assert [[*line] for line in lines] == [[*COLUMNS, "a", "b"]] * 3
    assert [(line["a"], line["b"]) for line in lines] == [("1", ""), ("", ""), ("3", "2")]
    assert {line["question"] for line in lines} == {"two\nlines"}


@pytest.mark.parametrize(
    ("scorer", "counts", "value", "right"),
    [
        (ChoiceScorer(), {"right": 0.0, "n": 1.0}, 0.0, False),
        (ChoiceScorer(), {"right": 0.0, "n": 0.0}, None, None),  # nothing is right or wrong
        (WerScorer(), {"sub": 0.0, "length": 4.0}, 0.0, True),
        (WerScorer(), {"sub": 4.0, "ins": 2.0, "length": 4.0}, 1.5, False),
    ],
)
def test_what_is_right_follows_the_headline(
    scorer: Scorer, counts: dict[str, float], value: float | None, right: bool | None
) -> None:
    metric = next(iter(scorer.metrics.values()))
    assert item_value(metric, counts) == value
    assert is_right(metric, value, counts) is right


def test_a_grade_is_neither_right_nor_wrong() -> None:
    metric = next(iter(BleuScorer().metrics.values()))
    assert is_right(metric, 80.0, {}) is None
    assert is_right(metric, None, {"right": 1.0}) is None
    assert is_right(metric, 80.0, {"right": 1.0}) is True  # a count of a scorer whose headline is a grade


TEXTS = st.text(st.characters(codec="utf-8") | st.sampled_from(",\"'=\r\n|@-+\t "), max_size=12)


@given(st.lists(TEXTS, min_size=5, max_size=5), st.lists(TEXTS, max_size=3), st.none() | st.floats(allow_nan=False))
def test_a_line_is_what_the_csv_module_writes(texts: list[str], many: list[str], value: float | None) -> None:
    name, question, reply, answer, tag = texts
    item = Item(name, "t", question, CLIPS, tuple(many), (), tuple(many), tags={"tag": tag})
    record = Record(item, response=Response(reply, transcripts=tuple(many), seconds=0.25))
    line = ScoreLine("t", name, "plain", 1, "choice", "answered", answer, {"n": 1.0}, value=value)
    values = sample_values(record, line)
    joined = {"target": "|".join(many), "heard": "|".join(many)}
    cells = [
        msgspec.json.encode(cell).decode() if isinstance(cell, tuple | dict) else cell
        for cell in (values | joined).values()
    ]
    expected = io.StringIO(newline="")
    csv.writer(expected).writerow(escape_formulas(cells))
    assert csv_line(record, line, [tag]) + LINE_END == expected.getvalue()
