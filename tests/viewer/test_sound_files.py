"""Names of files of sound, and items without any."""

from __future__ import annotations

from pathlib import Path

from viewed_runs import acoustics, record

from earmark.runs.replay_sound import RunReplay
from earmark.types import replace
from earmark.viewer.filters import EVERYTHING, Order
from earmark.viewer.item_list import list_items
from earmark.viewer.sound_files import file_stem, write_sound_files


def test_any_id_is_the_name_of_a_file() -> None:
    odd = record(0)
    odd = replace(odd, item=replace(odd.item, id="../etc/passwd"), repeat=2)
    assert "/" not in file_stem(odd)
    assert file_stem(record(1)) == "all_item-1_plain"


def test_items_that_had_no_sound_say_so(tmp_path: Path) -> None:
    runs = [acoustics(str(tmp_path / name), "condition=[plain,no-media]", name=name) for name in ("a", "b")]
    items = list_items(runs, EVERYTHING, Order(limit=2))
    written, problems = write_sound_files(items, tmp_path / "clips", RunReplay)
    assert [path.name[:2] for path in written] == ["1-", "1-", "2-", "2-"]
    assert len(problems) == 2
    assert all(problem.endswith("no sound was sent") for problem in problems)
