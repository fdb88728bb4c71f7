"""Open a model from its settings: its backend, prices, cache and throttle."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import Any

from earmark import plugins
from earmark.config import ModelConfig, parse_model
from earmark.engine.prices import PricedModel
from earmark.engine.retries import DEFAULT_MAX_ATTEMPTS, DEFAULT_RETRY_TIMEOUT, RetryingModel
from earmark.engine.throttle import Throttle, make_throttle
from earmark.errors import BadSetup
from earmark.text.secrets import first_hidden
from earmark.types import Model, replace


@asynccontextmanager
async def open_run_model(config: ModelConfig) -> AsyncIterator[Throttle]:
    """Open the model of a run, asked as its settings allow; whoever asks it retries."""
    async with _open_model(config) as model:
        yield make_throttle(model, config)


@asynccontextmanager
async def open_model(settings: Mapping[str, Any]) -> AsyncIterator[Model]:
    """Open a model from its settings, asked at any pace."""
    async with _open_model(parse_model(settings)) as model:
        yield model


def open_throttled(settings: Mapping[str, Any]) -> AbstractAsyncContextManager[Throttle]:
    """Open a model from its settings, asked as they allow; whoever asks it retries."""
    return open_run_model(parse_model(settings))


@asynccontextmanager
async def open_judge_model(settings: Mapping[str, Any]) -> AsyncIterator[Model]:
    """Open a model that a scorer asks: throttled, asked again where that may help, its answers cached."""
    config = parse_model(settings)
    async with _open_backend(config) as model:
        asked = RetryingModel(make_throttle(model, config), DEFAULT_MAX_ATTEMPTS, DEFAULT_RETRY_TIMEOUT)
        with _cached(asked, config) as cached:
            yield cached


@asynccontextmanager
async def _open_model(config: ModelConfig) -> AsyncIterator[Model]:
    """Open a model with its cache, if it has one: its rate limits hold for what is not cached."""
    async with _open_backend(config) as model:
        if not config.common.cache:
            yield model
            return
        uncached = replace(config, common=replace(config.common, cache=False))
        with _cached(make_throttle(model, uncached), config) as cached:
            yield cached


@contextmanager
def _cached(model: Model, config: ModelConfig) -> Iterator[Model]:
    from earmark.engine.cache import CachedModel, key_settings, open_cache  # noqa: PLC0415 - most runs use none

    with open_cache() as cache:
        yield CachedModel(model, cache, key_settings(config))


@asynccontextmanager
async def _open_backend(config: ModelConfig) -> AsyncIterator[Model]:
    """Open what answers, with its prices. Raises BadSetup where a key among its settings was not written down."""
    if hidden := first_hidden(config.composed, "model"):
        raise BadSetup(f"{hidden} was a key, and keys are not written down; give it again: {hidden}=VALUE")
    prices = config.common.prices
    async with _load(config) as opened:
        yield PricedModel(opened, prices) if prices else opened


def _load(config: ModelConfig) -> AbstractAsyncContextManager[Model]:
    common = config.common
    if common.replicas > 1 or common.gpus or common.cluster:
        from earmark.engine.replicas import open_replicas  # noqa: PLC0415 - for few runs

        return open_replicas(config)
    opened: AbstractAsyncContextManager[Model] = plugins.find_plugin("models", common.backend).load(config.settings)
    return opened
