"""The check of a data set before anything is asked, and of the records after."""

from __future__ import annotations

from pathlib import Path

import pytest
from mine import bench
from recorded_runs import ITEMS, QUICK, checked, item, of, run

from earmark.engine.questions import questions
from earmark.errors import BadData, RunMismatch
from earmark.runs.dataset_check import check_records
from earmark.types import Item, replace


def test_records_that_nobody_asked_for_are_named(tmp_path: Path) -> None:
    outcome = run("model=fake")
    fewer = bench.make(items=ITEMS - 1)
    with pytest.raises(RunMismatch, match="40 records for 39 questions; nobody asked for item item-39"):
        check_records(outcome.folder / "responses.jsonl", ITEMS - 1, questions(fewer, (None,), QUICK))


def test_targets_are_matched_to_labels_before_anything_is_asked() -> None:
    """Finding K6, of a run."""
    found = checked(*map(item, ("kick ", "(B)", "B.", "B. kick", "KICK", "B")))
    assert [each.targets for each in found] == [("B",)] * 6
    doubled = Item("1", "all", choices=("yes", "yes", "no"), labels=("A", "B", "C"), targets=("yes",))
    assert checked(doubled)[0].targets == ("A", "B")


def test_targets_that_name_no_choice_are_refused_before_anything_is_asked() -> None:
    wrong = [replace(item("cymbal"), id=f"x{at}") for at in range(7)]
    with pytest.raises(BadData, match=r"7 of 8 items have a target.*: 'x0' \('cymbal'\), .*'x4' .* and 2 more"):
        run("model=fake", benchmark=of([item("kick"), *wrong]))
    assert not list(Path("results").rglob("run.json"))


@pytest.mark.parametrize(
    "wrong",
    [
        Item("1", "all", choices=("a", "b"), labels=("A",), targets=("A",)),
        Item("1", "all", choices=("a", "b"), labels=("A", "A"), targets=("A",)),
        Item(1, "all"),  # type: ignore[arg-type]
        Item("1", "all", targets=(3,)),  # type: ignore[arg-type]
    ],
)
def test_an_item_that_no_journal_holds_is_refused_by_name(wrong: Item) -> None:
    with pytest.raises(BadData, match="1"):
        run("model=fake", benchmark=of([wrong]))
