"""A run with a broken file: one line names the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import earmark


@pytest.mark.parametrize(
    ("file", "data", "words", "told"),
    [
        ("config.yaml", b"\x83\xff", ("rescore",), "config.yaml: cannot be read"),
        ("config.yaml", b"run: [", ("rescore",), "config.yaml: cannot be read"),
        ("config.yaml", b"5\n", ("retry",), "config.yaml: cannot be read"),
        ("responses.jsonl", b"{}\n", ("export", "--to", "csv"), "responses.jsonl, line 1: is no record of a run"),
        ("responses.jsonl", b"", ("export", "--to", "csv"), "scores.jsonl: all, item item-0 is not in the journal"),
    ],
)
def test_a_broken_file_is_named(run: Path, file: str, data: bytes, words: tuple[str, ...], told: str) -> None:
    (run / file).write_bytes(data)
    done = earmark(words[0], str(run), *words[1:])
    assert done.returncode == 3
    assert len(done.stderr.splitlines()) == 1
    assert told in done.stderr
