"""A choice read by rules, and by a judge where they cannot; what chooses nothing stays null.

    accuracy          = right / n         nulls are wrong
    accuracy_answered = right / answered
    null_rate         = null / n,  null = n - answered

Rules read first (`text/choice_parser.py`). A reply that they cannot read goes to the judge, if one is named, which
tells the label that it chooses, or NONE. Abstentions that rules recognise are null at once, and so are empty replies; a
reply that the judge finds to choose nothing is null. Where the judge itself gives no verdict the state is
`judge-failed`, outside every sum.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import ClassVar, Final

from msgspec import Struct

from earmark import __version__
from earmark.judges.asking import Judge, open_judge, question_of, settings_of
from earmark.judges.prompts import find_prompt
from earmark.scorers._resources import attach, judge_signature, require
from earmark.scorers.choice import labels_of
from earmark.stats.ratio import ratio
from earmark.text.choice_parser import VERSION, parse_choice
from earmark.types import Item, Metric, OpenModel, Response, Score, State, replace

NO_CHOICE: Final = "NONE"
METRICS: Final = {
    "accuracy": ratio("right", "n"),
    "accuracy_answered": ratio("right", "answered"),
    "null_rate": replace(ratio("null", "n"), better="lower"),
}


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Which judge reads what rules cannot; none: such replies are null. By itself this is the scorer without a judge."""

    name: ClassVar[str] = "binary_choice"

    judge: str = ""  # any model, named as model=NAME names it, such as openai/gpt-4o-mini

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return METRICS

    @property
    def signature(self) -> str:
        """
        >>> Settings().signature.partition("|v:")[0]
        'ab|reader:earmark.2|judge:none'
        """
        return f"ab|reader:{VERSION}|judge:none|v:{__version__}"

    async def score(self, item: Item, response: Response) -> Score:
        return await read_by_rules(self, item, response)

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        return self.counts(item, None), self.counts(item, next(iter(item.targets), None))

    def counts(self, item: Item, answer: str | None) -> dict[str, float]:
        """The counts of one item whose reply chose `answer`."""
        return {
            "right": float(answer in item.targets),
            "answered": float(answer is not None),
            "null": float(answer is None),
            "n": 1.0,
            "chance": len(item.targets) / len(item.labels) if item.labels else 0.0,
        }


class JudgedBinaryChoice(Settings, frozen=True, dict=True):
    """The scorer with a judge, which has to be opened before it is asked."""

    @property
    def signature(self) -> str:
        return judge_signature(
            self, self.judge, f"ab|reader:{VERSION}|judge:{self.judge}|prompt:{find_prompt('choice')}"
        )

    @asynccontextmanager
    async def open(self, open_model: OpenModel) -> AsyncIterator[JudgedBinaryChoice]:
        async with open_judge(self.judge, open_model) as judge:
            yield attach(self, judge)

    async def score(self, item: Item, response: Response) -> Score:
        read = await read_by_rules(self, item, response)
        if read.state != "unparsed" or not response.text.strip():
            return read
        fields = {"question": question_of(item), "candidate": response.text}
        verdict = await require(self, Judge, "judge").decide(
            find_prompt("choice"), fields, words=(*item.labels, NO_CHOICE)
        )
        if verdict.value is None:
            return Score({}, state="judge-failed", rule=verdict.rule, explanation=verdict.reply, usage=verdict.usage)
        answer = None if verdict.value == NO_CHOICE else verdict.value
        state: State = "unparsed" if answer is None else "answered"
        return Score(self.counts(item, answer), answer, state, f"judge: {verdict.rule}", verdict.reply, verdict.usage)


async def read_by_rules(scorer: Settings, item: Item, response: Response) -> Score:
    """Parse a reply by rules."""
    if response.stop == "filtered":
        return Score(scorer.bounds(item)[0], state="refused", rule="filtered")
    parsed = parse_choice(
        response.text, labels_of(item), item.choices, question=item.question, cut=response.stop == "length"
    )
    return Score(scorer.counts(item, parsed.answer), parsed.answer, parsed.state, parsed.rule)


def load(settings: Settings) -> Settings:
    """The scorer, without a judge or with one, whose name is checked."""
    if not settings.judge:
        return settings
    settings_of(settings.judge)
    return JudgedBinaryChoice(settings.judge)
