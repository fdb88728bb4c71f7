"""Accuracy over choices.

    accuracy = right / n

`right` counts replies from which a right label was read, `n` all items that were asked. A reply that cannot be read or
refuses is in `n` and not in `right`, and so is an item that failed; each is counted beside it, and the bounds of an
estimate tell what the failures may have hidden. `accuracy_read` leaves out what was not read.
Chance is the mean over items of right labels by choices. Where two options have the same text, both labels are right or
neither.

With `multi_select` an item may have several right labels, and a reply is right that names all of them and no other.
Guessing is then one out of all sets of labels but the empty one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from earmark.errors import BadData, UsageError, alternatives
from earmark.plugins import own_name
from earmark.plugins.examples import CHOICE_ITEM, ScorerExample
from earmark.scorers._base import AnswerScorer
from earmark.stats.ratio import ratio
from earmark.text.choice_parser import VERSION, parse_choice, same_choice
from earmark.types import Item, Metric, Response, Score, Signature, sign

OWN_PARSER: Final = "earmark"
METRICS: Final = {"accuracy": ratio("right", "n"), "accuracy_read": ratio("right", "read")}


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """How a label is read and compared."""

    parser: str = OWN_PARSER  # or one of the official readers by name
    multi_select: bool = False  # all right labels are asked for, not any of them
    thinking: Literal["marked", "opened"] = "marked"  # opened: the chat template opens it, a reply only closes it
    denominator: Literal["asked", "read"] = "asked"  # of the headline; read: some protocols leave unread replies out

    def __post_init__(self) -> None:
        if self.parser == OWN_PARSER:
            return
        from earmark.text.published_parsers import PARSERS  # noqa: PLC0415 - of few benchmarks

        if self.parser not in PARSERS:
            raise UsageError(f"no reader is called '{self.parser}'{alternatives(self.parser, PARSERS)}")
        if self.multi_select or self.thinking == "opened":
            raise UsageError(
                f"parser={self.parser} knows no multi_select= or thinking=; these are settings of parser=earmark"
            )


class ChoiceScorer(AnswerScorer, frozen=True):
    """Reads a label from the reply and compares it with the right ones."""

    settings: Settings = Settings()
    name: str = own_name(__name__)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return METRICS if self.settings.denominator == "asked" else dict(reversed(METRICS.items()))

    @property
    def signature(self) -> Signature:
        """
        >>> ChoiceScorer(Settings(multi_select=True)).signature.rules, ChoiceScorer(Settings("mmau")).signature.rules
        ('choice|reader:earmark.2|several:all', 'choice|reader:mmau')
        """
        given = self.settings
        parts = [reader_of(given.parser)]
        parts += [("several", "all")] * given.multi_select + [("thinking", "opened")] * (given.thinking == "opened")
        parts += [("denominator", "read")] * (given.denominator == "read")
        return sign("choice", *parts)

    async def score_reply(self, item: Item, response: Response) -> Score:
        labels = labels_of(item)
        if self.settings.parser == OWN_PARSER:
            options = {
                "cut": response.stop == "length",
                "thinking": self.settings.thinking == "opened",
                "multi_select": self.settings.multi_select,
            }
            parsed = parse_choice(response.whole_text, labels, item.choices, question=item.question, **options)
        else:
            from earmark.text.published_parsers import PARSERS  # noqa: PLC0415 - of few benchmarks

            parsed = PARSERS[self.settings.parser](response.whole_text, labels, item.choices)
        return Score(self.counts(item, parsed.answer), parsed.answer, parsed.state, parsed.rule)

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        right = ",".join(item.targets) if self.settings.multi_select else next(iter(item.targets), None)
        return self.counts(item, None), self.counts(item, right)

    def counts(self, item: Item, answer: str | None) -> dict[str, float]:
        """The counts of one item whose reply was read as `answer`; several labels are joined by commas."""
        if not item.targets:  # nothing is right or wrong: it is read, and in no share
            return dict.fromkeys(("right", "read", "n", "chance"), 0.0)
        same = same_choice(item.labels, item.choices)
        targets = {same.get(target, target) for target in item.targets}
        if self.settings.multi_select:
            named = set() if answer is None else {same.get(part.strip(), part.strip()) for part in answer.split(",")}
            right = named == targets
            chance = 1 / (2 ** len(set(same.values())) - 1) if item.labels else 0.0
        else:
            right = answer is not None and same.get(answer, answer) in targets
            n_right = len([label for label in item.labels if same[label] in targets])
            chance = n_right / len(item.labels) if item.labels else 0.0
        return {"right": float(right), "read": float(answer is not None), "n": 1.0, "chance": chance}


def reader_of(parser: str) -> tuple[str, str]:
    """The parser of replies, as it signs."""
    return "reader", VERSION if parser == OWN_PARSER else parser


def labels_of(item: Item) -> tuple[str, ...]:
    """The labels that a reply to an item may name."""
    if not item.labels:
        raise BadData(
            f"item '{item.id}' has no choices and no labels; expected some, or another scorer than one of choices"
        )
    return item.labels


load = ChoiceScorer.load


def examples() -> tuple[ScorerExample, ...]:
    return (
        ScorerExample(item=CHOICE_ITEM, right="A", wrong="B", neutral=("accuracy_read",)),
        ScorerExample(
            item=CHOICE_ITEM, right="A", wrong="B", neutral=("accuracy_read",), settings={"multi_select": True}
        ),
    )
