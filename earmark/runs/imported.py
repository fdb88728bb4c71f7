"""Results of other harnesses, read by an importer: a run to be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

from msgspec import Struct

from earmark.data.prompt_words import WordsTurn
from earmark.journal import Record

ScorerSpec: TypeAlias = dict[str, Any]  # a scorer by name, with its settings

OPEN: Final = ".open"  # after the name of a task: its items whose choices could not be read, where others have some


class ValueRange(Struct):
    """Within what the values of one of their measures lie."""

    lowest: float
    highest: float


class TaskStats(Struct):
    """Statistics of a task's records, which decide how it can be scored."""

    task: str
    records: int = 0
    n_with_choices: int = 0  # items with choices, and the label of the right one
    targets: bool = True  # every item tells what is right
    measures: dict[str, ValueRange] = {}  # of theirs, in the order they came

    @property
    def labels(self) -> bool:
        """True if every item has choices."""
        return self.n_with_choices == self.records

    def add(self, record: Record) -> None:
        """Enter one record."""
        self.records += 1
        self.n_with_choices += bool(record.item.labels)
        self.targets = self.targets and bool(record.item.targets)
        for verdict in record.all_verdicts:
            if verdict.value is not None:
                value_range = self.measures.setdefault(verdict.measure, ValueRange(verdict.value, verdict.value))
                value_range.lowest = min(value_range.lowest, verdict.value)
                value_range.highest = max(value_range.highest, verdict.value)


class NoSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of an importer that has none."""


class FunctionImporter(Struct, frozen=True):
    """An importer made of two functions."""

    matches: Callable[[Path], bool]  # True if a file or a folder has its format
    read: Callable[[Path], Iterator[ImportedRun]]


class ExportingImporter(FunctionImporter, frozen=True):
    """One that also writes runs in its format."""

    write: Callable[[Any, Path], list[Path]]


class RecordWithPrompt(Record, frozen=True):
    """A record of a log that holds the whole prompt; the journal names its words by their digest."""

    turns: tuple[WordsTurn, ...] = ()

    def plain(self) -> Record:
        """The record without its prompt, as the journal holds it."""
        return Record(**{name: getattr(self, name) for name in Record.__struct_fields__})


def with_prompt(record: Record, turns: Iterable[WordsTurn]) -> Record:
    """Add the prompt that a log holds to a record; without any words there is nothing to add."""
    kept = tuple(turn for turn in turns if turn.parts)
    fields = {name: getattr(record, name) for name in Record.__struct_fields__}
    return RecordWithPrompt(**fields, turns=kept) if kept else record


class ImportedRun(Struct, frozen=True):
    """The results of one model on one benchmark, as records of ours."""

    benchmark: str
    tasks: tuple[str, ...]  # empty: those of the records, as they come
    model: str  # as the results name it, or the folder that they lie in; empty: nothing tells
    records: Iterable[Record]  # read once, one by one
    settings: dict[str, object] = {}  # of the benchmark, as far as the results tell
    scorers: Callable[[TaskStats], list[ScorerSpec]] | None = (
        None  # of a task; None: a packaged benchmark of that name scores
    )
    warnings: list[
        str
    ] = []  # what a reader of the table must know; a reader may add to them while the records are read
    slices: tuple[str, ...] = ()  # tags to break every row down by
    average: bool = False  # a further row is the mean over the tasks, as the source has it
    files: tuple[Path, ...] = ()  # what it was read from
