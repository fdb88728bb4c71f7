"""The number of a run: an average, the only task, or none."""

from __future__ import annotations

from pathlib import Path

from imported_records import numbers
from imported_results import FORMS

from earmark.report.headline import find_headline
from earmark.report.rows import Headline, Row
from earmark.stats.estimate import Estimate


def row(task: str, condition: str = "plain", part: str = "", scorer: str = "choice") -> Row:
    metrics = {"accuracy": Estimate(0.5), "accuracy_read": Estimate(0.5)}
    return Row(task, condition, scorer, scorer, 1, {}, metrics, slice=part)


def test_the_last_average_is_the_number_of_a_run() -> None:
    rows = [row("a"), row("b"), row("half", scorer="choice"), row("overall"), row("overall", scorer="other")]
    assert find_headline(rows, ["plain"], ("half", "overall", "without parts")) == Headline(3, "accuracy")


def test_a_run_of_one_task_has_the_first_row_of_plain_that_is_no_slice() -> None:
    rows = [row("a", "silence"), row("a", part="level=1"), row("a"), row("a", scorer="other")]
    assert find_headline(rows, ["silence", "plain"], ()) == Headline(2, "accuracy")
    assert find_headline(rows, ["silence"], ()) == Headline(0, "accuracy")  # of a run without plain the first condition
    assert find_headline(rows[1:2], ["plain"], ()) is None


def test_several_tasks_without_an_average_have_no_number() -> None:
    assert find_headline([row("a"), row("b")], ["plain"], ()) is None
    assert find_headline([], [], ()) is None


def test_an_import_of_several_tasks_has_none(tmp_path: Path) -> None:
    (metrics,) = numbers("evalscope", FORMS["evalscope"](tmp_path / "logs")).values()
    assert metrics.headline is None or len({each.task for each in metrics.rows}) == 1
