"""Benchmarks, and what every plug-in is loaded with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from msgspec import Struct

from earmark.types.prompts import Item, Prompt
from earmark.types.protocols import Model, OpenModel, Scorer
from earmark.types.responses import Response

if TYPE_CHECKING:
    from pathlib import Path


class Table(Struct, frozen=True):
    """A table to be written as CSV: where in the run's folder, and its rows."""

    path: str
    head: tuple[str, ...]
    rows: Iterable[tuple[Any, ...]]


class Average(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A further row: the mean over tasks, or over other averages that stand before it."""

    over: tuple[str, ...]
    weigh: Literal["tasks", "items"] = "tasks"  # which count alike; items: pooled
    scale: dict[str, float] = {}  # factors of single parts, such as 20 for points from 1 to 5
    decimals: int | None = None  # to which each part is rounded before the mean, as some leaderboards do


class TaskFacts(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Facts about one task."""

    license: str = ""  # of its questions
    sound_license: str = ""
    source: str = ""
    revision: str = ""
    rows: int | None = None  # expected
    needs_ears: Literal["yes", "no", "partly"] = "yes"  # no: a transcript carries the answers
    reason: str = ""  # for that
    language: str = ""
    metric: str = ""  # official name of the number
    faults: tuple[str, ...] = ()  # known ones


class WritesRecords(Protocol):
    """Files of a benchmark's own that are written while a run goes on."""

    def load(self, run: Path) -> None:
        """Enter what a run has answered before."""
        ...

    def add(self, record: Any) -> None:
        """Enter a record (a journal.Record), which is on disk."""
        ...

    def close(self) -> None: ...


class Benchmark(Struct, frozen=True, kw_only=True):
    """A set of questions, how they are asked and how they are scored."""

    name: str = ""  # set when it is loaded: the name under which it was asked for
    version: int  # raised whenever items, prompts or preparation change
    tasks: tuple[str, ...]
    items: Callable[[], Iterable[Item]]
    prompt: Callable[[Item], Prompt]
    scorers: Callable[[str], tuple[Scorer, ...]]  # by task
    fetch: Callable[[Callable[[str], None]], None] | None = None  # brings data that is not there yet, saying so
    settings: Mapping[str, Any] = {}  # they sign the run; empty: those that it was loaded with
    files: Callable[[], tuple[str, ...]] = tuple  # the data behind it, checked; its digests sign the run
    data_root: str = ""  # the folder below which the paths of `files` name them; empty: their last parts do
    source: str = ""  # where the data is published, with its revision
    revisions: Callable[[], Mapping[str, str]] = dict  # by repository, the commit that is read, where it is known
    license: str = ""
    averages: Mapping[str, Average] = {}  # further rows: means over tasks or over averages that stand before
    task_facts: Mapping[str, TaskFacts] = {}
    slices: tuple[str, ...] = ()  # tags to break every row down by
    mean_over: str = ""  # what a group is ("user"): a further row is the mean over groups, each group counting alike
    sort_key: Callable[[Item], Any] | None = None  # the order of one group's items, for a server's cache
    retry_if: Callable[[Response], bool] | None = None  # whether the protocol asks once more after such a reply
    max_attempts: int | None = None  # requests for one answer by the protocol; the run's own setting goes first
    open_files: Callable[[], WritesRecords] | None = None  # files that are written while a run goes on
    extra_tables: Callable[[str, Callable[[], Iterable[tuple[Any, Any]]]], Iterable[Table]] | None = None
    # ^ the benchmark's own files, from the model's name and its scored records (journal.Record, journal.ScoreLine)
    warnings: tuple[str, ...] = ()  # what a reader of the table must know
    properties: Mapping[str, str] = {}  # by task, what is asked about: a condition that destroys it is refused
    needs_ears: bool = True  # False: a transcript carries the answer, which the report tells where one is a control
    seed: int = 0


class Unsigned:
    """Mark of a setting that changes no answer and no number."""


UNSIGNED: Final = Unsigned()  # Annotated[int, UNSIGNED]


def _open_no_model(settings: Mapping[str, Any]) -> AbstractAsyncContextManager[Model]:
    raise NotImplementedError(f"no model can be opened here, found {settings.get('backend')}: see engine/load.py")


class Context(Struct, frozen=True):
    """What a plug-in is loaded with, beside its settings."""

    name: str = ""  # under which it was asked for
    tasks: tuple[str, ...] = ()  # of a benchmark; empty: all
    seed: int = 0  # of a condition
    benchmark: Benchmark | None = None  # of a condition: whose items are asked
    open_model: OpenModel = _open_no_model  # opens another model from its settings: a judge, a part of a cascade
