from __future__ import annotations

from collections import Counter

import pytest
from mine import bench
from recorded_runs import of

from earmark.config.settings import RunSettings
from earmark.engine.questions import questions
from earmark.engine.shards import Shard, parse_shard, select_shard, shard_number
from earmark.errors import UsageError
from earmark.types import Item, replace


def ids(shard: str, items: list[Item], limit: int | None = None) -> list[str]:
    settings = RunSettings(shard=shard, limit=limit)
    return [item.id for item, _, _ in questions(of(items), (None,), settings)]


ITEMS = list(bench.items(bench.Settings(items=60)))


def test_shards_hold_every_item_once_in_its_order() -> None:
    parts = [ids(f"{number}/4", ITEMS) for number in range(1, 5)]
    assert Counter(name for part in parts for name in part) == Counter(ids("", ITEMS))
    assert all(parts)
    position = {item.id: index for index, item in enumerate(ITEMS)}
    assert all(part == sorted(part, key=lambda name: position[name]) for part in parts)


def test_an_item_stays_in_its_shard_whatever_the_order_and_the_limit() -> None:
    whole = {*ids("2/4", ITEMS)}
    assert {*ids("2/4", ITEMS[::-1])} == whole
    assert {*ids("2/4", ITEMS, limit=30)} == whole & {item.id for item in ITEMS[:30]}


def test_a_group_is_never_parted() -> None:
    grouped = [replace(item, group=f"speaker {index % 7}") for index, item in enumerate(ITEMS)]
    numbers = {(item.group, shard_number(item, 3)) for item in grouped}
    assert len(numbers) == 7
    alone = [replace(item, group="") for item in ITEMS]
    assert len({shard_number(item, 3) for item in alone}) == 3


def test_one_shard_of_one_is_everything() -> None:
    assert list(select_shard(ITEMS, parse_shard(""))) == ITEMS


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "1/", "a/b", "1/0", "-1/3", "1/3/5", "01/3"])
def test_what_names_no_shard_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="shard="):
        parse_shard(text)


def test_a_shard_is_a_number_and_how_many() -> None:
    assert parse_shard("3/8") == Shard(3, 8)
