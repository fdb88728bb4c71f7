"""The reasons for which questions of a run failed, the commonest first."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

from earmark.journal import JOURNAL_FILE, Record
from earmark.runs.scoring import latest_records

NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
MAX_CHARACTERS: Final = 300  # of a message that is shown


class FailureReason(NamedTuple):
    """Failures that say the same but for names and numbers."""

    questions: int
    example: str  # the first of them, in full


def failure_reasons(run: Path) -> list[FailureReason]:
    """Return the reasons of questions that failed although they could be asked, the commonest first."""
    counts: dict[str, int] = {}
    examples: dict[str, str] = {}
    for record in latest_records(run / JOURNAL_FILE):
        if record.failure and record.item.state == "ask":
            key = _plain(record)
            counts[key] = counts.get(key, 0) + 1
            examples.setdefault(key, record.failure.message)
    return sorted((FailureReason(counts[key], examples[key]) for key in counts), key=lambda reason: -reason.questions)


def _plain(record: Record) -> str:
    """The message of a failure without what is of one item: the names of its clips, and numbers."""
    text = record.failure.message if record.failure else ""
    for name in sorted({clip.name for clip in record.item.clips if clip.name} | {record.item.id}, key=len):
        text = text.replace(name, "*")
    return NUMBER.sub("#", text)


def reason_lines(run: Path, shown: int = 2) -> list[str]:
    """Lines about the commonest reasons, for people.

    The last line says what asks the questions again.
    """
    reasons = failure_reasons(run)
    if not reasons:
        return []
    total = sum(reason.questions for reason in reasons)
    lines = [f"failed {reason.questions} of {total}: {reason.example[:MAX_CHARACTERS]}" for reason in reasons[:shown]]
    others = sum(reason.questions for reason in reasons[shown:])
    more = [f"failed {others} of {total}: for {len(reasons) - shown} other reasons; earmark export {run} --to csv"]
    return [*lines, *(more if others else []), f"ask them again with: earmark retry {run}"]
