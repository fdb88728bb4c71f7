"""Two runs side by side as data."""

from __future__ import annotations

from pathlib import Path

import pytest
from viewed_runs import NAME, acoustics, six

from earmark.errors import UsageError
from earmark.viewer.compare_page import compare_items, compare_page, differences
from earmark.viewer.filters import EVERYTHING, Filters, Order
from earmark.viewer.results import Results

OTHER = "other/bench/2026-02-01_00-00-00"


@pytest.fixture
def results(tmp_path: Path) -> Results:
    six(tmp_path)
    six(tmp_path, OTHER, replies=("A", "A", "B", "B", "A", "B"))
    return Results(tmp_path)


def test_counts_are_of_the_items(results: Results) -> None:
    page = compare_page(results, [NAME, OTHER], EVERYTHING)
    assert page["counts"] == {"both": 1, "first": 2, "second": 3}
    assert page["by_task"] == [{"task": "all", "condition": "plain", "both": 1, "first": 2, "second": 3}]
    assert {(line["value"], line.get("second", 0)) for line in page["by_tag"]} == {("easy", 2), ("hard", 1)}
    for only, ids in {
        "first": ["item-1", "item-2"],
        "second": ["item-3", "item-4", "item-5"],
        "both": ["item-0"],
    }.items():
        items = compare_items(results, [NAME, OTHER], only, EVERYTHING, Order())
        assert items["total"] == len(ids)
        assert [pair[0]["id"] for pair in items["rows"]] == ids
        assert all(pair[0]["id"] == pair[1]["id"] for pair in items["rows"])


def test_filters_and_pages(results: Results) -> None:
    page = compare_page(results, [NAME, OTHER], Filters(tags=(("level", "hard"),)))
    assert sum(page["counts"].values()) == 2
    items = compare_items(results, [NAME, OTHER], "second", EVERYTHING, Order(limit=1, offset=1))
    assert (items["total"], [pair[0]["id"] for pair in items["rows"]]) == (3, ["item-4"])


def test_one_run_and_five(results: Results) -> None:
    for names in ([NAME], [NAME] * 5):
        with pytest.raises(UsageError, match="expected two to 4"):
            compare_page(results, names, EVERYTHING)


def test_differences_are_those_of_the_command(tmp_path: Path) -> None:
    runs = [acoustics(str(tmp_path), reply=reply, name=reply) for reply in "AB"]
    names = [run.relative_to(tmp_path).as_posix() for run in runs]
    found = differences(Results(tmp_path), names)
    (line,) = found["rows"]
    assert line["difference"]["n"] == 6
    assert line["difference"]["value"] == 0.0


def test_why_runs_cannot_be_compared(results: Results) -> None:
    """Neither has a benchmark that can be opened here: that is said in the place of the differences."""
    results.path(NAME).joinpath("config.yaml").unlink()
    found = differences(results, [NAME, OTHER])
    assert found["rows"] == []
    assert "config.yaml: cannot be read" in found["notes"][0]
