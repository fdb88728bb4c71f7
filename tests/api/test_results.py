"""Runs as objects: scores, items, tables and comparisons are those that the commands print."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import earmark
from earmark.cli import main
from earmark.errors import BadData, EarmarkError


@pytest.fixture
def two(tmp_path: Path) -> list[earmark.Run]:
    return [
        earmark.run(
            "acoustics:pitch",
            {"model": "fake", "reply": reply},
            progress=False,
            limit=12,
            results=str(tmp_path / reply),
        )
        for reply in ("A", "B")
    ]


def test_scores_and_items(two: list[earmark.Run]) -> None:
    (accuracy, *_) = two[0].scores()
    items = two[0].items()
    right = sum(item["answer"] in item["target"] for item in items)
    assert (accuracy["metric"], accuracy["n"], accuracy["value"]) == ("accuracy", 12, right / 12)
    assert accuracy["low"] < accuracy["value"] < accuracy["high"]
    assert {item["reply"] for item in items} == {"A"}
    assert items[0]["choices"] == {"A": "the first", "B": "the second"}
    assert two[0].items(state="refused") == []
    assert len(two[0].items(task="pitch", condition="plain")) == 12
    assert {row["slice"] for row in two[0].scores(slices=True) if "slice" in row} >= {"level=easy"}


def test_tables_are_those_of_the_commands(two: list[earmark.Run], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main("show", str(two[0].folder))
    shown = capsys.readouterr().out
    for row in two[0].table.rows:
        assert all(cell in shown for cell in row[1:])
    assert "<td>pitch</td>" in two[0]._repr_html_()
    assert str(two[0].table).splitlines()[0] == "acoustics by fake"


def test_comparison(two: list[earmark.Run]) -> None:
    found = earmark.compare(two[0], two[1].folder)
    (row,) = found.rows
    assert row["difference"]["value"] == pytest.approx(two[1].scores()[0]["value"] - two[0].scores()[0]["value"])
    assert row["difference"]["test"] == "exact McNemar"
    assert "fake minus fake" in repr(found)


def test_a_folder_above_stands_for_its_newest_run(two: list[earmark.Run], tmp_path: Path) -> None:
    assert earmark.load_run(tmp_path / "A").folder == two[0].folder
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadData, match="no run lies in"):
        earmark.load_run(tmp_path / "empty")
    with pytest.raises(EarmarkError):
        earmark.load_run(tmp_path / "missing")


def test_names_from_outside_are_text(tmp_path: Path) -> None:
    table = earmark.TextTable("<b>\x1b[31m", ("a",), (("<script>\x07",),), ("&",))
    assert "\x1b" not in str(table)
    assert "<script>" not in table._repr_html_()
    assert "&lt;script&gt;" in table._repr_html_()


def test_data_frames(two: list[earmark.Run]) -> None:
    frame = two[0].to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert frame.to_dict("records") == two[0].scores()
    assert list(two[0].table.to_pandas().columns) == list(two[0].table.head)


def test_without_pandas(two: list[earmark.Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(EarmarkError, match="pip install pandas"):
        two[0].to_pandas()


def test_an_unscored_run_says_what_to_type(two: list[earmark.Run]) -> None:
    (two[0].folder / "metrics.json").unlink()
    with pytest.raises(BadData, match="earmark rescore"):
        _ = two[0].table
