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

from earmark.judges.asking import Judge, open_judge, question_of, settings_of
from earmark.judges.prompts import find_prompt
from earmark.plugins import own_name
from earmark.plugins.examples import CHOICE_ITEM, ScorerExample
from earmark.scorers._base import AnswerScorer
from earmark.scorers._resources import require_open, sign_judge
from earmark.scorers.choice import labels_of
from earmark.stats.ratio import ratio
from earmark.text.choice_parser import VERSION, parse_choice
from earmark.types import Context, Item, Metric, OpenModel, Response, Score, Signature, State, replace, sign

NO_CHOICE: Final = "NONE"
METRICS: Final = {
    "accuracy": ratio("right", "n"),
    "accuracy_answered": ratio("right", "answered"),
    "null_rate": ratio("null", "n", "lower"),
}


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Which judge reads what rules cannot."""

    judge: str = ""  # any model, named as model=NAME names it, such as openai/gpt-4o-mini; empty: such replies are null


class BinaryChoiceScorer(AnswerScorer, frozen=True):
    """The scorer without a judge."""

    settings: Settings = Settings()
    name: str = own_name(__name__)
    metrics: ClassVar[Mapping[str, Metric]] = METRICS

    @property
    def signature(self) -> Signature:
        """
        >>> BinaryChoiceScorer().signature.rules
        'ab|reader:earmark.2|judge:none'
        """
        return sign("ab", ("reader", VERSION), ("judge", "none"))

    async def score_reply(self, item: Item, response: Response) -> Score:
        parsed = parse_choice(
            response.text, labels_of(item), item.choices, question=item.question, cut=response.stop == "length"
        )
        return Score(self.counts(item, parsed.answer), parsed.answer, parsed.state, parsed.rule)

    def counts(self, item: Item, answer: str | None) -> dict[str, float]:
        """The counts of one item whose reply chose `answer`."""
        return {
            "right": float(answer in item.targets),
            "answered": float(answer is not None),
            "null": float(answer is None),
            "n": 1.0,
            "chance": len(item.targets) / len(item.labels) if item.labels else 0.0,
        }


class JudgedBinaryChoice(BinaryChoiceScorer, frozen=True):
    """The scorer with a judge, which has to be opened before it is asked."""

    open_model: OpenModel | None = None
    opened: Judge | None = None

    @property
    def signature(self) -> Signature:
        judge = self.settings.judge
        parts = (("reader", VERSION), ("judge", judge), ("prompt", find_prompt("choice")))
        return sign_judge(sign("ab", *parts), judge, self.opened)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[JudgedBinaryChoice]:
        async with open_judge(self.settings.judge, require_open(self.open_model, "judge")) as judge:
            yield replace(self, opened=judge)

    async def score_reply(self, item: Item, response: Response) -> Score:
        read = await BinaryChoiceScorer.score_reply(self, item, response)
        if read.state != "unparsed" or not response.text.strip():
            return read
        fields = {"question": question_of(item), "candidate": response.text}
        verdict = await require_open(self.opened, "judge").decide(
            find_prompt("choice"), fields, words=(*item.labels, NO_CHOICE)
        )
        if verdict.value is None:
            return Score({}, state="judge-failed", rule=verdict.rule, explanation=verdict.reply, usage=verdict.usage)
        answer = None if verdict.value == NO_CHOICE else verdict.value
        state: State = "unparsed" if answer is None else "answered"
        return Score(self.counts(item, answer), answer, state, f"judge: {verdict.rule}", verdict.reply, verdict.usage)


def load(settings: Settings, context: Context) -> BinaryChoiceScorer:
    """Load the scorer, without a judge or with one, whose name is checked."""
    if not settings.judge:
        return BinaryChoiceScorer(settings, context.name)
    settings_of(settings.judge)
    return JudgedBinaryChoice(settings, context.name, context.open_model)


def examples() -> tuple[ScorerExample, ...]:
    return (ScorerExample(item=CHOICE_ITEM, right="A", wrong="B", neutral=("accuracy_answered",)),)
