"""Targets of questions with choices: a label, or anything else that names one choice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

MARKED: Final = re.compile(r"[(\[]?\s*(?P<label>[^\s()\[\].:,;]+)\s*(?P<end>[)\].:,;]*)(?:\s+(?P<text>.*))?", re.DOTALL)


def resolve_target(target: str, choices: Sequence[str], labels: Sequence[str]) -> tuple[str, ...]:
    """Return the labels that a target makes right; none if it names no choice, or is ambiguous.

    In this order: a label as it stands, the text of a choice, a label in another form, a label with its text. Outer
    spaces do not matter, nor does case if that leaves one choice. A text that two choices share makes both right.

    >>> choices, labels = ("snare", "kick", "hi-hat"), ("A", "B", "C")
    >>> [resolve_target(target, choices, labels) for target in ("B", "kick ", "KICK", "(B)", "b.", "B) Kick")]
    [('B',), ('B',), ('B',), ('B',), ('B',), ('B',)]
    >>> resolve_target("yes", ("yes", "yes", "no"), labels), resolve_target("cymbal", choices, labels)
    (('A', 'B'), ())
    >>> resolve_target("B. snare", choices, labels), resolve_target("Us", ("US", "us"), ("A", "B"))
    ((), ())
    """
    if target in labels:
        return (target,)
    if matches := _by_text(target, choices, labels):
        return matches
    if matches := _alike(target, labels, labels):
        return matches
    marked = MARKED.fullmatch(target.strip())
    if not marked:
        return ()
    named, text = _alike(marked["label"], labels, labels), marked["text"]
    if text is None:
        return named
    return tuple(label for label in named if marked["end"] and label in _by_text(text, choices, labels))


def _by_text(target: str, choices: Sequence[str], labels: Sequence[str]) -> tuple[str, ...]:
    exact = tuple(label for label, choice in zip(labels, choices, strict=False) if choice == target)
    return exact or _alike(target, choices, labels)


def _alike(target: str, texts: Sequence[str], labels: Sequence[str]) -> tuple[str, ...]:
    """Return the labels of the texts that equal a target but for outer spaces, and for case if only one text does."""
    wanted = target.strip()
    stripped = [(label, text.strip()) for label, text in zip(labels, texts, strict=False)]
    if equal := tuple(label for label, text in stripped if text == wanted):
        return equal
    folded = [(label, text) for label, text in stripped if text.casefold() == wanted.casefold()]
    return tuple(label for label, _ in folded) if len({text for _, text in folded}) == 1 else ()
