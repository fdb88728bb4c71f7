"""Choices in several orders: how much of a score is the position of the options.

With `choice_order=shuffled:3` each item with choices is asked three times: as given, and in two further orders drawn by
the seed and the item's id, each of which moves every option to a place where it was not before. There are as many
orders as choices. The variants have the ids `ID#1` to `ID#3`, a tag `choice_order`, and the group of their item, so
that they count as correlated. Labels stay in place; texts and right answers move, and `report/positions.py` counts what
came of it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from earmark.errors import UsageError
from earmark.text.choices import ORDER_TAG, shuffle_choices
from earmark.types import Benchmark, Item, replace


def parse_choice_order(text: str) -> int:
    """Number of orders of a setting such as `shuffled:3`; empty or `given` is one. Raises UsageError.

    >>> parse_choice_order("shuffled:3"), parse_choice_order("given")
    (3, 1)
    """
    if text in ("", "given"):
        return 1
    match = re.fullmatch(r"shuffled:([1-9]\d?)", text)
    if match is None:
        raise UsageError(f"choice_order={text}: expected given, or shuffled:N with N orders, such as shuffled:3")
    return int(match[1])


def with_choice_orders(benchmark: Benchmark, orders: int, seed: int) -> Benchmark:
    """A benchmark whose items are asked in several orders. Raises UsageError where its prompts keep one order."""
    if orders == 1:
        return benchmark
    return replace(
        benchmark,
        items=functools.partial(_variants, benchmark, orders, seed),
        settings={**benchmark.settings, "choice_order": f"shuffled:{orders}", "choice_order_seed": seed},
        slices=(*benchmark.slices, ORDER_TAG),
    )


def _variants(benchmark: Benchmark, orders: int, seed: int) -> Iterator[Item]:
    moved: bool | None = None
    for item in benchmark.items():
        if len(item.choices) < 2 or len(item.labels) != len(item.choices):
            yield item
            continue
        for number, order in enumerate(choice_orders(item, orders, seed), start=1):
            variant = _reorder(item, order, number)
            if moved is None and number > 1 and item.state == "ask":
                moved = benchmark.prompt(variant) != benchmark.prompt(replace(variant, choices=item.choices))
                if not moved:
                    raise UsageError(
                        f"choice_order=: the prompts of {benchmark.name} do not show the choices of an item in their "
                        "order; leave it out"
                    )
            yield variant


def choice_orders(item: Item, orders: int, seed: int) -> list[tuple[int, ...]]:
    """Orders of the choices of an item, the given one first: positions of the given choices, none in a place twice.

    Two choices have two orders, three have three; more than there are choices are not made.
    """
    n = len(item.choices)
    mixed = [
        int(place) for place in shuffle_choices([str(place) for place in range(n)], seed, f"{item.task}:{item.id}")
    ]
    cycle = {mixed[k]: mixed[(k + 1) % n] for k in range(n)}  # every option moves to the place of the next in the cycle
    found = [tuple(range(n))]
    while len(found) < min(orders, n):
        found.append(tuple(cycle[position] for position in found[-1]))
    return found


def _reorder(item: Item, order: tuple[int, ...], number: int) -> Item:
    shown = tuple(item.choices[position] for position in order)
    label_of = {item.labels[position]: item.labels[place] for place, position in enumerate(order)}
    return replace(
        item,
        id=f"{item.id}#{number}",
        choices=shown,
        targets=tuple(label_of.get(target, target) for target in item.targets),
        group=item.group or item.id,
        tags={**item.tags, ORDER_TAG: str(number)},
    )
