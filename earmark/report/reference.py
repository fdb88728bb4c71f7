"""Agreement of a run with reference answers, question by question.

A null matches a null. Questions are joined by id; those of only one side are counted apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct


class ChosenAnswer(Struct, frozen=True):
    """Answer chosen in one question."""

    run: str  # run of the reference, such as rad/run_1
    id: str
    answer: str | None


class Disagreement(Struct, frozen=True):
    """A question with different answers."""

    run: str
    id: str
    candidate: str | None
    baseline: str | None


class Agreement(Struct, frozen=True):
    """Agreement between a run and a reference."""

    matched: int
    total: int  # questions of both
    disagreements: list[Disagreement]
    only_candidate: int  # questions missing in the reference
    only_baseline: int  # questions of the compared runs missing in the candidate

    @property
    def headline(self) -> str:
        """
        >>> Agreement(10, 10, [], 0, 0).headline
        'Reference comparison: 10/10 (100.0%) match'
        """
        share = 100 * self.matched / self.total if self.total else 0.0
        return f"Reference comparison: {self.matched}/{self.total} ({share:.1f}%) match"


def compare_choices(candidate: Iterable[ChosenAnswer], baseline: Mapping[str, Mapping[str, str | None]]) -> Agreement:
    """Compare chosen answers with those of a reference, by run and id."""
    total = only_candidate = 0
    differing = []
    seen: dict[str, int] = {}
    for choice in candidate:
        reference = baseline.get(choice.run, {})
        if choice.id not in reference:
            only_candidate += 1
            continue
        total += 1
        seen[choice.run] = seen.get(choice.run, 0) + 1
        if choice.answer != reference[choice.id]:
            differing.append(Disagreement(choice.run, choice.id, choice.answer, reference[choice.id]))
    only_baseline = sum(len(baseline[run]) - count for run, count in seen.items())
    return Agreement(total - len(differing), total, differing, only_candidate, only_baseline)
