"""What an answer costs, by the price list in a model's YAML.

    cost = (words in * in + sound in * sound + words out * out + speech out * speech) / 1,000,000  +  minutes * minute

`words in` are the tokens read that are no sound, `words out` those written that are no speech. Without a price of its own,
sound costs what words read cost, and speech what words written cost. `minutes` is how long the sound lasts that was sent:
recognisers are sold so. The result is in the currency of the list. A server that tells the cost itself is believed where
there is no list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, TypeAlias

from msgspec import Meta, Struct

from earmark.types import Model, Prompt, Response, Seconds, Sound, Usage, Wave, Wrapper, replace

Price: TypeAlias = Annotated[float, Meta(ge=0)]
MILLION: Final = 1_000_000  # tokens, for which services tell their prices


class Prices(
    Struct, frozen=True, forbid_unknown_fields=True, rename={"read": "in", "written": "out"}
):  # `in` is a word of Python
    """For a million tokens, but for `minute`."""

    read: Price = 0.0
    written: Price = 0.0
    sound: Price | None = None  # None: as `in`
    speech: Price | None = None  # None: as `out`
    minute: Price = 0.0  # of sound sent
    batch: Price = 0.5  # of all of it, in a service's queue for batches

    def cost(self, usage: Usage, seconds: Seconds = 0.0) -> float:
        """What an answer cost that took so much, with so many seconds of sound sent.

        >>> round(Prices(read=2.5, written=10.0, sound=40.0).cost(Usage(tokens_in=1100, tokens_out=10, tokens_sound=1000)), 6)
        0.04035
        """
        sound = self.read if self.sound is None else self.sound
        speech = self.written if self.speech is None else self.speech
        tokens = (
            (usage.tokens_in - usage.tokens_sound) * self.read
            + usage.tokens_sound * sound
            + (usage.tokens_out - usage.tokens_speech) * self.written
            + usage.tokens_speech * speech
        )
        return tokens / MILLION + seconds / 60 * self.minute


class Priced(Wrapper):
    """A model whose answers say what they cost: a wrapper, which holds a model and is one."""

    def __init__(self, model: Model, prices: Prices) -> None:
        super().__init__(model)
        self.prices = prices

    async def generate(self, prompt: Prompt) -> Response:
        response = await self.model.generate(prompt)
        cost = self.prices.cost(response.usage, seconds_of(prompt))
        return replace(response, usage=replace(response.usage, cost=cost))


def are_known(settings: Mapping[str, Any]) -> bool:
    """Whether a model's settings, or those of a model within them, hold prices.

    >>> are_known({"backend": "cascade", "mind": {"backend": "openai", "prices": {"in": 1}}}), are_known({"backend": "ear"})
    (True, False)
    """
    return bool(settings.get("prices")) or any(
        are_known(each) for each in settings.values() if isinstance(each, Mapping)
    )


def seconds_of(prompt: Prompt) -> Seconds:
    """How long the sound of a prepared prompt lasts."""
    return sum(part.seconds for turn in prompt.turns for part in turn.parts if isinstance(part, Sound | Wave))
