"""Replicas of a model in processes of their own, on one machine or several, by Ray.

    this process: items, audio, throttle, retries, budget and the one journal
      └─ a Ray actor for each replica: opens the model and answers prompts

A prompt goes to the replica with the fewest under way; nothing is queued anywhere else. What a replica held when it
died fails as `Transient`, so the run's own retries ask again; Ray starts the replica again, and none of its own retries
are used. A prompt that was under way when a replica died is asked again alone on another. If that one dies too, the
prompt fails by name, so that one bad clip does not take down every replica in turn.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

from earmark.config.settings import CommonSettings, ModelConfig
from earmark.engine.runner import with_seconds
from earmark.errors import BadSetup, EarmarkError, Rejected, Transient, UsageError
from earmark.types import Capabilities, Model, Prompt, Response, Seconds

CLOSE_TIMEOUT: Final[Seconds] = 1.5  # for models to close before their processes are ended
CONNECT_TIMEOUT: Final[Seconds] = 10.0  # for a cluster to take a connection
REOPEN_INTERVAL: Final[Seconds] = 0.5  # between two looks at a replica that Ray starts again
LOCAL_STORE: Final = 512 << 20  # bytes of shared memory for prompts under way, in a Ray of our own
DIED: Final = "a replica of the model died while it held this question"


class Replica:
    """Actor: one copy of a model, opened when it is first asked, also after a restart. Errors of ours are returned, as
    Ray wraps what is raised.
    """

    def __init__(self, settings: Mapping[str, Any], folder: str, path: list[str]) -> None:
        sys.path += [entry for entry in path if entry not in sys.path]
        if Path(folder).is_dir():
            os.chdir(folder)
        self._settings = settings
        self._stack, self._lock = AsyncExitStack(), asyncio.Lock()
        self._model: Model | None = None

    async def open(self) -> tuple[str, Capabilities] | EarmarkError:
        try:
            model = await self._open()
        except EarmarkError as error:
            return error
        return model.name, model.capabilities

    async def generate(self, prompt: Prompt) -> Response | EarmarkError:
        started = time.perf_counter()
        try:
            return with_seconds(await (await self._open()).generate(prompt), started)
        except EarmarkError as error:
            return error

    async def close(self) -> None:
        await self._stack.aclose()

    async def _open(self) -> Model:
        from earmark.engine.open import open_model  # noqa: PLC0415 - which opens replicas

        async with self._lock:
            if self._model is None:
                self._model = await self._stack.enter_async_context(open_model(self._settings))
            return self._model


class ReplicaState:
    """A replica as seen from this process."""

    def __init__(self, actor: Any) -> None:
        self.actor = actor
        self.under_way = 0
        self.is_open = False
        self.is_reserved = False  # for prompts that are asked alone
        self.error: EarmarkError | None = None  # of opening it, which is final


class ReplicatedModel:
    """Several replicas as one model."""

    is_hosted = False
    engine = ""

    def __init__(self, actors: list[Any], per_replica: int, warnings: tuple[str, ...] = ()) -> None:
        self.name, self.capabilities = "", Capabilities()
        self.warnings = warnings
        self.replicas = [ReplicaState(actor) for actor in actors]
        self._per_replica = per_replica
        self._waiting = deque[asyncio.Future[ReplicaState]]()
        self._waiting_alone = deque[asyncio.Future[ReplicaState]]()
        self._suspects: dict[int, Prompt] = {}  # by id: prompts that a replica held when it died
        self._first = asyncio.Event()  # one is open, or none will be
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Open all replicas and wait for the first. Raises what opening raised where none can be opened."""
        for replica in self.replicas:
            self._reopen(replica)
        await self._first.wait()
        self._check()

    async def generate(self, prompt: Prompt) -> Response:
        from ray.exceptions import RayError, RayTaskError  # noqa: PLC0415 - an extra

        alone = self._suspects.get(id(prompt)) is prompt
        replica = await self._take(alone=alone)
        try:
            answer = await replica.actor.generate.remote(prompt)
        except RayTaskError as error:
            raise error.cause from error  # a bug of the model
        except RayError as error:
            self._lose(replica)
            if not alone:
                self._suspects[id(prompt)] = prompt
                raise Transient(f"{DIED} ({type(error).__name__})") from error
            del self._suspects[id(prompt)]
            raise Rejected(f"{DIED}, and so did the second one that was asked; it is not asked again") from error
        finally:
            self._give_back(replica)
        if alone:
            del self._suspects[id(prompt)]
        if isinstance(answer, EarmarkError):
            raise answer
        response: Response = answer
        return response

    async def _take(self, *, alone: bool) -> ReplicaState:
        """Wait for a replica with room; one that has nothing else under way if the prompt is asked alone."""
        self._check()
        turn = asyncio.get_running_loop().create_future()
        (self._waiting_alone if alone else self._waiting).append(turn)
        self._assign()
        try:
            taken: ReplicaState = await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and not turn.exception():
                self._give_back(turn.result())
            raise
        return taken

    def _give_back(self, replica: ReplicaState) -> None:
        replica.under_way -= 1
        self._assign()

    def _assign(self) -> None:
        """Give replicas that have room to those that wait."""
        for waiting in (self._waiting, self._waiting_alone):
            while waiting and waiting[0].done():  # cancelled
                waiting.popleft()
        self._reserve()
        idle = [r for r in self.replicas if r.is_open and r.is_reserved and not r.under_way]
        for replica in idle[: len(self._waiting_alone)]:
            replica.under_way = 1
            self._waiting_alone.popleft().set_result(replica)
        while self._waiting and (best := self._least_loaded()) and best.under_way < self._per_replica:
            turn = self._waiting.popleft()
            if not turn.done():
                best.under_way += 1
                turn.set_result(best)

    def _least_loaded(self) -> ReplicaState | None:
        return min(
            (r for r in self.replicas if r.is_open and not r.is_reserved), key=lambda r: r.under_way, default=None
        )

    def _reserve(self) -> None:
        """Reserve replicas for prompts that are asked alone, half of those that are open at most; one at least."""
        n_open = sum(r.is_open for r in self.replicas)
        wanted = min(len(self._waiting_alone), max(1, n_open // 2))
        reserved = [r for r in self.replicas if r.is_open and r.is_reserved]
        for replica in reserved[wanted:]:
            replica.is_reserved = replica.under_way > 0  # until its prompt is answered
        for _ in range(wanted - len(reserved)):
            if best := self._least_loaded():
                best.is_reserved = True

    def _lose(self, replica: ReplicaState) -> None:
        if replica.is_open:
            replica.is_open = replica.is_reserved = False
            self._reopen(replica)

    def _reopen(self, replica: ReplicaState) -> None:
        task = asyncio.create_task(self._open_replica(replica))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _open_replica(self, replica: ReplicaState) -> None:
        """Open a replica as soon as Ray runs it: a cluster may lack room for it now."""
        from ray.exceptions import RayError, RayTaskError  # noqa: PLC0415 - an extra

        while not (replica.is_open or replica.error):
            try:
                opened = await replica.actor.open.remote()
            except RayTaskError as error:
                opened = BadSetup(f"a replica cannot be opened: {type(error.cause).__name__}: {error.cause}")
            except RayError:
                await asyncio.sleep(REOPEN_INTERVAL)
                continue
            if isinstance(opened, EarmarkError):
                replica.error = opened
            else:
                replica.is_open = True
                self.name, self.capabilities = opened
        if replica.is_open or all(r.error for r in self.replicas):
            self._first.set()
        self._assign()
        if all(r.error for r in self.replicas):
            self._fail_waiting()

    def _check(self) -> None:
        """Raise what opening the replicas raised where none is left."""
        errors = [r.error for r in self.replicas if r.error]
        if len(errors) == len(self.replicas):
            raise errors[0]

    def _fail_waiting(self) -> None:
        for turn in (*self._waiting, *self._waiting_alone):
            if not turn.done():
                turn.set_exception(next(r.error for r in self.replicas if r.error))

    def close(self) -> None:
        """Close the models, as far as they answer soon, and end their processes."""
        import ray  # noqa: PLC0415 - an extra

        for task in self._tasks:
            task.cancel()
        closing = [replica.actor.close.remote() for replica in self.replicas if replica.is_open]
        try:
            if closing:
                ray.wait(closing, num_returns=len(closing), timeout=CLOSE_TIMEOUT)
        finally:
            for replica in self.replicas:
                ray.kill(replica.actor, no_restart=True)


@asynccontextmanager
async def open_replicas(config: ModelConfig) -> AsyncIterator[ReplicatedModel]:
    """Open the replicas of a model. Raises BadSetup without Ray, its cluster, or a GPU for one of them."""
    common = config.common
    with _connect(common) as ray:
        warnings = check_room(ray.nodes(), common)
        options = {"num_cpus": 1, "num_gpus": common.gpus, "max_restarts": -1, "max_task_retries": 0}
        actor = ray.remote(Replica).options(
            **options, max_concurrency=common.concurrency + 2, scheduling_strategy="SPREAD"
        )
        settings = inner_settings(config)
        actors = [actor.remote(settings, str(Path.cwd()), sys.path) for _ in range(common.replicas)]
        model = ReplicatedModel(actors, common.concurrency, warnings)
        try:
            await model.open()
            yield model
        finally:
            model.close()


def inner_settings(config: ModelConfig) -> dict[str, Any]:
    """The settings that a replica opens: those of the backend. Rate limits, prices and the cache stay here."""
    left_out = {*CommonSettings.__struct_fields__} - {"backend"}
    return {name: value for name, value in config.composed.items() if name not in left_out}


def check_room(nodes: Sequence[Mapping[str, Any]], common: CommonSettings) -> tuple[str, ...]:
    """Warn if a cluster has no room for all replicas. Raises BadSetup if it has none for a single one."""
    resources = [node["Resources"] for node in nodes if node["Alive"]]
    room = sum(
        min(int(each.get("CPU", 0)), int(each.get("GPU", 0) / common.gpus) if common.gpus else common.replicas)
        for each in resources
    )
    if room >= common.replicas:
        return ()
    n_gpus = sum(each.get("GPU", 0) for each in resources)
    n_cpus = sum(each.get("CPU", 0) for each in resources)
    if not room:
        raise BadSetup(
            f"found {n_gpus:g} GPUs and {n_cpus:g} CPU cores in {len(resources)} nodes of Ray, and a replica takes one "
            f"core and model.gpus={common.gpus:g}; add a node, or give a smaller model.gpus="
        )
    return (f"Ray has room for {room} of {common.replicas} replicas now; the others begin when there is more",)


@contextmanager
def _connect(common: CommonSettings) -> Iterator[Any]:
    """Ray, connected to a cluster, or to one of our own on this machine that ends with us."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise BadSetup("model.replicas= needs Ray; type: pip install 'earmark[ray]'") from error
    if ray.is_initialized():
        yield ray
        return
    if common.cluster not in ("", "auto"):
        _check_address(common.cluster)
    own = {"num_cpus": common.replicas, "object_store_memory": LOCAL_STORE, "include_dashboard": False}
    quiet = {"log_to_driver": False, "configure_logging": False}
    logging.getLogger("ray").setLevel(logging.CRITICAL)
    try:
        ray.init(common.cluster or "local", **quiet, **({} if common.cluster else own))
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        message = " ".join(str(error).split())[:200]
        raise BadSetup(
            f"model.cluster={common.cluster}: Ray does not answer ({message}); start it with: ray start --head"
        ) from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _check_address(cluster: str) -> None:
    """Raise UsageError for an address that is none, BadSetup for one where nothing listens: Ray would wait long."""
    host, _, port = cluster.rpartition(":")
    if not host or not port.isdecimal() or "/" in host:
        raise UsageError(f"model.cluster={cluster}: expected auto, or HOST:PORT as `ray start --head` prints it")
    try:
        socket.create_connection((host, int(port)), CONNECT_TIMEOUT).close()
    except (OSError, OverflowError) as error:
        raise BadSetup(
            f"model.cluster={cluster}: nothing answers there ({error}); start a cluster with: ray start --head"
        ) from error
