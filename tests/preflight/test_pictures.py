"""A model that cannot take a benchmark is told of once."""

from __future__ import annotations

import pytest

from earmark.config.settings import RunSettings
from earmark.errors import BadSetup
from earmark.preflight.pictures import check_pictures
from earmark.types import Benchmark, Capabilities, ImageRef, Item, Prompt, Turn


def benchmark(*pictured: bool) -> Benchmark:
    def prompt(item: Item) -> Prompt:
        parts = (ImageRef("a.jpg"), "Which?") if pictured[int(item.id)] else ("Which?",)
        return Prompt((Turn("user", parts),))

    items = [Item(str(number), "t") for number in range(len(pictured))]
    return Benchmark(name="b", version=1, tasks=("t",), items=lambda: items, prompt=prompt, scorers=lambda _: ())


def test_pictures_in_every_prompt_are_refused_for_a_model_that_takes_none() -> None:
    with pytest.raises(BadSetup, match="the prompts of b hold pictures, and the model takes none"):
        check_pictures(benchmark(True, True), (None,), RunSettings(), Capabilities())


@pytest.mark.parametrize("pictured", [(True, False), (False,)])
def test_pictures_in_some_are_failures_of_their_own(pictured: tuple[bool, ...]) -> None:
    check_pictures(benchmark(*pictured), (None,), RunSettings(), Capabilities())
    check_pictures(benchmark(True), (None,), RunSettings(), Capabilities(images=True))
    check_pictures(benchmark(True), (), RunSettings(), Capabilities())
