"""`earmark compare RUN FOLDER`, where the folder holds somebody's reference trajectories and is no run of ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from earmark.journal import Record, ScoreLine
    from earmark.report.reference import ChosenAnswer
from earmark.journal import JOURNAL_FILE, SCORES_FILE


def is_reference(folder: Path) -> bool:
    """True if a folder holds reference trajectories."""
    from earmark.importers.acousticbench import matches
    from earmark.journal import SIGNATURE_FILE

    return folder.exists() and not (folder / SIGNATURE_FILE).exists() and matches(folder)


def show_reference(run: Path, folder: Path, *, as_json: bool) -> None:
    """Print how far a run agrees with a reference, and where it does not."""
    import msgspec

    from earmark.cli._tables import show_table
    from earmark.errors import BadData
    from earmark.importers.acousticbench import load_references
    from earmark.report.reference import compare_choices
    from earmark.runs.signature import load_signature

    of = load_signature(run)
    theirs = load_references(folder, of.model["name"])
    agreement = compare_choices(
        _chosen_answers(run), {reference_run(place.task, place.seed): chosen for place, chosen in theirs.items()}
    )
    if not agreement.total:
        raise BadData(f"{run} and {folder} have no question in common; compare runs of the same task, split and seed")
    if as_json:
        click.echo(msgspec.json.encode(agreement))
        return
    model = next(iter(theirs)).model
    click.echo(f"{agreement.headline}, {of.model['name']} and {model} in {folder}")
    if agreement.disagreements:
        lines = [
            (disagreement.run, disagreement.id, disagreement.baseline or "null", disagreement.candidate or "null")
            for disagreement in agreement.disagreements
        ]
        show_table("disagreements", ("run", "question", "reference", "ours"), lines, words=2)
    for count, label in (
        (agreement.only_candidate, "asked here and not in the reference"),
        (agreement.only_baseline, "in the reference and not asked here"),
    ):
        if count:
            click.echo(f"{count} questions are {label}")


def _chosen_answers(run: Path) -> Iterator[ChosenAnswer]:
    """Read the answers a run chose, finished or not."""
    from earmark.importers.acousticbench import DIAGNOSTIC, seed_of
    from earmark.report.reference import ChosenAnswer

    for record, line in _scored_records(run):
        yield ChosenAnswer(
            reference_run(record.item.task.removesuffix(DIAGNOSTIC), seed_of(record)), record.item.id, line.answer
        )


def reference_run(task: str, seed: int) -> str:
    """Which run of a reference a question belongs to."""
    from earmark.importers.acousticbench import run_name

    return f"{task}/{run_name(seed)}"


def _scored_records(run: Path) -> list[tuple[Record, ScoreLine]]:
    """The records of a run with their scores as written, or, where answers came since, made again."""
    import asyncio

    from earmark.journal import latest_mask
    from earmark.runs.rescore import reopen
    from earmark.runs.scoring import read_scored_records, read_scores, score_journal

    journal, scores = run / JOURNAL_FILE, run / SCORES_FILE
    if scores.exists() and sum(1 for _ in read_scores(scores)) == int(latest_mask(journal).sum()):
        return list(read_scored_records(journal, scores))
    pairs: list[tuple[Record, ScoreLine]] = []
    asyncio.run(score_journal(journal, reopen(run)[0].scorers, (), lambda *pair: pairs.append(pair)))
    return pairs
