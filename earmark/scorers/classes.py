"""Classification: accuracy, and F1 and recall averaged over classes.

With t(k) the items whose truth is class k, p(k) those predicted k, h(k) those where both agree, n = sum t(k):

    accuracy = sum h(k) / n                                  micro F1, each item having one class
    macro_f1 = mean over classes of 2 h(k) / (t(k) + p(k))
    uar      = mean over classes of h(k) / t(k)              unweighted average recall

A class is the text of a choice, or its label where choices have no texts; upper and lower case are one class. Over
which classes the mean goes changes it, so it is told: `classes=[a,b]` means these and no others, one that nobody has
counting 0, and `classes:seen`, where none are named, those of any truth or prediction (of any truth, in the recall).
The two orders of a list are one signature. A reply that cannot be read and an item that failed are predictions of no
class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from msgspec import Struct

from earmark.errors import BadData, UsageError
from earmark.plugins import own_name
from earmark.plugins.examples import CHOICE_ITEM, ScorerExample
from earmark.scorers._base import AnswerScorer
from earmark.scorers.choice import ChoiceScorer, reader_of
from earmark.scorers.choice import Settings as ChoiceSettings
from earmark.stats.ratio import divide, ratio
from earmark.types import Counts, Item, Metric, Number, Response, Score, Signature, sign

# ---------------------------------------------------------------- the numbers


def observed_classes(counts: Counts) -> list[str]:
    """The classes of any truth or prediction."""
    return sorted({name[2:] for name in counts if name[:2] in ("t:", "p:")})


def class_count(counts: Counts, kind: str, name: str) -> Number:
    """Items of one class: `t` in truth, `p` as predicted, `h` both."""
    return counts.get(f"{kind}:{name}", 0.0)


def mean_over_classes(
    counts: Counts,
    share: Callable[[Number, Number, Number], Number],
    present: Callable[[Number, Number], Number],
    classes: Sequence[str] = (),
) -> Number:
    """The mean of a share over some classes, or over those that are there, which may differ without one item or
    another.
    """
    total: Number = 0.0
    many: Number = 0.0
    for k in classes or observed_classes(counts):
        truth, predicted, agreed = (class_count(counts, kind, k) for kind in "tph")
        counted = np.asarray(present(truth, predicted), bool)
        total = total + np.where(counted, np.nan_to_num(share(truth, predicted, agreed)), 0.0)
        many = many + (1.0 if classes else counted)
    return divide(total, many)


def smallest(counts: Counts) -> Number:
    """Items of the class that has the fewest, of those that any item is of."""
    sizes = [float(size) for size in (class_count(counts, "t", k) for k in observed_classes(counts)) if size]
    return min(sizes, default=0.0)


def uar(counts: Counts, classes: Sequence[str] = ()) -> Number:
    return mean_over_classes(counts, lambda t, _, h: divide(h, t), lambda t, _: np.greater(t, 0), classes)


def macro_f1(counts: Counts, classes: Sequence[str] = ()) -> Number:
    return mean_over_classes(
        counts,
        lambda t, p, h: divide(np.multiply(2, h), np.add(t, p)),
        lambda t, p: np.greater(np.add(t, p), 0),
        classes,
    )


def class_counts(truth: str, prediction: str | None) -> dict[str, float]:
    """The counts of one item of class `truth` that was taken for `prediction`, or for no class."""
    predicted = {} if prediction is None else {f"p:{prediction}": 1.0, f"h:{prediction}": float(prediction == truth)}
    return {f"t:{truth}": 1.0, **predicted}


# ---------------------------------------------------------------- the scorer


def class_of(item: Item, label: str) -> str:
    """The class that an item shows under a label.

    >>> class_of(Item("1", choices=("Yes", "No"), labels=("A", "B")), "A"), class_of(Item("1", labels=("A", "B")), "A")
    ('yes', 'a')
    """
    return (item.text(label) if item.choices else label).strip().casefold()


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """F1 and recall by class, of what one reader reads."""

    classes: tuple[str, ...] = ()  # over which the means go; those seen where none are named
    parser: str = "earmark"

    def __post_init__(self) -> None:
        ChoiceSettings(self.parser)  # which checks the name of the reader
        if len(set(self.over)) < len(self.classes) or not all(self.over):
            raise UsageError(f"classes=[{','.join(self.classes)}]: expected names that differ, and none that is empty")

    @property
    def over(self) -> list[str]:
        return sorted(name.strip().casefold() for name in self.classes)


class ClassesScorer(AnswerScorer, frozen=True):
    """F1 and recall by class, of what one reader reads."""

    settings: Settings = Settings()
    name: str = own_name(__name__)

    @property
    def choice(self) -> ChoiceScorer:
        return ChoiceScorer(ChoiceSettings(self.settings.parser))

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return {
            "accuracy": ratio("right", "n"),
            "macro_f1": Metric(partial(macro_f1, classes=self.settings.over), limits=(0, 1), smallest=smallest),
            "uar": Metric(partial(uar, classes=self.settings.over), limits=(0, 1), smallest=smallest),
        }

    @property
    def signature(self) -> Signature:
        """
        >>> ClassesScorer().signature.rules, ClassesScorer(Settings(("No", "yes"))).signature.rules
        ('classes|reader:earmark.2|classes:seen', 'classes|reader:earmark.2|classes:no,yes')
        """
        return sign("classes", reader_of(self.settings.parser), ("classes", ",".join(self.settings.over) or "seen"))

    async def score_reply(self, item: Item, response: Response) -> Score:
        read = await self.choice.score(item, response)
        return Score(self.counts(item, read.answer), read.answer, read.state, read.rule)

    def counts(self, item: Item, answer: str | None) -> dict[str, float]:
        """The counts of one item whose reply was read as `answer`."""
        counts = self.choice.counts(item, answer)
        if not item.targets:  # nothing is right or wrong
            return counts
        if item.targets[0] not in item.labels:
            raise BadData(f"item '{item.id}': its truth '{item.targets[0]}' is none of its labels, and so of no class")
        truth = class_of(item, item.targets[0])
        if self.settings.classes and truth not in self.settings.over:
            raise BadData(
                f"item '{item.id}' is of class '{truth}'; expected one of classes=[{','.join(self.settings.classes)}]"
            )
        return counts | class_counts(truth, class_of(item, answer) if answer is not None else None)


load = ClassesScorer.load


def examples() -> tuple[ScorerExample, ...]:
    return (ScorerExample(item=CHOICE_ITEM, right="A", wrong="B"),)
