"""Labels of scorers that share a name on one task."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from earmark.report.aggregates import HasMetrics, scorer_signature

_VERSION: Final = re.compile(r"\.\d+$")  # of a parser or a normalizer


def distinct_labels(scorers: Sequence[HasMetrics]) -> list[str]:
    """Label the scorers of a task: those that share a name with the parts of their signatures that differ.

    >>> from earmark.scorers.choice import ChoiceScorer, Settings
    >>> mmau = ChoiceScorer(Settings("mmau"))
    >>> distinct_labels([mmau, ChoiceScorer()])
    ['choice mmau', 'choice earmark']
    """
    names = [scorer.name for scorer in scorers]
    signatures = [_label_parts(scorer) if names.count(scorer.name) > 1 else [] for scorer in scorers]
    named = list(zip(names, signatures, strict=True))
    differing = [
        [part for part in parts if any(part not in others for other, others in named if other == name)]
        for name, parts in named
    ]
    unique = [tuple(":".join(filter(None, part)) for part in parts) for parts in differing]
    short = [tuple(_VERSION.sub("", value or key) for key, value in parts) for parts in differing]
    with_short_label: dict[tuple[str, tuple[str, ...]], set[tuple[str, ...]]] = {}
    for name, values, parts in zip(names, short, unique, strict=True):
        with_short_label.setdefault((name, values), set()).add(parts)
    return [
        " ".join([name, *(values if len(with_short_label[name, values]) == 1 else parts)])
        for name, values, parts in zip(names, short, unique, strict=True)
    ]


def _label_parts(scorer: HasMetrics) -> list[tuple[str, str]]:
    signature = scorer_signature(scorer)
    return [(signature.name, ""), *signature.settings, ("v", signature.version)]
