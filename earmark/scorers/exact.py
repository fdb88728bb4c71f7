"""Exact match of short answers, strict and lenient.

    exact_match              = replies equal to a reference / n
    quasi_exact_match        = the same, once both are normalised
    quasi_prefix_exact_match = normalised replies that begin with a normalised reference / n
    contains                 = normalised replies in which a normalised reference occurs, as whole words / n

White space at either end is no difference. Quasi-exact is HELM's rule for any script: one form of each letter, lower
case, without punctuation and without the articles a, an and the; `normalizer=helm` knows ASCII punctuation only, as
HELM does. With `boundary=letters` a reference may also occur inside a word, as VocalBench counts it. An empty
reference, where silence is right, is matched by an empty reply and no other, in all four; an empty reply matches
nothing else. Any other reference that normalises to nothing is matched by no reply in the last two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Literal

from msgspec import Struct

from earmark import __version__
from earmark.errors import BadData
from earmark.scorers.choice import PROBE, no_answer
from earmark.stats.ratio import ratio
from earmark.text.normalise import find_normalizer, is_unspaced
from earmark.types import Item, Metric, Response, Score

MATCHES: Final = ("exact_match", "quasi_exact_match", "quasi_prefix_exact_match", "contains")
METRICS: Final = {match: ratio(match, "n") for match in MATCHES}


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Exact match with any of the item's targets."""

    name: ClassVar[str] = "exact"

    normalizer: str = "answer"  # or another of text/normalise.py
    boundary: Literal["words", "letters"] = "words"
    case: Literal["kept", "ignored"] = "kept"  # in exact_match
    blanks: Literal["stripped", "kept"] = "stripped"  # at either end, in exact_match
    headline: Literal["exact_match", "quasi_exact_match", "quasi_prefix_exact_match", "contains"] = "exact_match"

    def __post_init__(self) -> None:
        find_normalizer(self.normalizer)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return dict(sorted(METRICS.items(), key=lambda entry: entry[0] != self.headline))

    @property
    def signature(self) -> str:
        """
        >>> Settings().signature.partition("|v:")[0]
        'exact|norm:answer.1|boundary:words'
        """
        first = f"|case:{self.case}" * (self.case != "kept") + f"|blanks:{self.blanks}" * (self.blanks != "stripped")
        first += f"|headline:{self.headline}" if self.headline != "exact_match" else ""
        return f"exact|norm:{find_normalizer(self.normalizer)}|boundary:{self.boundary}{first}|v:{__version__}"

    def check(self) -> None:
        """Raise BadSetup where a package that the normaliser needs is not there."""
        find_normalizer(self.normalizer)(PROBE)

    async def score(self, item: Item, response: Response) -> Score:
        if (none := no_answer(self, item, response)) is not None:
            return none
        counts = self.counts(item, response.text)
        return Score(counts, response.text.strip(), rule=next((match for match in MATCHES if counts[match]), ""))

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        right = [self.counts(item, target) for target in item.targets]
        return self.counts(item, None), {name: max(counts[name] for counts in right) for name in right[0]}

    def counts(self, item: Item, answer: str | None) -> dict[str, float]:
        """The counts of one item whose reply is `answer`."""
        if not item.targets:
            raise BadData(f"item '{item.id}' has no target; expected the text of the right answer")
        pairs = [self._matches(answer, wanted) for wanted in item.targets] if answer is not None else []
        best = (float(any(column)) for column in zip((False,) * 4, *pairs, strict=True))
        return dict(zip(MATCHES, best, strict=True)) | {"n": 1.0}

    def _is_same(self, prediction: str, wanted: str) -> bool:
        if self.blanks == "stripped":
            prediction, wanted = prediction.strip(), wanted.strip()
        return prediction.lower() == wanted.lower() if self.case == "ignored" else prediction == wanted

    def _matches(self, prediction: str, wanted: str) -> tuple[bool, bool, bool, bool]:
        is_same = self._is_same(prediction, wanted)
        prediction, wanted = prediction.strip(), wanted.strip()
        if not prediction or not wanted:
            return (prediction == wanted,) * 4
        normal = find_normalizer(self.normalizer)
        reply, reference = normal(prediction).strip(), normal(wanted).strip()
        edge = "" if self.boundary == "letters" or is_unspaced(reference) else " "
        return (
            is_same,
            reply == reference,
            bool(reference) and reply.startswith(reference),
            bool(reference) and f"{edge}{reference}{edge}" in f"{edge}{reply}{edge}",
        )


def load(settings: Settings) -> Settings:
    """A scorer is its settings."""
    return settings
