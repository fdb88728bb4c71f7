"""Odd sound and odd rows of a table: each ends in one line with file and row, or in an item that counts as what it is."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
import soundfile
import table_data as data
from commands import earmark

from earmark.engine.load import load_benchmark, load_scorer
from earmark.errors import BadData
from earmark.types import Benchmark, Item, Response

TABLE = """# Mine
title: Mine
facts: {license: CC0}
columns: {id: id, question: question, sound: audio, choices: options, answer: answer}
sets: {pets: {layouts: {hub: {repository: me/pets, split: test}, here: {files: [pets.jsonl]}}}}
scorers: {earmark: {scorer: choice}}
prompts: {official: {text: "{question} {choices}"}}
"""
ROW = {"question": "Who?", "options": json.dumps(["A cat", "A dog"]), "answer": "A cat"}


def sound(seconds: float, rate: int = 16_000, declared: int = 0) -> bytes:
    """A wav of silence, whose header may say another rate than it was recorded with."""
    file = io.BytesIO()
    soundfile.write(file, np.zeros(round(seconds * rate), np.int16), declared or rate, format="WAV")
    return file.getvalue()


def cells(path: Path, sounds: Sequence[tuple[bytes | None, str | None]]) -> None:
    """A parquet file of a row for each cell of sound, as bytes and path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as database:
        database.execute(
            "create table t (id varchar, question varchar, options varchar, answer varchar, "
            "audio struct(bytes blob, path varchar))"
        )
        for number, (content, name) in enumerate(sounds):
            row = [f"q-{number}", *ROW.values(), content, name]
            database.execute("insert into t values (?, ?, ?, ?, {'bytes': ?::blob, 'path': ?})", row)
        database.execute(f"copy t to '{path}' (format parquet)")


def run(folder: Path, *words: str) -> tuple[str, list[dict[str, Any]]]:
    """Run the table on a folder; return what was printed, and the records."""
    (folder / "mine.yaml").write_text(TABLE)
    done = earmark("run", str(folder / "mine.yaml"), f"data={folder}", "model=fake", "preflight=false", *words)
    assert done.returncode in (0, 7), done.stderr
    (journal,) = Path("results").rglob("responses.jsonl")
    records = [json.loads(line) for line in journal.read_text().splitlines()]
    return done.stdout + done.stderr, sorted(records, key=lambda record: str(record["item"]["id"]))


def load(folder: Path, rows: Sequence[dict[str, Any]]) -> Benchmark:
    (folder / "mine.yaml").write_text(TABLE)
    data.put(folder / "a.wav", data.wav())
    data.put_lines(folder / "pets.jsonl", rows)
    return load_benchmark(str(folder / "mine.yaml"), (), {"data": str(folder), "layout": "here"})


def test_a_cell_without_bytes_is_the_file_that_its_path_names(tmp_path: Path) -> None:
    data.put(tmp_path / "data/b.wav", sound(0.2))
    path = tmp_path / "data/test-00000-of-00001.parquet"
    cells(path, [(sound(0.1), "a.wav"), (None, "b.wav"), (None, "gone.wav"), (None, None), (None, "../c.wav")])
    shown, records = run(tmp_path)
    outcomes = [record.get("failure", {}).get("state", "answered") for record in records]
    assert outcomes == ["answered", "answered", "sound-failed", "request-failed", "request-failed"]
    assert [record["audio_sent"][0]["seconds"] for record in records[:2]] == [0.1, 0.2]
    assert "its row names no sound" in records[3]["failure"]["message"]
    assert "leads out of the data" in records[4]["failure"]["message"]
    assert "1 of 3 clips are not there" in shown


def test_sound_of_no_length_of_two_hours_and_of_a_rate_that_lies(tmp_path: Path) -> None:
    short, long, odd = sound(0), sound(7200, rate=1000), sound(0.5, declared=192_000)
    cells(tmp_path / "data/test-00000-of-00001.parquet", [(short, "a"), (long, "b"), (odd, "c"), (b"", "d")])
    _, records = run(tmp_path)
    outcomes = [record.get("failure", {}).get("state", "answered") for record in records]
    assert outcomes == ["sound-failed", "answered", "answered", "sound-failed"]
    assert records[1]["audio_sent"][0]["seconds"] == 7200
    assert records[2]["audio_sent"][0]["rate"] == 192_000  # what the file says of itself is what is sent


def test_a_clip_longer_than_is_wanted_is_an_item_that_counts_as_failed(tmp_path: Path) -> None:
    cells(tmp_path / "data/test-00000-of-00001.parquet", [(sound(7200, rate=1000), "b")])
    _, (record,) = run(tmp_path, "max_audio_seconds=60")
    assert record["failure"]["state"] == "sound-failed"
    assert "60" in record["failure"]["message"]


@pytest.mark.parametrize("column", ["question", "answer", "id"])
def test_a_number_that_is_none_is_no_text(tmp_path: Path, column: str) -> None:
    path = tmp_path / "data/test-00000-of-00001.parquet"
    path.parent.mkdir()
    columns = ", ".join(
        f"'NaN'::double as {name}" if name == column else f"'{value}' as {name}" for name, value in
        {"id": "1", "question": "Who?", "options": '["a", "b"]', "answer": "a"}.items()
    )  # fmt: skip
    with duckdb.connect() as database:
        database.execute(f"copy (select {columns}, '{{}}'::blob as audio) to '{path}' (format parquet)")
    (tmp_path / "mine.yaml").write_text(TABLE)
    benchmark = load_benchmark(str(tmp_path / "mine.yaml"), (), {"data": str(tmp_path)})
    with pytest.raises(BadData, match=r"test-00000-of-00001\.parquet, row 1: found no number \(NaN\)"):
        list(benchmark.items())


def test_an_option_inside_an_option_is_not_the_other_one(tmp_path: Path) -> None:
    rows = [ROW | {"id": "1", "audio": "a.wav", "options": ["cat", "black cat", "cats"], "answer": "black cat"}]
    (item,) = load(tmp_path, rows).items()
    choice, tokens = load_scorer("choice", {}), load_scorer("token_match", {})

    def right(scorer: Any, reply: str) -> float:
        counts = asyncio.run(scorer.score(item, Response(reply))).counts
        return float(next(iter(scorer.metrics.values())).value(counts))

    assert item.targets == ("B",)
    for scorer in (choice, tokens):
        assert [right(scorer, reply) for reply in ("black cat", "cat", "cats")] == [1, 0, 0]


def test_odd_ids_are_ids_and_equal_ones_are_refused(tmp_path: Path) -> None:
    ids = ["a/b", "a\tb", "a\nb", 1, "{0}", "%s"]
    items: list[Item] = list(load(tmp_path, [ROW | {"id": each, "audio": "a.wav"} for each in ids]).items())
    assert [item.id for item in items] == [str(each) for each in ids]
    load(tmp_path, [ROW | {"id": each, "audio": "a.wav"} for each in (1, "1")])
    words = (str(tmp_path / "mine.yaml"), f"data={tmp_path}", "layout=here", "model=fake", "preflight=false")
    done = earmark("run", *words)
    assert (done.returncode, len(done.stderr.splitlines())) == (3, 1)
    assert "the id '1' stands for two items" in done.stderr


def test_a_folder_of_data_that_is_a_file_is_one_line(tmp_path: Path) -> None:
    file = data.put(tmp_path / "data", b"x")
    done = earmark("run", "mmau", f"data={file}", "model=fake")
    assert (done.returncode, len(done.stderr.splitlines())) == (3, 1)
    assert f"{file}: no such folder; give data=FOLDER" in done.stderr


def test_blank_lines_and_carriage_returns_are_no_rows(tmp_path: Path) -> None:
    rows = [json.dumps(ROW | {"id": str(number), "audio": "a.wav"}) for number in range(2)]
    benchmark = load(tmp_path, [])
    (tmp_path / "pets.jsonl").write_bytes(b"\xef\xbb\xbf" + "\r\n\r\n".join(rows).encode() + b"\r\n\r\n")
    assert [item.id for item in benchmark.items()] == ["0", "1"]
