"""Which files a split has: one test a trap of the layouts that public repositories have."""

from __future__ import annotations

from pathlib import Path

import pytest

from earmark.data.rows import parquet_files
from earmark.data.splits import find_split
from earmark.errors import BadData


def put(folder: Path, *names: str, data: bytes = b"PAR1") -> Path:
    """Make files of a repository."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def names(folder: Path, split: str, config: str = "") -> list[str]:
    return [path.relative_to(folder).as_posix() for path in find_split(folder, split, config).files]


def test_shards_of_a_split_come_in_order(tmp_path: Path) -> None:
    put(tmp_path, "data/test-00001-of-00002.parquet", "data/test-00000-of-00002.parquet")
    assert names(tmp_path, "test") == ["data/test-00000-of-00002.parquet", "data/test-00001-of-00002.parquet"]


def test_a_digest_in_a_name_is_no_part_of_the_split(tmp_path: Path) -> None:
    name = "data/test-00000-of-00001-1ca0eb199a9df3ac.parquet"
    assert names(put(tmp_path, name), "test") == [name]


@pytest.mark.parametrize(
    ("split", "neighbour"),
    [
        ("test", "test_mini"),
        ("test", "test-other"),
        ("librispeech_test_clean", "librispeech_test_clean_192k"),
        ("test.clean", "test.other"),
        ("test.clean", "testxclean"),  # a dot is a letter, not any letter
    ],
)
def test_a_neighbour_whose_name_begins_alike_is_another_split(tmp_path: Path, split: str, neighbour: str) -> None:
    put(tmp_path, f"data/{split}-00000-of-00001.parquet", f"data/{neighbour}-00000-of-00001.parquet")
    assert names(tmp_path, split) == [f"data/{split}-00000-of-00001.parquet"]
    assert names(tmp_path, neighbour) == [f"data/{neighbour}-00000-of-00001.parquet"]


def test_a_config_has_a_folder_and_splits_of_any_name(tmp_path: Path) -> None:
    put(tmp_path, *(f"sd-qa/{region}-00000-of-00001.parquet" for region in ("aus", "gbr", "usa")))
    put(tmp_path, "wildvoice/test-00000-of-00001.parquet", "mmsu/usa-00000-of-00001.parquet")
    assert names(tmp_path, "usa", "sd-qa") == ["sd-qa/usa-00000-of-00001.parquet"]
    with pytest.raises(BadData, match="expected files of the split 'nga' of the config 'sd-qa'"):
        find_split(tmp_path, "nga", "sd-qa")


def test_the_hub_converts_into_a_folder_a_split(tmp_path: Path) -> None:
    put(tmp_path, "en/test/0000.parquet", "en/test/0001.parquet", "en/test_net/0000.parquet", "zh/test/0000.parquet")
    assert names(tmp_path, "test", "en") == ["en/test/0000.parquet", "en/test/0001.parquet"]


def test_a_part_of_a_split_is_never_taken_for_the_whole(tmp_path: Path) -> None:
    put(tmp_path, "default/partial-test/0000.parquet")
    with pytest.raises(BadData, match=r"holds only a part of the split 'test' \(partial-test\)"):
        find_split(tmp_path, "test")
    put(tmp_path, "default/test/0000.parquet")
    found = find_split(tmp_path, "test")
    assert [path.parent.name for path in found.files] == ["test"]
    assert "partial-test: holds a part" in found.warnings[0]


CARD = """---
license: mit
configs:
- config_name: MMAU-mini
  data_files:
  - split: test
    path: MMAU-mini/train-*
- config_name: other
  data_files:
  - split: test
    path: [other/a.parquet, other/b.parquet]
---
# A data set
"""


def test_the_card_goes_before_names(tmp_path: Path) -> None:
    put(tmp_path, "README.md", data=CARD.encode())
    put(tmp_path, "MMAU-mini/train-00000-of-00001.parquet", "MMAU-mini/test-00000-of-00001.parquet")
    put(tmp_path, "other/a.parquet", "other/b.parquet")
    assert names(tmp_path, "test", "MMAU-mini") == ["MMAU-mini/train-00000-of-00001.parquet"]
    assert names(tmp_path, "test", "other") == ["other/a.parquet", "other/b.parquet"]
    with pytest.raises(BadData, match=r"README\.md: config 'other' has no split 'train'; there are: test"):
        find_split(tmp_path, "train", "other")


def test_a_card_that_speaks_of_no_files_leaves_it_to_names(tmp_path: Path) -> None:
    put(tmp_path, "README.md", data=b"---\nlicense: mit\n---\nconfigs: nothing")
    put(tmp_path, "data/test-00000-of-00001.parquet")
    assert names(tmp_path, "test") == ["data/test-00000-of-00001.parquet"]


@pytest.mark.parametrize("path", ["../other/*.parquet", "/etc/*.parquet", "hf://datasets/x/y.parquet"])
def test_a_card_cannot_lead_out_of_the_folder(tmp_path: Path, path: str) -> None:
    put(tmp_path / "other", "x.parquet")
    home = put(tmp_path / "set", "data/test-00000-of-00001.parquet")
    put(home, "README.md", data=f"---\nconfigs:\n- data_files: '{path}'\n---\n".encode())
    with pytest.raises(BadData, match="leaves the folder"):
        find_split(home, "train")


@pytest.mark.parametrize(
    ("front", "message"),
    [
        ("a: &x [1]\nb: *x", "line 2: found a YAML alias"),
        ("a: !!python/object/apply:os.system [ls]", "line 1: found a YAML tag"),
        ("a: [", "no YAML that can be read"),
    ],
)
def test_a_card_of_tags_and_aliases_is_refused(tmp_path: Path, front: str, message: str) -> None:
    put(tmp_path, "data/test-00000-of-00001.parquet")
    put(tmp_path, "README.md", data=f"---\n{front}\n---\n".encode())
    with pytest.raises(BadData, match=message):
        find_split(tmp_path, "test")


def test_a_shard_that_is_missing_or_of_another_revision_is_named(tmp_path: Path) -> None:
    put(tmp_path, "data/test-00000-of-00003.parquet", "data/test-00002-of-00003.parquet")
    with pytest.raises(BadData, match=r"found 2 of 3 shards, expected test-00001-of-00003\.parquet"):
        find_split(tmp_path, "test")
    put(tmp_path, "data/test-00001-of-00003.parquet", "data/test-00000-of-00001.parquet")
    with pytest.raises(BadData, match="shards of two revisions"):
        find_split(tmp_path, "test")


def test_a_pointer_of_git_lfs_is_called_one(tmp_path: Path) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"
    put(tmp_path, "data/test-00000-of-00001.parquet", data=pointer)
    with pytest.raises(BadData, match="a Git LFS pointer"):
        find_split(tmp_path, "test")
    with pytest.raises(BadData, match="a Git LFS pointer"):
        parquet_files(tmp_path)


def test_a_download_that_broke_off_is_called_one(tmp_path: Path) -> None:
    put(tmp_path, "data/test-00000-of-00001.parquet.0a1b.incomplete")
    with pytest.raises(BadData, match=r"\.incomplete: a download that was broken off"):
        find_split(tmp_path, "test")


def test_one_file_without_a_split_in_its_name_is_the_split_and_two_are_not(tmp_path: Path) -> None:
    put(tmp_path, "mine.parquet")
    assert parquet_files(tmp_path, "train") == [tmp_path / "mine.parquet"]
    put(tmp_path, "yours.parquet")
    with pytest.raises(BadData, match="expected files of the split 'train'"):
        parquet_files(tmp_path, "train")
    (tmp_path / "yours.parquet").rename(tmp_path / "test.parquet")
    (tmp_path / "mine.parquet").unlink()
    with pytest.raises(BadData, match=r"found test\.parquet, expected files of the split 'train'"):
        parquet_files(tmp_path, "train")
