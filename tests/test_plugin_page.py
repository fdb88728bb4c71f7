"""The plug-ins of docs/plugins.md, written into an empty folder and run from there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commands import earmark

PAGE = (Path(__file__).parents[1] / "docs" / "plugins.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^`(my_\w+\.py)`[^\n]*\n\n```python\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE))


@pytest.fixture(autouse=True)
def _files() -> None:
    for name, text in FILES.items():
        Path(name).write_text(text)
    rows = [{"id": "1", "question": "Which?", "reply": "a b c d", "target": "a b c d"}]
    for name in ("replies.jsonl", "results.mylog"):
        Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_every_kind_has_a_file() -> None:
    assert sorted(FILES) == [f"my_{kind}.py" for kind in ("benchmark", "condition", "importer", "model", "scorer")]


@pytest.mark.parametrize("command", re.findall(r"^    earmark (.*)$", PAGE, re.MULTILINE))
def test_commands_of_the_page_run(command: str) -> None:
    words = [word.strip("'") for word in re.findall(r"'[^']*'|\S+", command)]
    done = earmark(*words)
    assert done.returncode == 0, done.stderr
