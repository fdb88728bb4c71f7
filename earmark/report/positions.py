"""Position of the answers among the choices: which label a model gives how often, and whether the order moves it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from earmark.journal import Record, ScoreLine
from earmark.text.choices import ORDER_TAG

HEAD: Final = (
    "task", "condition", "scorer", "label", "answers", "right_answers", "items", "same_option_in_every_order"
)  # fmt: skip


def position_rows(scored: Iterable[tuple[Record, ScoreLine]]) -> list[tuple[Any, ...]]:
    """Count, for items in several orders, the answers and the right answers by label, and the items whose answers name
    the same option in every order.
    """
    answers: dict[tuple[str, str, str], Counter[str]] = {}
    right: dict[tuple[str, str, str], Counter[str]] = {}
    options: dict[tuple[str, str, str], dict[str, set[str]]] = {}
    for record, line in scored:
        item = record.item
        if ORDER_TAG not in item.tags:
            continue
        key = (line.task, line.condition, line.scorer)
        is_label = line.answer in item.labels
        answers.setdefault(key, Counter()).update([line.answer] if is_label and line.answer else [])
        right.setdefault(key, Counter()).update(item.targets)
        answer = item.text(line.answer) if is_label and line.answer else f"unread in order {item.tags[ORDER_TAG]}"
        options.setdefault(key, {}).setdefault(item.id.rpartition("#")[0], set()).add(answer)
    return [
        (*key, label, answers[key][label], right[key][label], len(options[key]), same)
        for key in answers
        for same in (sum(len(texts) == 1 for texts in options[key].values()),)
        for label in sorted({*answers[key], *right[key]})
    ]
