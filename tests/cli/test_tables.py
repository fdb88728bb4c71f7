"""Tables on a terminal of 80 columns, and of rows that have no task."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import earmark

from earmark.cli._tables import show_table
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
    assert lines[1].split()[:2] == ["metric", "score"]
    assert lines[-1] == "wer, one group has no interval"
