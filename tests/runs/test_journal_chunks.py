from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from earmark.data.plain import encode_line
from earmark.errors import BadData
from earmark.journal import Record, latest_mask, read_journal
from earmark.runs import journal_chunks
from earmark.runs.journal_chunks import read_chunk, split_journal
from earmark.types import Item, Response


def test_chunks_hold_every_line_and_say_which_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_chunks, "CHUNK_LINES", 4)
    path = tmp_path / "j.jsonl"
    lines = [encode_line(Record(Item(f"{name}"), response=Response(f"{name}"))) for name in (1, 2, 3, 1, 4, 5, 2, 6, 7)]
    path.write_bytes(b"".join(lines) + b'{"item":')
    chunks = split_journal(path)
    assert [chunk.first_line for chunk in chunks] == [1, 5, 9]
    pairs = [pair for chunk in chunks for pair in read_chunk(path, chunk)]
    assert [record for record, _ in pairs] == list(read_journal(path))
    assert np.array_equal([stands for _, stands in pairs], latest_mask(path))
    assert split_journal(tmp_path / "nowhere.jsonl") == []


def test_a_line_that_is_no_record_is_named(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    path.write_bytes(encode_line(Record(Item("1"))) + b"no record\n")
    with pytest.raises(BadData, match=r"j\.jsonl, line 2: is no record of a run"):
        split_journal(path)
