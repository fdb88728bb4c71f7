"""Open a model from its settings: prices, cache and backend."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from earmark import plugins
from earmark.config import backend_settings, common_settings
from earmark.engine.prices import PricedModel
from earmark.errors import BadSetup
from earmark.text.secrets import first_hidden
from earmark.types import Model


@asynccontextmanager
async def open_model(model: Mapping[str, Any]) -> AsyncIterator[Model]:
    """A model from its settings, open for asking. Raises BadSetup where a key among them was not written down."""
    if hidden := first_hidden(model, "model"):
        raise BadSetup(f"{hidden} was a key, and keys are not written down; give it again: {hidden}=VALUE")
    if common_settings(model).cache:  # asking again is left to whoever asks, as it is without a memory
        held = {name: value for name, value in model.items() if name != "cache"}
        model = {"backend": "earmark.engine.cache", "model": held, "max_attempts": 1}
    module = plugins.find_plugin("models", common_settings(model).backend)
    prices = common_settings(model).prices
    async with module.load(backend_settings(model)) as opened:
        yield PricedModel(opened, prices) if prices else opened
