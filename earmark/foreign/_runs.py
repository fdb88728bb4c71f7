"""What every reader of foreign results gives: a run to be."""

from __future__ import annotations

from msgspec import Struct

from earmark.journal import Record


class Imported(Struct, frozen=True):
    """The results of one model on one benchmark, as records of ours."""

    benchmark: str
    tasks: tuple[str, ...]
    model: str  # as the results name it, or the folder that they lie in
    records: list[Record]
    settings: dict[str, object] = {}  # of the benchmark, as far as the results tell
    conditions: tuple[str, ...] = ("plain",)
    repeats: int = 1
