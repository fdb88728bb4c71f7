"""Counts of positions: a model that always says A leans, one that knows the text does not."""

from __future__ import annotations

from earmark.journal import Record, ScoreLine
from earmark.report.positions import position_rows
from earmark.types import Item, Response


def scored(answer_of: dict[int, str | None]) -> list[tuple[Record, ScoreLine]]:
    pairs = []
    for number, shown in ((1, ("cat", "dog")), (2, ("dog", "cat"))):
        target = "AB"[shown.index("cat")]
        item = Item(
            f"x#{number}", "t", choices=shown, labels=("A", "B"), targets=(target,), tags={"choice_order": str(number)}
        )
        line = ScoreLine("t", item.id, "plain", 0, "choice", "answered", answer_of[number])
        pairs.append((Record(item, response=Response(answer_of[number] or "")), line))
    return pairs


def test_always_a() -> None:
    assert position_rows(scored({1: "A", 2: "A"})) == [
        ("t", "plain", "choice", "A", 2, 1, 1, 0), ("t", "plain", "choice", "B", 0, 1, 1, 0)
    ]  # fmt: skip


def test_always_the_cat() -> None:
    rows = position_rows(scored({1: "A", 2: "B"}))
    assert {row[-1] for row in rows} == {1}


def test_what_is_not_read_is_no_option() -> None:
    assert {row[-1] for row in position_rows(scored({1: None, 2: None}))} == {0}
    assert position_rows([]) == []
