"""Answers that lean are told, by an exact test; right answers that lean themselves, few answers and controls are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import earmark
from earmark import cli
from earmark.journal import Record, ScoreLine
from earmark.report.label_bias import LabelBias, LabelCounter
from earmark.types import Item


def lean(answers: str, right: str, condition: str = "plain", repeat: int = 0, labels: str = "AB") -> list[LabelBias]:
    counter = LabelCounter()
    for index, (answer, target) in enumerate(zip(answers, right, strict=True)):
        item = Item(str(index), "t", choices=tuple(labels), labels=tuple(labels), targets=(target,))
        line = ScoreLine("t", item.id, condition, repeat, "choice", "answered", answer.strip() or None)
        counter.add(Record(item, condition=condition, repeat=repeat), line)
    return counter.to_rows({"silence"})


def test_one_label_is_told_with_its_counts() -> None:
    (row,) = lean("B" * 100, "AB" * 50)
    assert (row.label, row.given, row.answers, row.right) == ("B", 100, 100, 50)
    assert row.p == pytest.approx(2.0**-100)


@pytest.mark.parametrize(
    ("answers", "right"),
    [
        ("A" * 10, "AB" * 5),  # too few to tell
        ("A" * 95 + "B" * 5, "A" * 95 + "B" * 5),  # the right answers lean as much
        ("A" * 70 + "B" * 30, "AB" * 50),  # more than chance, and nearer to the right answers than to always A
        ("A" * 50, "A" * 50),  # one label is always right
        (" " * 100, "AB" * 50),  # nothing was read
    ],
)
def test_no_false_alarm(answers: str, right: str) -> None:
    assert not lean(answers, right)


@pytest.mark.parametrize(("labels", "least"), [("AB", 11), ("ABCD", 7)])
def test_fewest_answers_that_are_told(labels: str, least: int) -> None:
    tell = [n for n in range(4, 20) if lean("A" * n, (labels * 20)[:n], labels=labels)]
    assert tell[0] in (least, least + 1)  # of counts that do not divide, right answers are not quite uniform


def test_controls_and_repeats_are_left_out() -> None:
    assert not lean("A" * 100, "AB" * 50, condition="silence")
    assert not lean("A" * 100, "AB" * 50, repeat=1)


def test_one_run_in_a_thousand_at_most_is_told_for_nothing() -> None:
    rng = np.random.default_rng(0)
    answers = rng.integers(0, 2, (2000, 30))
    told = sum(bool(lean("".join("AB"[bit] for bit in row), "AB" * 15)) for row in answers)
    assert told <= 5


def test_parts_add_up() -> None:
    counters = [LabelCounter() for _ in range(3)]
    for index in range(40):
        item = Item(str(index), "t", choices=("x", "y"), labels=("A", "B"), targets=("AB"[index % 2],))
        line = ScoreLine("t", item.id, "plain", 0, "choice", "answered", "A")
        counters[0].add(Record(item), line)
        counters[1 + index % 2].add(Record(item), line)
    counters[1].extend(counters[2])
    assert counters[1].to_rows(()) == counters[0].to_rows(()) != []


def test_run_show_and_compare_tell(tmp_path: Path) -> None:
    runs = [
        earmark.run("acoustics:pitch", f"fake/{name}", items=40, results=str(tmp_path), progress=False)
        for name in ("one", "two")
    ]
    assert [(row.label, row.given) for row in runs[0].metrics.label_bias] == [("A", 40)]
    notice = "answers lean: pitch plain A 40 of 40 (right 20)"
    assert any(warning.startswith(notice) for warning in runs[0].metrics.warnings)
    folders = [str(run.folder) for run in runs]
    shown = CliRunner().invoke(cli.earmark, ["show", folders[0]], catch_exceptions=False).output
    compared = CliRunner().invoke(cli.earmark, ["compare", *folders], catch_exceptions=False).output
    assert notice in shown
    assert f"baseline: {notice}" in compared
    assert f"candidate: {notice}" in compared
