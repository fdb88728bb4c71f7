"""Notices under the numbers of a run: answers that repeat their prompt, and scores that are missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from earmark.runs.scoring import ScoredJournal


def score_notices(scored: ScoredJournal) -> Iterator[str]:
    """Notices of answers that repeat their prompt, and of answers that a bug left unscored."""
    if scored.counts.echoes:
        yield (
            f"{scored.counts.echoes:,} of {scored.usage.answers:,} answers repeat the text of their prompt: the server may echo "
            "what it is sent, or the model lack a chat template; each is scored as it stands"
        )
    if scored.broken:
        yield (
            f"{scored.broken:,} scores are missing, for a bug of a scorer (tracebacks.txt); "
            "once it is mended: earmark rescore RUN"
        )
    if scored.not_asked:
        yield f"{scored.not_asked:,} scores are missing: the judge was not asked; to ask it: earmark rescore RUN --ask"
