"""BLEU and chrF of translations, as sacrebleu computes them.

    bleu = 100 bp exp(mean over n = 1..4 of log(match_n / total_n)),  bp = min(1, exp(1 - reference / length))
    chrf = 100 (1 + b²) P R / (b² P + R),  b = 2

`match_n` counts n-grams of tokens that a reply shares with its references, `total_n` all of the reply's, `length` the
reply's tokens, `reference` those of the reference nearest in length. For chrF, P and R are the means over n = 1..6 of
the shares of character n-grams of the reply, and of the reference, that both have; with `words=2` (chrF++) word n-grams
of orders 1 and 2 are among them. All counts are summed over items before any share is taken, so `value` of the sums is
sacrebleu's `corpus_bleu`, and no mean of sentences. Where an order has no match the precision is smoothed (`exp`);
where nothing matches the score is 0, and so it is where no reply has 4 tokens, which is told. Texts are compared as
they are, cased and with their punctuation: sacrebleu's tokenisers expect that.

The tokeniser goes by the language of the translation: `zh` for Chinese and Cantonese, `ja-mecab` for Japanese and
`ko-mecab` for Korean (which need sacrebleu's own extras), `char` for Thai, Lao, Khmer, Burmese and Tibetan, `13a` for
all others. sacrebleu knows no language on its own: with 13a, Chinese would score near 0.

A failure or a refusal counts as all the n-grams of its reference, none of them right, and nothing towards the length:
never better than an answer, whatever the other replies are. Where the reference is empty it counts as one token too
many.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Final, Literal

import numpy as np
from msgspec import Struct, field

from earmark.errors import BadData, BadSetup, UsageError, alternatives
from earmark.plugins import own_name
from earmark.plugins.examples import TEXT_ITEM, ScorerExample
from earmark.scorers._base import TextScorer
from earmark.text.normalise import TOKENS, UNSPACED_LANGUAGES, language_of, strip_tokens
from earmark.types import Counts, Item, Metric, Number, Response, Score, Signature, sign

ORDERS: Final = (1, 2, 3, 4)
BLEU_COUNTS: Final = ("length", "reference", *(f"match_{n}" for n in ORDERS), *(f"total_{n}" for n in ORDERS))
TOKENISERS: Final = {"zh": "zh", "yue": "zh", "wuu": "zh", "nan": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
UNKNOWN: Final = "?"  # one token of any tokeniser, for an answer nobody has
TOP: Final = 100.0
TOO_SHORT: Final = "shorter than 4 tokens: without 4-grams BLEU is 0 whatever it says; read chrF"
INSTALL: Final = "pip install 'earmark[text]'"
EXTRAS: Final = {"ja-mecab": "pip install 'sacrebleu[ja]'", "ko-mecab": "pip install 'sacrebleu[ko]'"}


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """BLEU and chrF. An empty text stands for the language's own choice."""

    language: str = ""  # of the translation
    tokenizer: str = ""  # one of sacrebleu's
    lowercase: bool = False
    words: Literal[0, 2] = 0  # orders of word n-grams: 0 for chrF, 2 for chrF++
    references: int = 1  # of every item; 0: any number
    tokens: Literal["removed", "kept"] = "removed"  # around a reply, such as <|zh|>

    def __post_init__(self) -> None:
        tokeniser_of(self)


class BleuScorer(TextScorer, frozen=True):
    """BLEU and chrF against the item's targets."""

    settings: Settings = field(default_factory=Settings)
    name: str = own_name(__name__)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        bleu, chrf = _bleu(self.settings), _chrf(self.settings)
        return {
            "bleu": Metric(_metric_over_counts(BLEU_COUNTS, bleu), limits=(0, 100), caveat=_too_short),
            "chrf++" if self.settings.words else "chrf": Metric(
                _metric_over_counts(chrf_counts(self.settings.words), chrf), limits=(0, 100)
            ),
        }

    @property
    def signature(self) -> Signature:
        """sacrebleu's own signatures of both numbers, and our version.

        >>> BleuScorer(Settings(language="zh")).signature.rules.partition("|version:")[0]
        'bleu|nrefs:1|case:mixed|eff:no|tok:zh|smooth:exp'
        """
        known = {"num_refs": self.settings.references or -1}  # sacrebleu learns it, and sees one item at a time here
        bleu, chrf = (_sign_metric(metric, known) for metric in (_bleu(self.settings), _chrf(self.settings)))
        reply = TOKENS if self.settings.tokens == "removed" else "raw"
        return sign("bleu", *bleu, ("chrf", ""), *chrf, ("reply", reply))

    def check(self) -> None:
        """Raise BadSetup where sacrebleu or its tokeniser is not there."""
        _bleu(self.settings)
        _chrf(self.settings)

    async def score_reply(self, item: Item, response: Response) -> Score:
        text = self._clean_reply(response.text)
        counts = self.counts(item, text)
        cut = text != response.text.strip()
        return Score(
            counts, text, rule=TOKENS if cut else "", explanation=TOO_SHORT if text and not counts["total_4"] else ""
        )

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        """The worst shares nothing with its reference, in as many n-grams, and fills none of its length."""
        best = max((self.counts(item, text) for text in item.targets), key=lambda counts: counts["length"])
        if not best["length"]:  # silence is right, and a failure is not silence
            return self.counts(item, UNKNOWN) | {"length": 0.0}, best
        shared = {name for name in best if name == "length" or name.startswith("match_") or name.endswith("_both")}
        return {name: 0.0 if name in shared else count for name, count in best.items()}, best

    def counts(self, item: Item, answer: str | None) -> dict[str, float]:
        """The counts of one item whose translation is `answer`; none is an empty one."""
        wanted = self.settings.references
        if not item.targets or (wanted and len(item.targets) != wanted):
            raise BadData(
                f"item '{item.id}' has {len(item.targets)} references, expected {wanted or 'at least one'}; "
                "set references to how many every item has, or to 0 where it varies"
            )
        sides = [self._clean_reply(answer or "")], [[text] for text in item.targets]
        metrics = (_bleu(self.settings), _chrf(self.settings))
        bleu, chrf = (metric._extract_corpus_statistics(*sides)[0] for metric in metrics)  # noqa: SLF001
        named = zip((*BLEU_COUNTS, *chrf_counts(self.settings.words)), (*bleu, *chrf), strict=True)
        return {name: float(count) for name, count in named} | {"n": 1.0}

    def _clean_reply(self, reply: str) -> str:
        return (strip_tokens(reply) if self.settings.tokens == "removed" else reply).strip()


def _sign_metric(metric: Any, known: Mapping[str, int]) -> list[tuple[str, object]]:
    """The parts of sacrebleu's own signature of a number, its version last."""
    info = dict(metric._SIGNATURE_TYPE(vars(metric) | known).info)  # noqa: SLF001
    info["version"] = info.pop("version")
    yes_no = {True: "yes", False: "no"}
    return [
        (key, yes_no[value] if isinstance(value, bool) else value) for key, value in info.items() if value is not None
    ]


def tokeniser_of(settings: Settings) -> str:
    """The name of the tokeniser under some settings.

    >>> tokeniser_of(Settings(language="zh")), tokeniser_of(Settings(language="th")), tokeniser_of(Settings())
    ('zh', 'char', '13a')
    """
    code = language_of(settings.language)
    return settings.tokenizer or TOKENISERS.get(code, "char" if code in UNSPACED_LANGUAGES else "13a")


def chrf_counts(words: int) -> tuple[str, ...]:
    """The names of chrF's counts: of each order those of the reply, of the reference, and what both have."""
    orders = [*(f"c{n}" for n in range(1, 7)), *(f"w{n}" for n in range(1, words + 1))]
    return tuple(f"{order}_{side}" for order in orders for side in ("reply", "reference", "both"))


def _too_short(counts: Counts) -> str:
    """A caveat of BLEU over counts in which no reply has a 4-gram."""
    return f"every reply is {TOO_SHORT}" if not counts["total_4"] and counts["length"] else ""


def _metric_over_counts(names: Sequence[str], metric: Any) -> Callable[[Counts], Number]:
    """sacrebleu's number from counts in sacrebleu's order, one by one where they are arrays."""

    def read(row: list[float]) -> float:
        score = float(metric._compute_score_from_stats(row).score)  # noqa: SLF001
        return TOP if math.isclose(score, TOP, rel_tol=1e-12) else score  # its logarithms leave 100.00000000000004

    def value(counts: Counts) -> Number:
        columns = np.stack(np.broadcast_arrays(*(np.asarray(counts.get(name, 0.0)) for name in names)), axis=-1)
        rows = [read(row) for row in columns.reshape(-1, len(names)).tolist()]
        return rows[0] if columns.ndim == 1 else np.array(rows).reshape(columns.shape[:-1])

    return value


@functools.cache
def _sacrebleu() -> Any:
    try:
        return import_module("sacrebleu.metrics")
    except ModuleNotFoundError as error:
        raise BadSetup(f"BLEU and chrF need the package sacrebleu, which is not installed; {INSTALL}") from error


@functools.cache
def _bleu(settings: Settings) -> Any:
    tokeniser = tokeniser_of(settings)
    known = _sacrebleu().BLEU.TOKENIZERS
    if tokeniser not in known:
        raise UsageError(f"sacrebleu has no tokeniser '{tokeniser}'{alternatives(tokeniser, known)}")
    try:
        return _sacrebleu().BLEU(tokenize=tokeniser, lowercase=settings.lowercase, force=True)
    except (ImportError, RuntimeError, OSError) as error:  # it needs a package or a model of its own
        hint = EXTRAS.get(tokeniser, INSTALL)
        raise BadSetup(
            f"the tokeniser '{tokeniser}' cannot be loaded ({error}); {hint}, or set tokenizer=char"
        ) from error


@functools.cache
def _chrf(settings: Settings) -> Any:
    return _sacrebleu().CHRF(lowercase=settings.lowercase, word_order=settings.words)


load = BleuScorer.load


def examples() -> tuple[ScorerExample, ...]:
    right = TEXT_ITEM.targets[0]
    any_number = [{"references": 0}, {"references": 0, "words": 2}]
    return (
        ScorerExample(item=TEXT_ITEM, right=right, wrong="no"),
        *(ScorerExample(item=TEXT_ITEM, right=right, wrong="no", any_words=True, settings=each) for each in any_number),
    )
