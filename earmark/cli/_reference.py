"""`earmark compare RUN FOLDER`, where the folder holds somebody's reference trajectories and is no run of ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from earmark.journal import Record, ScoreLine
    from earmark.report.reference import Choice


def is_reference(folder: Path) -> bool:
    """Whether a folder holds reference trajectories."""
    from earmark.folder import SIGNED
    from earmark.foreign.acousticbench import recognises

    return folder.exists() and not (folder / SIGNED).exists() and recognises(folder)


def show(run: Path, folder: Path, *, as_json: bool) -> None:
    """Print how far a run agrees with a reference, and where it does not."""
    import msgspec

    from earmark.cli._words import show_table
    from earmark.errors import BadData
    from earmark.folder import signed
    from earmark.foreign.acousticbench import references
    from earmark.report.reference import agreement

    of = signed(run)
    theirs = references(folder, of.model["name"])
    found = agreement(_choices(run), {name_of(place.task, place.seed): chosen for place, chosen in theirs.items()})
    if not found.total:
        raise BadData(f"{run} and {folder} have no question in common; compare runs of the same task, split and seed")
    if as_json:
        click.echo(msgspec.json.encode(found))
        return
    model = next(iter(theirs)).model
    click.echo(f"{found.headline}, {of.model['name']} and {model} in {folder}")
    if found.disagreements:
        lines = [(one.run, one.id, one.theirs or "null", one.ours or "null") for one in found.disagreements]
        show_table("disagreements", ("run", "question", "reference", "ours"), lines, words=2)
    for count, said in (
        (found.only_ours, "asked here and not in the reference"),
        (found.only_theirs, "in the reference and not asked here"),
    ):
        if count:
            click.echo(f"{count} questions are {said}")


def _choices(run: Path) -> Iterator[Choice]:
    """What a run chose in each question, finished or not."""
    from earmark.foreign.acousticbench import DIAGNOSTIC, seed_of
    from earmark.report.reference import Choice

    for record, line in _scored(run):
        yield Choice(name_of(record.item.task.removesuffix(DIAGNOSTIC), seed_of(record)), record.item.id, line.answer)


def name_of(task: str, seed: int) -> str:
    """Which run of a reference a question belongs to."""
    from earmark.foreign.acousticbench import run_name

    return f"{task}/{run_name(seed)}"


def _scored(run: Path) -> list[tuple[Record, ScoreLine]]:
    """The records of a run with their scores as written, or, where answers came since, made again."""
    import asyncio

    from earmark import folder
    from earmark.again import reopened
    from earmark.journal import standing
    from earmark.scoring import read_scores, score_all, scored_records

    journal, scores = run / folder.JOURNAL, run / folder.SCORES
    if scores.exists() and sum(1 for _ in read_scores(scores)) == int(standing(journal).sum()):
        return list(scored_records(journal, scores))
    pairs: list[tuple[Record, ScoreLine]] = []
    asyncio.run(score_all(journal, reopened(run)[0].scorers, (), lambda *pair: pairs.append(pair)))
    return pairs
