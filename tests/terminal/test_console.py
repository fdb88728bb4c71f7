"""Output of commands on names, replies and errors that hold escape sequences, bidi marks, line ends and markup."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from earmark.cli._tables import show_table
from earmark.report.figures import Plot, render, to_page
from earmark.terminal.console import make_console, print_json, print_line, print_on

HOSTILE = "a\x1b]52;c;cm0=\x07\r\nearmark: all is well\u202eb\x85c[/omni] [bold]x[/bold] :smile: $\\frac{$"
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@pytest.mark.parametrize("err", [False, True])
def test_a_line_stays_one_line(err: bool, capsys: pytest.CaptureFixture[str]) -> None:
    print_line(HOSTILE, "next", err=err)
    shown = capsys.readouterr()[err]
    assert not CONTROL.search(shown)
    assert shown.splitlines()[1:] == ["next"]
    assert "\\x1b]52;" in shown
    assert "[bold]x[/bold]" in shown


def test_a_table_shows_hostile_cells_headings_and_titles_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    show_table(HOSTILE, ("name", HOSTILE), [(HOSTILE, "1"), ("b", HOSTILE)])
    shown = capsys.readouterr().out
    assert not CONTROL.search(shown)
    assert not [line for line in shown.splitlines() if line.startswith("earmark:")]
    assert shown.count("[/omni]") >= 3
    assert "[bold]x[/bold]" in shown


def test_json_escapes_what_a_terminal_would_obey(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    print_json({"name": HOSTILE})
    shown = capfdbinary.readouterr().out.decode()
    assert not CONTROL.search(shown)
    assert json.loads(shown) == {"name": HOSTILE}


def test_messages_above_the_progress_are_escaped() -> None:
    console = make_console()
    console.file = io.StringIO()
    print_on(console, HOSTILE)
    assert not CONTROL.search(console.file.getvalue())
    assert "[/omni]" in console.file.getvalue()


def test_names_in_plots_are_no_formulas(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot = Plot(4, 3, HOSTILE, lambda figure: (figure.suptitle(HOSTILE), None)[1])
    svg = render(plot, ".svg").decode()
    assert not CONTROL.search(svg)
    assert "frac{$" in svg
    (tmp_path / "page.html").write_bytes(to_page(HOSTILE, ""))
    assert not CONTROL.search((tmp_path / "page.html").read_text())
