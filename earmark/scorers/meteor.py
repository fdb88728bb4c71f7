"""METEOR of captions, as nltk computes it.

    meteor = (1 - 0.5 (chunks / matches)³) P R / (0.9 P + 0.1 R)
    P = matches / words of the reply, R = matches / words of the reference

Words match that are equal, then those with one stem (Porter's), then synonyms (one WordNet synset holds both), each at
most once; `chunks` is the number of runs in which matched words follow each other on both sides. The number of a
benchmark is the mean over items, from 0 to 1; of several references the best counts. Without a match it is 0.

nltk brings no WordNet. Its files are taken from `wordnet=FOLDER`, or else from Debian's package wordnet-base (WordNet
3.0, the version that nltk's own download has), which is fetched once and kept in the cache. Texts are split into words
by nltk's rules, and into sentences before that at . ! ? followed by a capital: Hugging Face's `evaluate` has a trained
splitter there, which differs on abbreviations. METEOR 1.5, the Java program, has other weights and a table of
paraphrases: its numbers are others.
"""

from __future__ import annotations

import functools
import io
import re
import warnings
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Final

from msgspec import Struct

from earmark.data import debian
from earmark.errors import BadData, BadSetup
from earmark.plugins import own_name
from earmark.plugins.examples import TEXT_ITEM, ScorerExample
from earmark.scorers._base import TextScorer
from earmark.stats.ratio import mean
from earmark.types import Item, Metric, Response, Score, Signature, sign

METRICS: Final = {"meteor": mean("meteor", "n", (0, 1))}
SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?=[\"'(]?[A-Z])")
LEXNAMES: Final = "".join(f"{number:02d}\tlexname.{number}\t0\n" for number in range(45))


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """METEOR against the item's targets."""

    wordnet: str = ""  # a folder with WordNet's files; empty: Debian's


class MeteorScorer(TextScorer, frozen=True):
    """METEOR against the item's targets."""

    settings: Settings = Settings()
    name: str = own_name(__name__)
    metrics: ClassVar[Mapping[str, Metric]] = METRICS

    @property
    def signature(self) -> Signature:
        """
        >>> MeteorScorer().signature.rules.partition("|nltk:")[0]
        'meteor|alpha:0.9|beta:3|gamma:0.5|wordnet:debian-3.0|agg:mean'
        """
        source = "own" if self.settings.wordnet else "debian-3.0"
        nltk = _nltk("nltk").__version__
        weights = (("alpha", "0.9"), ("beta", "3"), ("gamma", "0.5"))
        return sign("meteor", *weights, ("wordnet", source), ("agg", "mean"), ("nltk", nltk))

    def check(self) -> None:
        """Raise BadSetup where nltk or WordNet is not there."""
        _word_tokenizer()
        load_wordnet(self.settings.wordnet)

    async def score_reply(self, item: Item, response: Response) -> Score:
        return Score(self.counts(item, response.text), response.text.strip())

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        return self.counts(item, None), max(
            (self.counts(item, text) for text in item.targets), key=lambda c: c["meteor"]
        )

    def counts(self, item: Item, answer: str | None) -> dict[str, float]:
        """The counts of one item whose reply is `answer`."""
        if not item.targets:
            raise BadData(f"item '{item.id}' has no target; expected a reference text")
        reply = tokenize(answer or "")
        score = _nltk("nltk.translate.meteor_score").meteor_score
        best = (
            score([tokenize(target) for target in item.targets], reply, wordnet=load_wordnet(self.settings.wordnet))
            if reply
            else 0.0
        )
        return {"meteor": float(best), "n": 1.0}


def tokenize(text: str) -> list[str]:
    """A text in words and punctuation.

    >>> tokenize("A dog barks. It doesn't stop.")
    ['A', 'dog', 'barks', '.', 'It', 'does', "n't", 'stop', '.']
    """
    split = _word_tokenizer().tokenize
    return [word for sentence in SENTENCE_END.split(text.strip()) for word in split(sentence)]


@functools.cache
def _word_tokenizer() -> Any:
    return _nltk("nltk.tokenize.destructive").NLTKWordTokenizer()


@functools.cache
def load_wordnet(folder: str) -> Any:
    """WordNet, as nltk reads it."""
    base = _nltk("nltk.corpus.reader.wordnet").WordNetCorpusReader
    if not folder and not debian.is_available():
        raise BadSetup(
            "METEOR needs WordNet 3.0, and this machine has no Debian tools to fetch it with; set wordnet=FOLDER to "
            "where "
            "its files lie, such as nltk_data/corpora/wordnet"
        )
    root = Path(folder) if folder else debian.fetch_package("wordnet-base") / "usr/share/wordnet"
    if not (root / "data.noun").is_file():
        raise BadSetup(f"{root}: found no file data.noun, expected the files of WordNet 3.0")

    def open_reader(reader: Any, file: str) -> Any:
        """Debian leaves out the file of lexicographers' names. They are read, and play no part in METEOR."""
        missing = file == "lexnames" and not (root / file).is_file()
        return io.StringIO(LEXNAMES) if missing else base.open(reader, file)

    _nltk("nltk").data.path.append(str(root))  # nltk opens files only where it is told that it may
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says that it knows English only
        return type("WordNet", (base,), {"open": open_reader, "map_wn": lambda _: None})(str(root), None)


def _nltk(module: str) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise BadSetup("METEOR needs the package nltk, which is not installed; pip install 'earmark[text]'") from error


load = MeteorScorer.load


def examples() -> tuple[ScorerExample, ...]:
    return (ScorerExample(item=TEXT_ITEM),)
