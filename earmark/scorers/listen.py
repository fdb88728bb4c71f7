"""The scores of LISTEN.

With t(k) the items whose truth is class k, p(k) those predicted k, h(k) those where both agree, n = sum t(k), and
classes merged as the authors merge them (angry is anger, happy happiness, sad sadness, pleasant_surprise surprise):

    weighted_accuracy = sum h(k) / n                  a plain accuracy; nothing is weighted
    uar               = mean over k with t(k) > 0 of h(k) / t(k)
    macro_f1          = mean over k with t(k) + p(k) > 0 of 2 h(k) / (t(k) + p(k))
    micro_f1          = weighted_accuracy, each item having one class
    chance_accuracy   = sum t(k) p(k) / n²            what independent draws from the same shares would get
    chance_macro_f1   = mean over k with t(k) + p(k) > 0 of 2 t(k) p(k) / (n (t(k) + p(k)))
    chance_micro_f1   = chance_accuracy
    accuracy          = replies with the right letter / items that were recorded

The classes of a number are those seen in its truths or predictions, as the official code has it: `classes:seen` in the
signature. The denominator `read` is the official one: replies that cannot be read and items that failed are left out of
all but `accuracy`. With `asked` they stay in, as predictions of no class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal

import numpy as np
from msgspec import Struct

from earmark.errors import BadData
from earmark.plugins import own_name
from earmark.plugins.examples import CHOICE_ITEM, ScorerExample
from earmark.scorers._base import AnswerScorer
from earmark.scorers.choice import ChoiceScorer, reader_of
from earmark.scorers.choice import Settings as ChoiceSettings
from earmark.scorers.classes import (
    class_count,
    class_counts,
    macro_f1,
    mean_over_classes,
    observed_classes,
    smallest,
    uar,
)
from earmark.stats.ratio import divide, ratio
from earmark.types import Counts, Item, Metric, Number, Response, Score, Signature, replace, sign

MERGED_CLASSES: Final = {"angry": "anger", "happy": "happiness", "sad": "sadness", "pleasant_surprise": "surprise"}


def emotion_class(choice: str) -> str:
    """The class of a choice.

    >>> emotion_class(" Angry"), emotion_class("ridicule")
    ('anger', 'ridicule')
    """
    word = choice.strip().lower()
    return MERGED_CLASSES.get(word, word)


def _n(counts: Counts) -> Number:
    return sum((class_count(counts, "t", k) for k in observed_classes(counts)), start=0.0)


def accuracy_by_weight(counts: Counts) -> Number:
    return divide(sum((class_count(counts, "h", k) for k in observed_classes(counts)), start=0.0), _n(counts))


def chance_accuracy(counts: Counts) -> Number:
    both = sum(
        (np.multiply(class_count(counts, "t", k), class_count(counts, "p", k)) for k in observed_classes(counts)),
        start=0.0,
    )
    return divide(both, np.square(_n(counts)))


def chance_macro_f1(counts: Counts) -> Number:
    n = _n(counts)
    return mean_over_classes(
        counts,
        lambda t, p, _: divide(np.multiply(2, np.multiply(t, p)), np.multiply(n, np.add(t, p))),
        lambda t, p: np.greater(np.add(t, p), 0),
    )


ACCURACY: Final = {"accuracy": ratio("letter", "recorded")}
CLASSES: Final = {
    "weighted_accuracy": Metric(accuracy_by_weight, share=("same", "kept")),
    "uar": Metric(uar, limits=(0, 1), smallest=smallest),
    "macro_f1": Metric(macro_f1, limits=(0, 1), smallest=smallest),
    "micro_f1": Metric(accuracy_by_weight, share=("same", "kept")),
    "chance_accuracy": Metric(chance_accuracy, limits=(0, 1)),
    "chance_macro_f1": Metric(chance_macro_f1, limits=(0, 1)),
    "chance_micro_f1": Metric(chance_accuracy, limits=(0, 1)),
}


POLICIES: Final = {"earmark": ("earmark", "asked"), "official": ("listen-g2", "read")}


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """LISTEN's metrics over what one reader reads. An empty text stands for the policy's own choice."""

    policy: Literal["earmark", "official"] = "earmark"
    parser: str = ""
    denominator: Literal["", "read", "asked"] = ""

    def __post_init__(self) -> None:
        ChoiceSettings(self.reader)  # which checks its name

    @property
    def reader(self) -> str:
        """The name of the parser."""
        return self.parser or POLICIES[self.policy][0]

    @property
    def counts_unparsed(self) -> bool:
        return (self.denominator or POLICIES[self.policy][1]) == "asked"


class ListenScorer(AnswerScorer, frozen=True):
    """LISTEN's metrics over what one reader reads."""

    settings: Settings = Settings()
    name: str = own_name(__name__)

    @property
    def choice(self) -> ChoiceScorer:
        return ChoiceScorer(ChoiceSettings(self.settings.reader))

    @property
    def signature(self) -> Signature:
        """
        >>> ListenScorer(Settings("official")).signature.rules
        'listen|reader:listen-g2|over:read|classes:seen'
        >>> ListenScorer(Settings(denominator="read")).signature.rules
        'listen|reader:earmark.2|over:read|classes:seen'
        """
        over = "asked" if self.settings.counts_unparsed else "read"
        return sign("listen", reader_of(self.settings.reader), ("over", over), ("classes", "seen"))

    @property
    def metrics(self) -> Mapping[str, Metric]:
        if self.settings.counts_unparsed:
            return ACCURACY | CLASSES
        return {name: replace(metric, value=_or_zero(metric.value)) for name, metric in CLASSES.items()} | ACCURACY

    async def score_reply(self, item: Item, response: Response) -> Score:
        read = await self.choice.score(item, response)
        return Score(self.counts(item, read.answer), read.answer, read.state, read.rule)

    def counts(self, item: Item, answer: str | None) -> dict[str, float]:
        """The counts of one item whose reply was read as `answer`."""
        target = item.targets[0] if item.targets else None
        counts = {
            "letter": float(answer is not None and answer == target),
            "recorded": 1.0,
            "chance": 1 / max(1, len(item.choices)),
            "n": 1.0,
        }
        if target is None or target not in item.labels or not (answer in item.labels or self.settings.counts_unparsed):
            return counts
        if not item.choices:
            raise BadData(f"item '{item.id}' has labels and no choices; LISTEN's classes are the texts of its choices")
        truth = emotion_class(item.text(target))
        prediction = emotion_class(item.text(answer)) if answer is not None and answer in item.labels else None
        return counts | class_counts(truth, prediction) | {"kept": 1.0, "same": float(prediction == truth)}


def _or_zero(value: Callable[[Counts], Number]) -> Callable[[Counts], Number]:
    """A metric that is 0 where nothing was read, as the official code has it."""
    return lambda counts: np.nan_to_num(value(counts))


load = ListenScorer.load


def examples() -> tuple[ScorerExample, ...]:
    neutral = ("chance_accuracy", "chance_macro_f1", "chance_micro_f1")
    return tuple(
        ScorerExample(item=CHOICE_ITEM, right="A", wrong="B", neutral=neutral, settings={"policy": policy})
        for policy in POLICIES
    )
