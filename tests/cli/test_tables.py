"""Tables on a terminal of 80 columns, and of rows that have no task."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import earmark
from rich.cells import cell_len

from earmark.cli._tables import cut_middle, drop_constant_columns, show_table
from earmark.report.table import HEAD


@pytest.mark.parametrize("condition", ["plain", "noise:babble@-10"])
@pytest.mark.parametrize("marks", [("", ""), ("?", "*")])
def test_no_number_breaks_at_80_columns(
    condition: str, marks: tuple[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("earmark.terminal.console.FILE_WIDTH", 80)
    row = ("1_audio_and_text", condition, "0.176", f"0.062-0.410{marks[0]}", "18", "0", "0", "1", f"0.161{marks[1]}")
    show_table("listen", HEAD, [row], words=2)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[3].split()[-7:] == list(row[2:])


def test_columns_move_closer_where_a_table_fits_by_that(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = ("questions", "plain", "0.875", "0.739-0.945", "40", "0", "0", "0", "0.500")
    for width, line in (
        (81, "questions  plain      0.875    0.739-0.945"),
        (80, "questions plain     0.875   0.739-0.945"),
    ):
        monkeypatch.setattr("earmark.terminal.console.FILE_WIDTH", width)
        show_table("", HEAD, [row], words=2)
        assert capsys.readouterr().out.splitlines()[2].startswith(line)


def test_a_heading_over_short_words_does_not_break_at_80_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("earmark.terminal.console.FILE_WIDTH", 80)
    show_table(
        "", HEAD, [("1_audio_and_words", "plain", "0.176", "0.062-0.410", "18", "0", "0", "1", "0.161")], words=2
    )
    head = capsys.readouterr().out.splitlines()[0].split()
    assert head == " ".join(HEAD).split()


def test_replies_of_a_file_have_no_empty_columns(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    file.write_text(json.dumps({"id": "1", "reply": "a cat", "target": "the cat"}))
    lines = earmark("score", str(file), "--scorer", "wer").stdout.splitlines()
    assert lines[1] == "n: 1, unparsed: 0, refused: 0, failed: 0, chance: -"  # told once
    assert lines[2].split()[:2] == ["metric", "score"]
    assert lines[-1] == "wer, one group has no interval"


def test_names_are_cut_in_the_middle_and_never_folded(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("earmark.terminal.console.FILE_WIDTH", 80)
    rows = [
        (name, "plain", "0.176", "0.062-0.410", str(n), "0", "1", str(n), "0.161")
        for n, name in (
            (18, "a-very-long-name-of-a-task-of-version-one"),
            (19, "a-very-long-name-of-a-task-of-version-two"),
        )
    ]
    show_table("many", HEAD, rows, words=2)
    title, same, head, _, *lines = capsys.readouterr().out.splitlines()
    assert (title, same) == ("many", "condition: plain, unparsed: 0, refused: 1, chance: 0.161")
    assert head.split() == ["task", "score", "95", "%", "interval", "n", "failed"]
    assert [line.split()[0] for line in lines] == [f"a-very-long-name-of-a-task-of-version-{n}" for n in ("one", "two")]
    monkeypatch.setattr("earmark.terminal.console.FILE_WIDTH", 50)
    show_table("many", HEAD, rows, words=2)
    lines = capsys.readouterr().out.splitlines()[-2:]
    assert max(map(len, lines)) <= 50
    assert [line.split()[0][-4:] for line in lines] == ["-one", "-two"]
    assert all("…" in line for line in lines)
    assert [line.split()[1:] for line in lines] == [[*row[2:5], row[7]] for row in rows]


def test_a_table_of_one_row_or_of_equal_scores_keeps_its_columns() -> None:
    cells = [["task", "condition", "score", "n"], ["a", "plain", "0.5", "3"]]
    assert drop_constant_columns(cells, 2) == (cells, 2, "")
    twice = [*cells, ["b", "plain", "0.5", "3"]]
    assert drop_constant_columns(twice, 2) == (
        [["task", "score"], ["a", "0.5"], ["b", "0.5"]], 1, "condition: plain, n: 3"
    )  # fmt: skip


@pytest.mark.parametrize("width", range(1, 12))
def test_a_cut_text_takes_the_width_it_is_given(width: int) -> None:
    for text in ("abcdefghijkl", "日本語の名前です", "ab"):
        assert cell_len(cut_middle(text, width)) <= max(width, 1)
