"""Check that a model can take the prompts of a benchmark at all, before each of them fails by itself."""

from __future__ import annotations

from itertools import islice
from typing import Final

from earmark.config.settings import RunSettings
from earmark.engine.questions import limit_items
from earmark.errors import BadSetup
from earmark.types import Benchmark, Capabilities, ImageBytes, ImageRef, NamedCondition, Prompt

FIRST_PROMPTS: Final = 20  # that are looked at


def check_pictures(
    benchmark: Benchmark,
    conditions: tuple[NamedCondition | None, ...],
    settings: RunSettings,
    capabilities: Capabilities,
) -> None:
    """Raise BadSetup where the first prompts of a benchmark all hold pictures, and the model takes none."""
    if capabilities.images or None not in conditions:  # another condition may leave pictures out
        return
    asked = (item for item in limit_items(benchmark, settings.limit) if item.state == "ask")
    prompts = [benchmark.prompt(item) for item in islice(asked, FIRST_PROMPTS)]
    if prompts and all(map(has_pictures, prompts)):
        raise BadSetup(
            f"the prompts of {benchmark.name} hold pictures, and the model takes none; give a model that does "
            "(capabilities: {images: true} in its settings; for vllm limit_mm_per_prompt: {image: N}), or leave the "
            "pictures out with condition=no-media or a setting of the benchmark such as frame_count=0"
        )


def has_pictures(prompt: Prompt) -> bool:
    """True if any part of a prompt is a picture."""
    return any(isinstance(part, ImageRef | ImageBytes) for turn in prompt.turns for part in turn.parts)
