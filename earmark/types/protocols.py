"""Protocols of models, scorers and conditions. Abilities that only some have are protocols of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeAlias, runtime_checkable

from msgspec import Struct

from earmark.types.media import Hertz, Seconds
from earmark.types.prompts import Item, Prompt, Role
from earmark.types.responses import Failure, Response
from earmark.types.scores import Metric, Score, Signature


class Capabilities(Struct, frozen=True, forbid_unknown_fields=True):
    """Inputs that a model takes. Empty or None: anything."""

    formats: tuple[str, ...] = ("wav", "mp3")  # "samples": float32 in memory, no bytes
    rates: tuple[Hertz, ...] = ()
    channels: int | None = None  # at most this many
    seconds: Seconds | None = None  # at most this long a clip
    clips: int | None = None  # at most this many in a prompt
    join: Seconds | None = None  # where a prompt has more, those of a turn are joined, with so much silence between
    images: bool = False
    base64: bool = False  # sound is sent as text
    roles: tuple[Role, ...] = ("system", "user", "assistant")


class Model(Protocol):
    """Whatever answers a prompt. A wrapper holds a model and is one."""

    @property
    def name(self) -> str: ...
    @property
    def capabilities(self) -> Capabilities: ...
    async def generate(self, prompt: Prompt) -> Response:
        """Answer, or raise one of the `AskError`s of `errors.py`."""
        ...


OpenModel: TypeAlias = "Callable[[Mapping[str, Any]], AbstractAsyncContextManager[Model]]"  # from its settings


class Wrapper:
    """A model that holds another and is one: it has that one's name and ears. What it adds is its `generate`."""

    def __init__(self, model: Model) -> None:
        self.model = model

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def capabilities(self) -> Capabilities:
        return self.model.capabilities


@runtime_checkable
class LooksUpAnswers(Protocol):
    """A model that answers from a record of the question, such as a replayed run."""

    def lookup(self, record: Any) -> Response | Failure:
        """Return the recorded outcome of a question (a journal.Record)."""
        ...


class Scorer(Protocol):
    """One way of scoring. It signs by its `settings`, or has a `signature`: see `HasSettings` and `Signs`."""

    @property
    def name(self) -> str: ...
    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Its numbers by name, the headline first."""
        ...

    async def score(self, item: Item, response: Response) -> Score: ...

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        """The counts of the worst and of the best answer this item could have had, for items that failed."""
        ...


@runtime_checkable
class HasSettings(Protocol):
    """Something that was made from settings. Those of a scorer sign its numbers unless it has a signature."""

    @property
    def settings(self) -> Any: ...


@runtime_checkable
class Signs(Protocol):
    """A scorer, or averages over one, that says itself what signs its numbers."""

    @property
    def signature(self) -> Signature: ...


@runtime_checkable
class Opens(Protocol):
    """A scorer that asks something, such as a judge, and so has to be opened before it scores."""

    def open(self) -> AbstractAsyncContextManager[Scorer]:
        """Return the scorer, open: a judge opens its model with the `open_model` of its context."""
        ...


@runtime_checkable
class CountsCalls(Protocol):
    """A scorer that asks a judge, and can tell how often."""

    @property
    def calls_per_answer(self) -> int: ...


@runtime_checkable
class HasVerdicts(Protocol):
    """A scorer of verdicts that another harness gave."""

    @property
    def verdict_name(self) -> str: ...


@runtime_checkable
class NeedsSetup(Protocol):
    """A scorer that needs more than this package."""

    def check(self) -> None:
        """Raise BadSetup where a package or a file that it needs is not there."""
        ...


class Condition(Protocol):
    """One way of hearing: what is done to the sound of a prompt before it is asked."""

    @property
    def removes_audio(self) -> bool:
        """True for a control: what is asked about cannot be heard."""
        ...

    @property
    def keeps_words(self) -> bool:
        """True for a control that leaves the words that are said."""
        ...

    def apply(self, prompt: Prompt, item: Item) -> Prompt: ...


@runtime_checkable
class LeavesAudioUnread(Protocol):
    """A condition that replaces sound without reading it: clips come to it as references."""

    @property
    def leaves_audio_unread(self) -> bool: ...


class NamedCondition(Struct, frozen=True):
    """A condition and the name under which its answers are kept."""

    name: str  # with its argument, such as noise:10
    condition: Condition

    def apply(self, prompt: Prompt, item: Item) -> Prompt:
        return self.condition.apply(prompt, item)

    @property
    def leaves_audio_unread(self) -> bool:
        return isinstance(self.condition, LeavesAudioUnread) and self.condition.leaves_audio_unread
