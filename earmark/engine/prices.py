"""Cost of responses, by the prices in a model's YAML.

    cost = (words in * in + sound in * sound + words out * out + speech out * speech) / 1,000,000  +  minutes * minute

`words in` are the tokens read that are no sound, `words out` those written that are no speech. Without a price of its
own, sound costs what words read cost, and speech what words written cost. `minutes` is how long the sound lasts that
was sent: recognisers are sold so. The result is in the currency of the list. A server that tells the cost itself is
believed where there is no list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from earmark.config.settings import Prices
from earmark.types import EncodedAudio, Model, Prompt, Response, Seconds, Waveform, Wrapper, replace


class PricedModel(Wrapper):
    """A model whose answers say what they cost: a wrapper, which holds a model and is one."""

    def __init__(self, model: Model, prices: Prices) -> None:
        super().__init__(model)
        self.prices = prices

    async def generate(self, prompt: Prompt) -> Response:
        response = await self.model.generate(prompt)
        cost = self.prices.cost(response.usage, audio_seconds(prompt))
        return replace(response, usage=replace(response.usage, cost=cost))


def has_prices(settings: Mapping[str, Any]) -> bool:
    """True if a model's settings, or those of a model within them, hold prices.

    >>> has_prices({"backend": "cascade", "llm": {"backend": "openai", "prices": {"in": 1}}})
    True
    >>> has_prices({"backend": "whisper_tiny"})
    False
    """
    return bool(settings.get("prices")) or any(
        has_prices(each) for each in settings.values() if isinstance(each, Mapping)
    )


def audio_seconds(prompt: Prompt) -> Seconds:
    """Seconds of audio in a prepared prompt."""
    return sum(
        part.seconds for turn in prompt.turns for part in turn.parts if isinstance(part, EncodedAudio | Waveform)
    )
