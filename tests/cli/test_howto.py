"""Every command of docs/howto.md, in its order."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner

from earmark.cli import earmark as program

PAGE = (Path(__file__).parents[2] / "docs" / "howto.md").read_text(encoding="utf-8")
LINES = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]


def test_every_command_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_questions(tmp_path / "mine")
    model = ""
    statuses: dict[str, int] = {}
    for line in LINES:
        command, _, into = line.partition("  #")[0].partition(" > ")
        if command.startswith("export MODEL="):
            model = command.partition("=")[2].strip()
            continue
        name, *words = shlex.split(command.replace("$MODEL", model))
        assert name == "earmark"
        done = CliRunner().invoke(program, words, catch_exceptions=False)
        statuses[line] = done.exit_code
        assert done.exit_code == 0, f"{command}: {done.output}"
        if into:
            Path(into.strip()).write_text(done.stdout, encoding="utf-8")
    assert len(statuses) > 15
    assert r"\toprule" in Path("scores.tex").read_text(encoding="utf-8")
    assert Path("board.md").read_text(encoding="utf-8").lstrip().startswith("|")
    assert all(Path(name).stat().st_size for name in ("scores.svg", "new.csv"))
    assert list(Path("results").rglob("choice_orders.csv"))


def test_every_section_but_the_last_shows_what_to_type() -> None:
    sections = PAGE.split("\n## ")[1:]
    assert all("```" in section or "](" in section for section in sections[:-1])
    assert sections[-1].startswith("Words\n")


def write_questions(folder: Path) -> None:
    folder.mkdir()
    for number in (1, 2, 3):
        soundfile.write(folder / f"{number}.wav", np.zeros(1600, np.float32) + 0.1 * number, 16000)
    rows = "".join(f"{n}.wav,Which number is said?,one|two|three,{('one', 'two', 'three')[n - 1]}\n" for n in (1, 2, 3))
    (folder / "my.csv").write_text("audio,question,choices,answer\n" + rows, encoding="utf-8")
