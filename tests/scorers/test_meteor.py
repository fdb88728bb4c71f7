"""METEOR against nltk's published values, worked examples, and its own laws."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from earmark.data import debian
from earmark.errors import BadData, BadSetup
from earmark.scorers import meteor
from earmark.types import Item, Response


def item(*targets: str) -> Item:
    return Item("1", targets=targets)


class NoSynonyms:
    """A WordNet in which no word has a synonym but man."""

    def synsets(self, word: str) -> list[Any]:
        names = ["man", "gentleman"] if word in ("man", "gentleman") else []
        return [SimpleNamespace(lemmas=lambda: [SimpleNamespace(name=lambda name=name: name) for name in names])]


@pytest.fixture
def few_synonyms(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("nltk")
    monkeypatch.setattr(meteor, "load_wordnet", lambda _: NoSynonyms())


def value(reference: str, reply: str) -> float:
    return meteor.MeteorScorer().counts(item(reference), reply)["meteor"]


@pytest.mark.usefixtures("few_synonyms")
def test_meteor_by_hand() -> None:
    """a man walks home    against    a gentleman walked fast

    a is equal, walks and walked have one stem, man and gentleman are synonyms: 3 matches, all in a row on both sides,
    of 4 words each: P = R = 3/4, one chunk, penalty 0.5 (1/3)³.
    """
    assert value("a gentleman walked fast", "a man walks home") == pytest.approx((1 - 0.5 / 27) * 3 / 4)
    assert value("dogs bark", "cats sleep") == 0
    assert value("dogs bark", "") == 0


@pytest.mark.usefixtures("few_synonyms")
@pytest.mark.parametrize("words", [1, 2, 5, 20])
def test_a_perfect_caption_has_one_chunk(words: int) -> None:
    text = " ".join(f"w{number}" for number in range(words))
    assert value(text, text) == pytest.approx(1 - 0.5 / words**3)


@pytest.mark.usefixtures("few_synonyms")
def test_meteor_scores_bounds_and_several_references() -> None:
    scorer = meteor.MeteorScorer()
    assert scorer.counts(item("x y", "a dog barks"), "a dog barks")["meteor"] == pytest.approx(1 - 0.5 / 27)
    worst, best = scorer.bounds(item("a dog barks"))
    assert worst["meteor"] == 0 < best["meteor"]
    assert asyncio.run(scorer.score(item("a"), Response("a", stop="filtered"))).state == "refused"
    with pytest.raises(BadData, match="no target"):
        scorer.counts(item(), "a")


REFERENCES = (
    "It is a guide to action that ensures that the military will forever heed Party commands",
    "It is the guiding principle which guarantees the military forces always being under the command of the Party",
    "It is the practical guide for the army always to heed the directions of the party",
)


@pytest.mark.shared
def test_meteor_is_nltks_published_value() -> None:
    """The example of nltk's documentation, with the real WordNet: 0.6944, against the first reference and all three."""
    pytest.importorskip("nltk")
    try:
        debian.fetch_package("wordnet-base")
    except (BadSetup, FileNotFoundError) as error:
        pytest.skip(f"needs Debian's WordNet: {error}")
    reply = "It is a guide to action which ensures that the military always obeys the commands of the party"
    assert round(value(REFERENCES[0], reply), 4) == 0.6944
    assert round(meteor.MeteorScorer().counts(item(*REFERENCES), reply)["meteor"], 4) == 0.6944
    assert value("a man talks", "a gentleman speaks") > value("a man talks", "a zebra sleeps")


def test_a_missing_wordnet_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    pytest.importorskip("nltk")
    with pytest.raises(BadSetup, match="found no file data"):
        meteor.load_wordnet(str(tmp_path))
    monkeypatch.setattr(debian, "is_available", lambda: False)
    meteor.load_wordnet.cache_clear()
    with pytest.raises(BadSetup, match="set wordnet=FOLDER"):
        meteor.load_wordnet("")


def test_only_a_missing_file_of_lexicographers_is_made_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    class Reader:
        def __init__(self, root: str, _: None) -> None:
            self.root = root

        def open(self, file: str) -> str:
            return f"opened {file}"

    library = SimpleNamespace(WordNetCorpusReader=Reader, data=SimpleNamespace(path=[]))
    monkeypatch.setattr(meteor, "_nltk", lambda _: library)
    (tmp_path / "data.noun").touch()
    reader = meteor.load_wordnet(str(tmp_path))
    assert reader.open("lexnames").read() == meteor.LEXNAMES
    assert reader.open("data.verb") == "opened data.verb"
    (tmp_path / "lexnames").touch()
    assert reader.open("lexnames") == "opened lexnames"
    meteor.load_wordnet.cache_clear()
