"""Coverage of intervals and error rates of tests in simulated worlds: the tables of docs/error-bars.md (some minutes).

python tools/validity [WORLDS]        worlds of a row, by default 1000, which estimate 95 % to within 1.4
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
    """Share of intervals that contain the truth, of all and of those that are not marked, and their median width."""
    rng = np.random.default_rng(zlib.crc32(world.name.encode()))
    estimates = [world.draw(rng) for _ in range(many)]
    with_interval = [each for each in estimates if each.low is not None and each.high is not None]
    covered = np.array([each.low <= world.truth + 1e-9 and world.truth - 1e-9 <= each.high for each in with_interval])
    trusted = np.array([getattr(each, "trusted", True) for each in with_interval], bool)
    width = f"{np.median([each.high - each.low for each in with_interval]):.3f}" if with_interval else "-"
    of_trusted = f"{100 * covered[trusted].mean():.1f}" if trusted.any() else "-"
    unmarked = f"{100 * trusted.sum() / many:.0f}"
    return world.name, f"{100 * covered.sum() / many:.1f}", unmarked, of_trusted, width


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
