"""A judge held against people: how often both say the same, and how far that is beyond chance."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from msgspec import Struct

from earmark.scorers._judge_asking import Judge, Verdict
from earmark.scorers._judge_sets import Case, Labelled
from earmark.stats.agreement import counted, metrics
from earmark.stats.bags import Bags
from earmark.stats.estimate import Estimate, estimates


class Checked(Struct, frozen=True):
    """What checking a judge by one set told."""

    set: str
    prompt: str
    cases: int  # that were asked about
    judge_failed: int  # of these, without a verdict: in no number
    without_sound: int  # cases that could not be asked about
    metrics: dict[str, Estimate]
    table: dict[str, dict[str, int]]  # by what people said, what the judge said
    failures: dict[str, int]  # why there was no verdict
    examples: dict[str, str]  # by why, what was said the first time


async def check(judge: Judge, sets: Sequence[Labelled], tell: Callable[[Verdict], object]) -> list[Checked]:
    """Ask a judge about every case of every set; each verdict is told as it comes."""

    async def ask(labelled: Labelled, case: Case) -> Verdict:
        verdict = await judge.decide(labelled.ask, case.fields, sound=(case.sound,) if case.sound else ())
        tell(verdict)
        return verdict

    found = []
    for labelled in sets:
        verdicts = await asyncio.gather(*(ask(labelled, case) for case in labelled.cases))
        found.append(_counted(labelled, verdicts))
    return found


def _counted(labelled: Labelled, verdicts: Sequence[Verdict]) -> Checked:
    categories = labelled.categories
    bags, failures, examples = Bags(), dict[str, int](), dict[str, str]()
    table = {people: dict.fromkeys(categories, 0) for people in categories}
    for case, verdict in zip(labelled.cases, verdicts, strict=True):
        if verdict.value is None:
            failures[verdict.rule] = failures.get(verdict.rule, 0) + 1
            examples.setdefault(verdict.rule, verdict.said)
            continue
        said = verdict.value if isinstance(verdict.value, str) else f"{round(verdict.value)}"
        table[case.label][said] += 1
        bags.add(counted(case.label, said), case.group, item=case.id)
    return Checked(
        labelled.name,
        str(labelled.ask),
        len(labelled.cases),
        sum(failures.values()),
        labelled.without_sound,
        estimates(metrics(categories, labelled.weights), bags.columns, bags.groups, bags.items),
        table,
        failures,
        examples,
    )
