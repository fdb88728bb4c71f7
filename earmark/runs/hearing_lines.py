"""Lines of Personalized-Hearing's result files: <user>.jsonl, as the authors' script writes them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from earmark.journal import Record


def result_line(record: Record, answer: str | None) -> dict[str, Any]:
    """The line of one record, its keys in the script's order; `answer` is the letter that was read from the reply."""
    item, failure = record.item, record.failure
    picked = [answer] if answer is not None and not failure else []
    fields: dict[str, Any] = {
        "user_id": item.group,
        "candidate_id": item.id.removeprefix(f"{item.group}/"),
        "type": item.tags["type"],
        "options": [f"({label}) {choice}" for label, choice in zip(item.labels, item.choices, strict=True)],
        "gold": item.targets[0],
        "picked": picked,
    }
    if failure:
        fields |= {"outcome": "error", "error": f"{failure.state}: {failure.message}"[:500]}
    else:
        outcome = "parse_failure" if not picked else "correct" if picked == [item.targets[0]] else "wrong"
        fields |= {"outcome": outcome, "reply": record.response.text.strip() if record.response else ""}
    return fields | {"latency_s": round(record.response.seconds if record.response else 0.0, 1)}


def result_path(record: Record, place: Path) -> Path:
    """The file that a line belongs to; conditions and repeats, which the script does not know, have folders."""
    parts = [re.sub(r"[^\w.+-]+", "-", record.condition)] * (record.condition != "plain")
    parts += [f"repeat_{record.repeat + 1}"] * (record.repeat > 0)
    return place.joinpath(*parts, f"{record.item.group}.jsonl")
