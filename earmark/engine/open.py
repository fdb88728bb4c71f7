"""Open a model from its settings: its backend, prices, cache and throttle."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Any, Final

from earmark import plugins
from earmark.config.parse import parse_model
from earmark.config.settings import ModelConfig
from earmark.engine.retries import DEFAULT_MAX_ATTEMPTS, DEFAULT_RETRY_TIMEOUT, RetryingModel
from earmark.engine.throttle import Throttle, make_throttle
from earmark.errors import BadSetup, UsageError
from earmark.text.secrets import first_hidden
from earmark.types import Context, Model, replace


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


class ModelNotAskedError(UsageError):
    """A scorer wants to open a model, and nobody is to be asked."""


_refused: Final = ContextVar("refused", default=False)


@contextmanager
def refuse_models() -> Iterator[None]:
    """Let no scorer open a model: a rescore asks nobody unless it is told to."""
    token = _refused.set(True)
    try:
        yield
    finally:
        _refused.reset(token)


@asynccontextmanager
async def open_judge_model(settings: Mapping[str, Any]) -> AsyncIterator[Model]:
    """Open a model that a scorer asks: throttled, asked again where that may help, its answers cached."""
    if _refused.get():
        raise ModelNotAskedError(f"the judge {settings.get('name', '')} is not asked; to ask it, add --ask")

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
        if prices is None:
            yield opened
            return
        from earmark.engine.prices import PricedModel  # noqa: PLC0415 - for models with prices

        yield PricedModel(opened, prices)


def _load(config: ModelConfig) -> AbstractAsyncContextManager[Model]:
    common = config.common
    if common.replicas > 1 or common.gpus or common.cluster:
        from earmark.engine.replicas import open_replicas  # noqa: PLC0415 - for few runs

        return open_replicas(config)
    return load_model(config)


@asynccontextmanager
async def load_model(config: ModelConfig) -> AsyncIterator[Model]:
    """Load a model from its plug-in."""
    plugin = plugins.find_plugin("models", config.common.backend)
    async with plugin.load(config.settings, Context(open_model=open_throttled)) as opened:
        plugin.check_model(opened)
        yield opened
