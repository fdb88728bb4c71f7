"""A run beside somebody's reference: question by question, do both choose the same?

A null matches a null. Questions are joined by their ids, so a run that holds but some of them is compared on these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct


class Choice(Struct, frozen=True):
    """What one side chose in one question."""

    run: str  # which run of the reference, such as rad/run_1
    id: str
    answer: str | None


class Disagreement(Struct, frozen=True):
    """A question in which both sides choose differently."""

    run: str
    id: str
    ours: str | None
    theirs: str | None


class Agreement(Struct, frozen=True):
    """How far a run and a reference agree."""

    matched: int
    total: int  # questions that both have
    disagreements: list[Disagreement]
    only_ours: int  # questions that the reference lacks
    only_theirs: int  # those of the compared runs that we lack

    @property
    def headline(self) -> str:
        """
        >>> Agreement(10, 10, [], 0, 0).headline
        'Reference comparison: 10/10 (100.0%) match'
        """
        share = 100 * self.matched / self.total if self.total else 0.0
        return f"Reference comparison: {self.matched}/{self.total} ({share:.1f}%) match"


def agreement(ours: Iterable[Choice], theirs: Mapping[str, Mapping[str, str | None]]) -> Agreement:
    """Hold choices against those of a reference, by run and id."""
    total = only_ours = 0
    differing = []
    seen: dict[str, int] = {}
    for choice in ours:
        reference = theirs.get(choice.run, {})
        if choice.id not in reference:
            only_ours += 1
            continue
        total += 1
        seen[choice.run] = seen.get(choice.run, 0) + 1
        if choice.answer != reference[choice.id]:
            differing.append(Disagreement(choice.run, choice.id, choice.answer, reference[choice.id]))
    only_theirs = sum(len(theirs[run]) - count for run, count in seen.items())
    return Agreement(total - len(differing), total, differing, only_ours, only_theirs)
