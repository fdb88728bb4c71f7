"""`earmark init`: the table that it writes asks and scores as the file itself does."""

from __future__ import annotations

from pathlib import Path

import pytest
import table_data as data
from click.testing import CliRunner

from earmark.cli import earmark as program
from earmark.engine.load import load_benchmark
from earmark.errors import UsageError
from earmark.types import Benchmark

ROWS = [
    {"audio": "a.wav", "question": "{Which}?", "options": "cat|dog", "answer": "B", "lang": "de", "speaker": "x"},
    {"audio": "b.wav", "question": "Which?", "options": "hen|cow", "answer": "A", "lang": "en", "speaker": "y"},
]


def init(*words: str) -> str:
    done = CliRunner().invoke(program, ["init", *words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def load(name: str, **settings: object) -> Benchmark:
    return load_benchmark(name, (), settings)


@pytest.fixture
def _rows() -> None:
    for name in ("a.wav", "b.wav"):
        data.put(Path(name), data.wav())
    data.put_lines(Path("my.jsonl"), ROWS)


@pytest.mark.usefixtures("_rows")
def test_the_table_asks_what_the_file_asks() -> None:
    output = init("my.jsonl", "tags=lang", "scorer=[choice,token_match]")
    assert "answer is 'answer', a letter; group is 'speaker'" in output
    assert "wrote my.yaml; look at it, mend it, then: earmark run my.yaml model=" in output
    own = load("my.jsonl", tags=("lang",), scorer=("choice", "token_match"))
    table = load("my.yaml")
    assert [*table.items()] == [*own.items()]
    assert [table.prompt(item) for item in table.items()] == [own.prompt(item) for item in own.items()]
    assert [scorer.name for scorer in table.scorers("my")] == ["choice", "token_match"]
    assert table.slices == ("lang",)


@pytest.mark.usefixtures("_rows")
def test_nothing_is_written_over_and_no_setting_is_dropped() -> None:
    Path("my.yaml").write_text("mine")
    with pytest.raises(UsageError, match="is there already"):
        init("my.jsonl")
    assert Path("my.yaml").read_text() == "mine"
    with pytest.raises(UsageError, match="data= is where sound lies on one machine"):
        init("my.jsonl", "data=.")
    with pytest.raises(UsageError, match="limit"):
        init("my.jsonl", "limit=3")
    with pytest.raises(UsageError, match="expected a file of questions"):
        init("mmau")
