"""Pairs of sentences that differ, as many as wanted."""

from __future__ import annotations

import random

KNOWN = "the of and to in is it one hundred twenty don't colour mister street 5 said was with about that".split()


def pairs(count: int) -> list[tuple[str, str]]:
    """Sentences of 15 words, each with the next one."""
    rng = random.Random(0)  # noqa: S311
    texts = [" ".join(rng.choices(KNOWN, k=15)) for _ in range(count)]
    return list(zip(texts, [*texts[1:], texts[0]], strict=True))
