"""A run beside somebody's reference: question by question, do both choose the same?

A null matches a null. Questions are joined by their ids, so a run that holds but some of them is compared on these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct


class ChosenAnswer(Struct, frozen=True):
    """Answer chosen in one question."""

    run: str  # which run of the reference, such as rad/run_1
    id: str
    answer: str | None


class Disagreement(Struct, frozen=True):
    """A question in which both sides choose differently."""

    run: str
    id: str
    candidate: str | None
    baseline: str | None


class Agreement(Struct, frozen=True):
    """Agreement between a run and a reference."""

    matched: int
    total: int  # questions that both have
    disagreements: list[Disagreement]
    only_candidate: int  # questions that the reference lacks
    only_baseline: int  # those of the compared runs that we lack

    @property
    def headline(self) -> str:
        """
        >>> Agreement(10, 10, [], 0, 0).headline
        'Reference comparison: 10/10 (100.0%) match'
        """
        share = 100 * self.matched / self.total if self.total else 0.0
        return f"Reference comparison: {self.matched}/{self.total} ({share:.1f}%) match"


def compare_choices(candidate: Iterable[ChosenAnswer], baseline: Mapping[str, Mapping[str, str | None]]) -> Agreement:
    """Hold choices against those of a reference, by run and id."""
    total = only_ours = 0
    differing = []
    seen: dict[str, int] = {}
    for choice in candidate:
        reference = baseline.get(choice.run, {})
        if choice.id not in reference:
            only_ours += 1
            continue
        total += 1
        seen[choice.run] = seen.get(choice.run, 0) + 1
        if choice.answer != reference[choice.id]:
            differing.append(Disagreement(choice.run, choice.id, choice.answer, reference[choice.id]))
    only_theirs = sum(len(baseline[run]) - count for run, count in seen.items())
    return Agreement(total - len(differing), total, differing, only_ours, only_theirs)
