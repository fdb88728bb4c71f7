"""Replies of odd kinds by a function, and a benchmark over the files of a folder, as users write them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Annotated

import numpy as np
from msgspec import Struct

from earmark.scorers.choice import ChoiceScorer
from earmark.types import UNSIGNED, Benchmark, Clip, Context, Item, Prompt, Response, Turn, Usage

HALF = "\ud835"
ODD = (  # answers, by the number of their item
    Response(f"A {HALF}"),
    Response("A", reasoning=HALF, transcripts=(HALF,), notes=(f"noted {HALF}",)),
    Response("A", usage=Usage(np.int64(7), np.int32(1), cost=np.float32(0.5))),  # type: ignore[arg-type]
    Response("A", likelihoods=(np.float32(-1.0), float("-inf"))),  # type: ignore[arg-type]
    Response(np.str_("A")),
    np.str_("A"),
    Response("A", usage=Usage(cost=float("nan")), seconds=float("inf")),
    None,
    5,
    Response(None),  # type: ignore[arg-type]
    Response("A", likelihoods=(float("nan"),)),
    {"text": "A"},
)
FAIL = range(7, 12)  # of them, those that are no answers


def number(prompt: Prompt) -> int:
    """The number of the item in a prompt of `mine.bench`."""
    return int(str(prompt.turns[-1].parts[-1]).partition("(")[2].partition(")")[0])


def odd(prompt: Prompt) -> object:
    """An odd answer to each of the first items, A to the others."""
    at = number(prompt)
    return ODD[at] if at < len(ODD) else "A"


def echo(prompt: Prompt) -> str:
    """The words of the prompt to every second item, A to the others."""
    return str(prompt.turns[-1].parts[-1]).upper() if number(prompt) % 2 else "A"


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """What a test may set."""

    data: Annotated[str, UNSIGNED]


def load(settings: Settings, context: Context) -> Benchmark:
    """A question about each file of a folder."""

    def items() -> Iterator[Item]:
        for name in sorted(os.listdir(settings.data)):  # noqa: PTH208 - names as the system has them
            clip = Clip(f"{settings.data}/{name}", name=name)
            yield Item(name, "all", f"Which? {name}", (clip,), ("yes", "no"), ("A", "B"), ("A",), group=name)

    def prompt(item: Item) -> Prompt:
        return Prompt((Turn("user", (*item.clips, item.question)),), item.choices, item.labels)

    return Benchmark(
        version=1, tasks=context.tasks or ("all",), items=items, prompt=prompt, scorers=lambda _: (ChoiceScorer(),)
    )
