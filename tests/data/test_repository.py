"""Find the rows of a data set of the hub: as parquet, as a file called after the split, as an audiofolder."""

from __future__ import annotations

from pathlib import Path

import pytest
import table_data as data

from earmark.data.repository import find_repository, find_rows
from earmark.errors import BadData


@pytest.mark.parametrize(
    ("there", "config", "found"),
    [
        (["data/test-00000-of-00001.parquet", "data/test_mini-00000-of-00001.parquet"], "", 0),
        (["en/test-00000-of-00001.parquet", "de/test-00000-of-00001.parquet"], "en", 0),
        (["test.jsonl", "test_mini.jsonl"], "", 0),
        (["en/data/test.csv", "test.csv"], "en", 0),
        (["test/metadata.jsonl", "train/metadata.jsonl"], "", 0),
        (["metadata.csv"], "", 0),
    ],
)
def test_a_split_is_found(tmp_path: Path, there: list[str], config: str, found: int) -> None:
    for name in there:
        if name.endswith("parquet"):
            data.put_parquet(tmp_path / name, [{"text": "x"}])
        else:
            data.put(tmp_path / name, b'{"text": "x"}\n')
    assert find_rows(tmp_path, "test", config) == (tmp_path / there[found],)


@pytest.mark.parametrize(
    ("there", "message"),
    [
        (["train.jsonl"], "found no parquet file"),
        (["test-00000-of-00002.parquet"], "found 1 of 2 shards"),
        (["partial-test/0000.parquet"], "holds only a part"),
    ],
)
def test_a_split_that_is_not_there_whole_is_an_error(tmp_path: Path, there: list[str], message: str) -> None:
    for name in there:
        data.put_parquet(tmp_path / name, [{"text": "x"}])
    with pytest.raises(BadData, match=message):
        find_rows(tmp_path, "test", "")


def test_a_folder_stands_for_the_hub(tmp_path: Path) -> None:
    data.put(tmp_path / "test.jsonl", b'{"text": "x"}\n')
    found = find_repository("me/pets", "main", "test", "", str(tmp_path))
    assert (found.root, found.files) == (tmp_path, (tmp_path / "test.jsonl",))
    with pytest.raises(BadData, match="no such folder"):
        find_repository("me/pets", "main", "test", "", str(tmp_path / "none"))
