"""Load balancer over several endpoints of one model.

    cost of an endpoint = (requests under way + 1) / answers a second

The next request goes to the endpoint with the lowest cost, where it waits the shortest. Speed is measured from the
answers: requests under way divided by the time of one. An endpoint that fails several times in a row cools down for a
while, a busy one for as long as it asks. If an endpoint refuses the connection or is overloaded, the request is retried
on another endpoint immediately.
With `urls=@FILE` the endpoints are those that the file lists, read again when it changes.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Annotated, Any, Final

import aiohttp
from msgspec import Meta, Struct, field

from earmark.engine.open import open_model
from earmark.engine.throttle import OnServer, unwrap
from earmark.errors import BadSetup, EarmarkError, Transient, UsageError
from earmark.models._url_list import find_url_list
from earmark.plugins.abilities import HasAddress
from earmark.plugins.examples import ModelExample
from earmark.types import UNSIGNED, Context, HasSettings, Model, Prompt, Response, Seconds, replace

PREFLIGHT: Final = True
SPEED_EMA: Final = 0.2  # weight of a new measurement in the moving average of the speed
EMPTY_WAIT: Final[Seconds] = 30.0  # until the list of servers is looked at again, while it is empty
DEFAULT_COOLDOWN: Final[Seconds] = 1.0  # for a busy endpoint that does not say how long
FAILURES_BEFORE_COOLDOWN: Final = 3  # failures in a row until an endpoint is left out


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the model, in YAML or as `model.name=value`."""

    urls: Annotated[tuple[str, ...], UNSIGNED] = ()  # of one model; or @FILE, with one on each line, which may change
    endpoint: dict[str, Any] = field(default_factory=lambda: {"backend": "openai"})  # settings of all of them
    endpoints: tuple[dict[str, Any], ...] = ()  # instead: the settings of each, if they differ in more than the address
    name: str = ""  # empty: as the endpoints call it
    cooldown: Annotated[Seconds, Meta(ge=0), UNSIGNED] = 30.0  # of an endpoint that has failed


class Endpoint:
    """One endpoint and its state."""

    def __init__(self, model: Model, title: str) -> None:
        self.model, self.title = model, title
        self.under_way = 0
        self.speed: float | None = None  # answers a second
        self.failures = 0  # in a row
        self.back_at: Seconds = float("-inf")  # when it may be asked again

    def cost(self, usual: float) -> float:
        """Expected cost of the next request here; an endpoint of unknown speed is tried sooner."""
        return (self.under_way + 1) / self.speed if self.speed else (self.under_way + 0.5) / usual


class LoadBalancer:
    """Several endpoints as one model."""

    def __init__(
        self,
        endpoints: Sequence[Endpoint],
        name: str,
        rest: Seconds,
        clock: Callable[[], Seconds] = time.monotonic,
        *,
        missing: tuple[str, ...] = (),
    ) -> None:
        self.endpoints = list(endpoints)
        self.name = name
        self.capabilities = endpoints[0].model.capabilities
        self.missing = missing  # why others could not be opened
        self._rest = rest
        self._clock = clock

    @property
    def is_hosted(self) -> bool:
        """True if any of them is a public service."""
        return any(server.is_hosted for server in self._servers)

    @property
    def engine(self) -> str:
        """Software of the servers, if it is the same for all."""
        engines = {server.engine for server in self._servers}
        return engines.pop() if len(engines) == 1 else ""

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(warning for server in self._servers for warning in server.warnings))

    @property
    def _servers(self) -> list[OnServer]:
        models = (unwrap(endpoint.model) for endpoint in self.endpoints)
        return [model for model in models if isinstance(model, OnServer)]

    async def generate(self, prompt: Prompt) -> Response:
        tried: list[Endpoint] = []
        while True:
            if not self.endpoints:
                raise Transient("no server is listed just now", EMPTY_WAIT, busy=True)
            endpoint = self._best(tried)
            tried.append(endpoint)
            try:
                return await self._ask(endpoint, prompt)
            except Transient as error:
                if not was_not_sent(error) or all(each in tried for each in self.endpoints):
                    raise

    async def _ask(self, endpoint: Endpoint, prompt: Prompt) -> Response:
        endpoint.under_way += 1
        load, began = endpoint.under_way, self._clock()
        try:
            response = await endpoint.model.generate(prompt)
        except Transient as error:
            if error.busy:
                endpoint.back_at = self._clock() + (error.wait or DEFAULT_COOLDOWN)
            else:
                self._count_failure(endpoint)
            raise
        finally:
            endpoint.under_way -= 1
        now = load / max(1e-6, self._clock() - began)
        endpoint.speed = now if endpoint.speed is None else endpoint.speed + SPEED_EMA * (now - endpoint.speed)
        if endpoint.failures >= FAILURES_BEFORE_COOLDOWN:  # it is alive
            endpoint.back_at = float("-inf")
        endpoint.failures = 0
        return response

    def _count_failure(self, endpoint: Endpoint) -> None:
        endpoint.failures += 1
        if endpoint.failures >= FAILURES_BEFORE_COOLDOWN:
            endpoint.back_at = self._clock() + self._rest

    def _best(self, tried: Sequence[Endpoint]) -> Endpoint:
        """Endpoint for the next request; if all are cooling down, the one that is back first."""
        left = [endpoint for endpoint in self.endpoints if endpoint not in tried]
        now = self._clock()
        well = [endpoint for endpoint in left if endpoint.back_at <= now]
        if not well:
            return min(left, key=lambda endpoint: endpoint.back_at)
        usual = max((endpoint.speed or 0.0 for endpoint in well), default=0.0) or 1.0
        return min(well, key=lambda endpoint: endpoint.cost(usual))


def was_not_sent(error: Transient) -> bool:
    """True if no server has processed the request, so that sending it to another endpoint repeats nothing."""
    return error.busy or isinstance(error.__cause__, aiohttp.ClientConnectorError)


def endpoint_settings(settings: Settings) -> list[dict[str, Any]]:
    """Settings of each endpoint."""
    if bool(settings.urls) == bool(settings.endpoints):
        raise UsageError(
            "model=spread takes either 'model.urls=[http://HOST:PORT/v1,...]' or model.endpoints, a list of settings"
        )
    return [settings.endpoint | {"base_url": url.rstrip("/")} for url in settings.urls] or [*settings.endpoints]


def heard_by(settings: Settings) -> Mapping[str, Any]:
    """The settings of a model that is sent the audio: the first endpoint."""
    return settings.endpoints[0] if settings.endpoints else settings.endpoint


@asynccontextmanager
async def load(settings: Settings, context: Context) -> AsyncIterator[LoadBalancer]:  # noqa: ARG001 - it opens no other
    """Open every endpoint. One that does not answer now may come back: it gets the model name of the others."""
    async with AsyncExitStack() as stack:
        url_list = find_url_list(settings.urls)
        if url_list:
            settings = replace(settings, urls=url_list.read_some())
        wanted = endpoint_settings(settings)
        opened = await asyncio.gather(*(_open_endpoint(stack, settings_of_endpoint) for settings_of_endpoint in wanted))
        models = [model for model in opened if not isinstance(model, BadSetup)]
        if not models:
            raise next(error for error in opened if isinstance(error, BadSetup))
        name = models[0].name
        away = [
            settings_of_endpoint | {"name": name}
            for settings_of_endpoint, model in zip(wanted, opened, strict=True)
            if isinstance(model, BadSetup)
        ]
        late = await asyncio.gather(*(_open_endpoint(stack, settings_of_endpoint) for settings_of_endpoint in away))
        models += [model for model in late if not isinstance(model, BadSetup)]
        check_same_model(models, bool(settings.name))
        endpoints = [Endpoint(model, _title(model)) for model in models]
        missing = tuple(str(error) for error in late if isinstance(error, BadSetup))
        balancer = LoadBalancer(endpoints, settings.name or name, settings.cooldown, missing=missing)
        if url_list is None:
            yield balancer
            return
        members = ListedEndpoints(balancer, settings, stack)
        watching = asyncio.create_task(url_list.watch(members.update))
        try:
            yield balancer
        finally:
            watching.cancel()


class ListedEndpoints:
    """Keeps the endpoints of a load balancer as a list of URLs has them."""

    def __init__(self, balancer: LoadBalancer, settings: Settings, stack: AsyncExitStack) -> None:
        self._balancer, self._settings, self._stack = balancer, settings, stack
        self._known = {endpoint.title: endpoint for endpoint in balancer.endpoints}
        self._other = set[str]()  # servers of another model

    async def update(self, urls: Sequence[str]) -> bool:
        """Use the servers of a list: those that are known at once, new ones if they answer and serve the same model.

        One that is not listed any more gets no further requests, and ends those that it has. True if all are used.
        """
        self._use(urls)
        await asyncio.gather(*(self._add(url) for url in urls if url not in self._known and url not in self._other))
        self._use(urls)
        return all(url in self._known or url in self._other for url in urls)

    async def _add(self, url: str) -> None:
        try:
            model = await self._stack.enter_async_context(open_model(self._settings.endpoint | {"base_url": url}))
        except EarmarkError:  # it does not answer yet, or is no server
            return
        if self._is_same(model):
            self._known[url] = Endpoint(model, url)
        else:
            self._other.add(url)

    def _use(self, urls: Sequence[str]) -> None:
        self._balancer.endpoints = [self._known[url] for url in urls if url in self._known]

    def _is_same(self, model: Model) -> bool:
        named = bool(self._settings.name) or model.name == self._balancer.name
        return named and model.capabilities == self._balancer.capabilities


async def _open_endpoint(stack: AsyncExitStack, settings: Mapping[str, Any]) -> Model | BadSetup:
    try:
        return await stack.enter_async_context(open_model(settings))
    except BadSetup as error:
        return error


def check_same_model(models: Sequence[Model], is_named: bool) -> None:
    """Raise BadSetup unless all are the same model with the same capabilities."""
    first = models[0]
    other = next((model for model in models if not is_named and model.name != first.name), None)
    if other:
        raise BadSetup(
            f"the endpoints of model=spread serve different models, {first.name} and {other.name}; give "
            "model.endpoint.name=NAME, or model.name=NAME if they are one"
        )
    if any(model.capabilities != first.capabilities for model in models):
        raise BadSetup("the endpoints of model=spread differ in their `capabilities`; give all of them the same")


def _title(model: Model) -> str:
    given = model.settings if isinstance(model, HasSettings) else None
    return given.base_url if isinstance(given, HasAddress) else model.name


def examples() -> tuple[ModelExample, ...]:
    return (
        ModelExample(
            settings={"endpoints": [{"backend": "fake", "reply": "A"}, {"backend": "fake", "reply": "A"}]}, text="A"
        ),
    )
