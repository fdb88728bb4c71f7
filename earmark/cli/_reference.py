"""Comparison of a run with a folder of reference trajectories, for `earmark compare RUN FOLDER`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from earmark.journal import JOURNAL_FILE, SCORES_FILE
from earmark.terminal.console import print_json, print_line

if TYPE_CHECKING:
    from earmark.journal import Record, ScoreLine
    from earmark.report.reference import ChosenAnswer


def is_reference(folder: Path) -> bool:
    """True if a folder holds reference trajectories."""
    from earmark.importers.acousticbench import matches
    from earmark.journal import SIGNATURE_FILE

    return folder.exists() and not (folder / SIGNATURE_FILE).exists() and matches(folder)


def show_reference(run: Path, folder: Path, *, as_json: bool) -> None:
    """Print the agreement of a run with a reference, and the questions on which they disagree."""
    from earmark.cli._tables import show_table
    from earmark.errors import BadData
    from earmark.importers.acousticbench import load_references
    from earmark.report.reference import compare_choices
    from earmark.runs.signature import load_signature

    signature = load_signature(run)
    references = load_references(folder, signature.model["name"])
    agreement = compare_choices(
        _iter_answers(run), {reference_run(key.task, key.seed): answers for key, answers in references.items()}
    )
    if not agreement.total:
        raise BadData(f"{run} and {folder} have no question in common; compare runs of the same task, split and seed")
    if as_json:
        print_json(agreement)
        return
    model = next(iter(references)).model
    print_line(f"{agreement.headline}, {signature.model['name']} and {model} in {folder}")
    if agreement.disagreements:
        lines = [
            (disagreement.run, disagreement.id, disagreement.baseline or "null", disagreement.candidate or "null")
            for disagreement in agreement.disagreements
        ]
        show_table("disagreements", ("run", "question", "reference", "this run"), lines, words=2)
    for count, label in (
        (agreement.only_candidate, "only in this run"),
        (agreement.only_baseline, "only in the reference"),
    ):
        if count:
            print_line(f"{count} questions are {label}")


def _iter_answers(run: Path) -> Iterator[ChosenAnswer]:
    """Yield the chosen answers of a run, finished or not."""
    from earmark.importers.acousticbench import DIAGNOSTIC, seed_of
    from earmark.report.reference import ChosenAnswer

    for record, line in _load_scored_records(run):
        yield ChosenAnswer(
            reference_run(record.item.task.removesuffix(DIAGNOSTIC), seed_of(record)), record.item.id, line.answer
        )


def reference_run(task: str, seed: int) -> str:
    """Name of the reference run that a question belongs to."""
    from earmark.importers.acousticbench import run_name

    return f"{task}/{run_name(seed)}"


def _load_scored_records(run: Path) -> list[tuple[Record, ScoreLine]]:
    """Return the records of a run with their scores, rescored where answers were added since."""
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
