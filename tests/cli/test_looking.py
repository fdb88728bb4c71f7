"""Every command of docs/looking.md, in its order, and what it prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from click.testing import CliRunner

from earmark.cli import earmark as program

PAGE = Path(__file__).parents[2] / "docs" / "looking.md"
COMMANDS = [
    line for block in re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    for line in block.splitlines()
]  # fmt: skip


def test_every_command_of_the_page_runs() -> None:
    printed: dict[str, str] = {}
    for command in COMMANDS:
        name, *words = shlex.split(command)
        assert name == "earmark"
        done = CliRunner().invoke(program, words, catch_exceptions=False)
        assert done.exit_code == 0, f"{command}: {done.output}"
        printed[command] = done.stdout
    assert len(printed) == len(COMMANDS) > 12
    assert printed["earmark items results/first results/second --only first --limit 10"].count("\npitch-") == 10
    assert "pitch (level=easy)" in printed["earmark show results/first --by level"]
    assert "only candidate right" in printed["earmark compare results/first results/second"]
    assert all(Path(name).exists() for name in ("scores.svg", "ranks.png"))
    assert len(list(Path("clips").iterdir())) == 12  # two sounds each of five wrong answers, and of the first item
    tables = [text for command, text in printed.items() if command.endswith("--latex")]
    assert all(text.count(r"\midrule") == text.count(r"\bottomrule") == 1 for text in tables)
    assert printed["earmark show results/first --all --csv"].startswith("model,benchmark,task,condition,")
