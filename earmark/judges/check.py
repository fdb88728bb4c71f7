"""A judge held against people: how often both say the same, and how far that is beyond chance."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from msgspec import Struct

from earmark.judges.asking import Judge, JudgeVerdict
from earmark.judges.sets import Case, LabelledSet
from earmark.stats.agreement import agreement_counts, agreement_metrics
from earmark.stats.count_table import CountTable
from earmark.stats.estimate import Estimate, estimates


class JudgeAgreement(Struct, frozen=True):
    """Agreement of a judge with people on one set."""

    set: str
    prompt: str
    cases: int  # that were asked about
    judge_failed: int  # of these, without a verdict: in no number
    without_sound: int  # cases that could not be asked about
    metrics: dict[str, Estimate]
    table: dict[str, dict[str, int]]  # by what people said, what the judge said
    failures: dict[str, int]  # why there was no verdict
    examples: dict[str, str]  # by why, what was said the first time


async def check_judge(
    judge: Judge, sets: Sequence[LabelledSet], tell: Callable[[JudgeVerdict], object]
) -> list[JudgeAgreement]:
    """Ask a judge about every case of every set; each verdict is told as it comes."""

    async def ask(labelled: LabelledSet, case: Case) -> JudgeVerdict:
        verdict = await judge.decide(labelled.ask, case.fields, sound=(case.sound,) if case.sound else ())
        tell(verdict)
        return verdict

    agreements = []
    for labelled in sets:
        verdicts = await asyncio.gather(*(ask(labelled, case) for case in labelled.cases))
        agreements.append(_agreement(labelled, verdicts))
    return agreements


def _agreement(labelled: LabelledSet, verdicts: Sequence[JudgeVerdict]) -> JudgeAgreement:
    categories = labelled.categories
    count_table, failures, examples = CountTable(), dict[str, int](), dict[str, str]()
    table = {people: dict.fromkeys(categories, 0) for people in categories}
    for case, verdict in zip(labelled.cases, verdicts, strict=True):
        if verdict.value is None:
            failures[verdict.rule] = failures.get(verdict.rule, 0) + 1
            examples.setdefault(verdict.rule, verdict.reply)
            continue
        label = verdict.value if isinstance(verdict.value, str) else f"{round(verdict.value)}"
        table[case.label][label] += 1
        count_table.add(agreement_counts(case.label, label), case.group, item=case.id)
    return JudgeAgreement(
        labelled.name,
        str(labelled.ask),
        len(labelled.cases),
        sum(failures.values()),
        labelled.without_sound,
        estimates(
            agreement_metrics(categories, labelled.weights), count_table.columns, count_table.groups, count_table.items
        ),
        table,
        failures,
        examples,
    )
