"""Does what is printed hold? Simulated worlds, as the tables of docs/error-bars.md (some minutes).

python tools/validity [WORLDS]        worlds of a row, 1000 if not told; 1000 tell 95 % to within 1.4
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterable, Sequence

import numpy as np
from gains import TABLES as GAINS  # type: ignore[import-not-found] # beside this file
from worlds import TABLES, World  # type: ignore[import-not-found]


def line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def show(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    print(f"\n### {title}\n\n{line(head)}\n{line('-' * len(head)).replace(' ', '')}", flush=True)
    for row in rows:
        print(line(row), flush=True)


def coverage(world: World, many: int) -> tuple[str, ...]:
    """How often the interval holds the truth, by all, and by those that are not marked; and how wide it is in the
    middle.
    """
    dice = np.random.default_rng(zlib.crc32(world.name.encode()))
    found = [world.draw(dice) for _ in range(many)]
    told = [each for each in found if each.low is not None and each.high is not None]
    held = np.array([each.low <= world.truth + 1e-9 and world.truth - 1e-9 <= each.high for each in told])
    trusted = np.array([getattr(each, "trusted", True) for each in told], bool)
    width = f"{np.median([each.high - each.low for each in told]):.3f}" if told else "-"
    of_trusted = f"{100 * held[trusted].mean():.1f}" if trusted.any() else "-"
    unmarked = f"{100 * trusted.sum() / many:.0f}"
    return world.name, f"{100 * held.sum() / many:.1f}", unmarked, of_trusted, width


def main() -> None:
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    head = ("world", "holds, %", "not marked, %", "of these holds, %", "width")
    for title, worlds in TABLES.items():
        if title.startswith(only):
            show(title, head, (coverage(world, many) for world in worlds()))
    for title, (columns, rows) in GAINS.items():
        if title.startswith(only):
            show(title, columns, rows(many))


main()
