"""Notices under the numbers of a run: controls that keep words, repeated prompts, missing scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from earmark.types import Benchmark, Condition, TaskFacts

if TYPE_CHECKING:
    from earmark.runs.scoring import ScoredJournal


def score_notices(scored: ScoredJournal) -> Iterator[str]:
    """Notices of answers that repeat their prompt, and of answers that a bug left unscored."""
    if scored.counts.echoes:
        yield (
            f"{scored.counts.echoes:,} of {scored.usage.answers:,} answers repeat the text of their prompt: the server "
            "may echo what it is sent, or the model lack a chat template; each is scored as it stands"
        )
    if scored.broken:
        yield (
            f"{scored.broken:,} scores are missing, for a bug of a scorer (tracebacks.txt); "
            "once it is mended: earmark rescore RUN"
        )
    if scored.not_asked:
        yield f"{scored.not_asked:,} scores are missing: the judge was not asked; to ask it: earmark rescore RUN --ask"


def transcript_control_notes(benchmark: Benchmark, controls: Mapping[str, Condition]) -> list[str]:
    """Warnings on controls that keep words, if a transcript carries the answer."""
    worded = [name for name, condition in controls.items() if condition.keeps_words]
    textual = [task for task in benchmark.tasks if benchmark.task_facts.get(task, TaskFacts()).needs_ears == "no"]
    if not worded or (benchmark.needs_ears and not textual):
        return []
    what = f"{benchmark.name}:{','.join(textual)}" if benchmark.needs_ears else benchmark.name
    return [
        (
            f"{', '.join(worded)}: words carry the answers of {what}, so no gain over them means that hearing "
            "adds nothing to the words; whether anything is heard, silence tells"
        )
    ]
