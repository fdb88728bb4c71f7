"""Filters of an address."""

from __future__ import annotations

import pytest

from earmark.errors import UsageError
from earmark.viewer.filters import (
    EVERYTHING,
    WITH_COPIES,
    Order,
    order_by,
    parse_filters,
    parse_number,
    parse_order,
    where,
)


def test_an_address_without_filters_takes_everything() -> None:
    assert parse_filters([("run", "x"), ("sort", "id")]) == EVERYTHING
    assert not EVERYTHING
    assert where(EVERYTHING).sql == "copy_of is null"
    assert where(WITH_COPIES).sql == "true"


def test_values_never_become_sql() -> None:
    hostile = "x'; drop table items; --"
    names = ("task", "condition", "rule", "id", "repeat", "target", "answer", "failure", "note", "search")
    for name in names:
        if name == "repeat":
            continue
        clause = where(parse_filters([(name, hostile)]))
        assert hostile not in clause.sql
        assert any(hostile in str(value) for value in clause.values)
    clause = where(parse_filters([("tag", f"level={hostile}")]))
    assert clause.values == ["level", hostile]


def test_the_unread_is_a_filter_of_its_own() -> None:
    assert where(parse_filters([("answer", "(none)")])).sql == "copy_of is null and answer is null"


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        (("state", "lost"), "expected one of answered, unparsed"),
        (("mark", "odd"), "expected right or wrong"),
        (("tag", "easy"), "expected NAME=VALUE"),
        (("repeat", "../1"), "expected a number"),
    ],
)
def test_a_wrong_value_is_one_line(pair: tuple[str, str], expected: str) -> None:
    with pytest.raises(UsageError, match=expected):
        parse_filters([pair])


def test_orders_are_by_columns_that_there_are() -> None:
    assert order_by(parse_order({"sort": "-seconds"})).startswith("seconds desc")
    assert parse_order({"limit": "99999999"}).limit == 2000
    assert order_by(Order()) == "line asc"
    with pytest.raises(UsageError, match="sort=line;drop"):
        parse_order({"sort": "line;drop"})


@pytest.mark.parametrize("text", ["-1", "1e3", "٣", "9" * 20, "../"])
def test_numbers_are_plain_digits(text: str) -> None:
    with pytest.raises(UsageError, match="expected a whole number"):
        parse_number({"offset": text}, "offset", 0)
