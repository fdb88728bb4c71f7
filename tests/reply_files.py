"""Files of replies, and what a command says of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from commands import earmark


def complaint(*words: str) -> tuple[int, str]:
    """The status and the one line of a command that fails."""
    done = earmark(*words)
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("earmark: ")
    return done.returncode, lines[0]


def scored(file: Path, *words: str, **line: Any) -> dict[str, Any]:
    file.write_text(json.dumps({"id": "1", **line}))
    told: dict[str, Any] = json.loads(earmark("score", str(file), "--scorer", "choice", "--json", *words).stdout)
    return told
