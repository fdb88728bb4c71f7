"""Error rates against the published AudioBench logs, jiwer and kaldialign, worked examples, and their own laws."""

from __future__ import annotations

import asyncio
import random
import re
from pathlib import Path
from typing import Any

import jiwer
import numpy as np
import orjson
import pytest
from commands import earmark
from hypothesis import given
from hypothesis import strategies as st
from word_errors import RAW, item, of, score, wer

from earmark.config.parse import parse_settings
from earmark.errors import BadData, UsageError
from earmark.scorers.wer import Settings, WerScorer, align, count_edits, find_loop
from earmark.types import Item, Response

# ---------------------------------------------------------------- laws


TEXTS = st.lists(st.sampled_from("the a cat dog sat 我 爱 मेरी café don't".split()), max_size=12).map(" ".join)


@given(TEXTS, st.sampled_from(["words", "characters", "mixed"]))
def test_a_perfect_transcript_has_no_errors(text: str, unit: Any) -> None:
    settings = WerScorer(Settings(language="en", unit=unit))
    assert not settings.counts(item(text), text)["wrong"]


@given(TEXTS, TEXTS)
def test_errors_are_at_least_the_difference_in_length_and_at_most_the_longer_text(reference: str, reply: str) -> None:
    counts = RAW.counts(item(reference), reply)
    sizes = len(reference.split()), len(reply.split())
    errors = counts["sub"] + counts["del"] + counts["ins"]
    assert abs(sizes[0] - sizes[1]) <= errors <= max(sizes)
    assert counts["ins"] - counts["del"] == sizes[1] - sizes[0]


@given(TEXTS, TEXTS)
def test_a_way_back_has_as_many_errors(reference: str, reply: str) -> None:
    assert sum(count_edits(reference.split(), reply.split())) == sum(count_edits(reply.split(), reference.split()))


def test_the_bounds_hold_every_transcript() -> None:
    worst, best = WerScorer(Settings(language="en")).bounds(item("a dog barks", "dog barks"))
    assert (worst["del"], worst["length"], best["length"], best["wrong"]) == (2, 2, 3, 0)


# ---------------------------------------------------------------- by hand


REFERENCE, REPLY = "the quick brown fox ran", "the quack fox ran home"


def test_an_example_by_hand() -> None:
    """the quick brown fox ran    against    the quack fox ran home

    quick -> quack is a substitution, brown is deleted, home is inserted: 3 errors over 5 words. With a second item, one
    word that is right, the rate is 3/6, the mean of the items' rates (3/5 + 0)/2.
    """
    counts = RAW.counts(item(REFERENCE), REPLY)
    assert [counts[name] for name in ("sub", "del", "ins", "length")] == [1, 1, 1, 5]
    numbers = of(RAW, (REFERENCE, REPLY), ("yes", "yes"))
    assert (numbers["wer"], numbers["mean_rate"]) == (3 / 6, 3 / 10)
    assert (numbers["wrong"], numbers["capped_rate"], numbers["ins_rate"]) == (0.5, 3 / 6, 1 / 6)


def test_what_is_aligned_is_shown() -> None:
    pairs = align(REFERENCE.split(), REPLY.split())
    assert sorted(pair.kind for pair in pairs) == ["del", "equal", "equal", "equal", "ins", "sub"]
    assert [pair.reference for pair in pairs if pair.reference] == REFERENCE.split()
    assert [pair.reply for pair in pairs if pair.reply] == REPLY.split()


def test_of_several_references_the_nearest_counts() -> None:
    settings = WerScorer(Settings(language="en"))
    counts = settings.counts(item("it is grey", "the colour is grey today"), "the color is gray today")
    assert (counts["sub"], counts["length"]) == (0, 5)  # both spellings are one in American
    counts = settings.counts(item("a b c d", "x y"), "x z")
    assert (counts["sub"], counts["length"]) == (1, 2)


def test_mixed_units_are_words_and_single_characters() -> None:
    """我 爱 machine learning -> 我 要 machine: one substitution and one deletion over four units."""
    counts = WerScorer(Settings(language="zh", unit="mixed")).counts(item("我爱 machine learning"), "我要 machine")
    assert [counts[name] for name in ("sub", "del", "ins", "length")] == [1, 1, 0, 4]
    assert next(iter(WerScorer(Settings(language="zh", unit="mixed")).metrics)) == "mer"


@pytest.mark.parametrize(
    ("empty", "reference", "reply", "expected"),
    [
        ("insertions", "", "two words", (0, 0, 2, 0, 1)),
        ("insertions", "", "", (0, 0, 0, 0, 1)),
        ("drop", "", "two words", (0, 0, 0, 0, 0)),
        ("drop", "two words", "", (0, 2, 0, 2, 1)),
        ("word", "", "two words", (1, 0, 1, 1, 1)),
        ("word", "", "", (0, 0, 0, 1, 1)),
        ("word", "two words", "", (1, 1, 0, 2, 1)),
    ],
)
def test_policies_for_empty_texts(empty: Any, reference: str, reply: str, expected: tuple[int, ...]) -> None:
    counts = WerScorer(Settings(normalizer="none", empty=empty)).counts(item(reference), reply)
    assert tuple(counts[name] for name in ("sub", "del", "ins", "length", "n")) == expected


def test_compounds_are_no_errors_where_asked() -> None:
    settings = WerScorer(Settings(language="en", compounds=True))
    assert wer("a white paper", "a whitepaper", settings) == 0
    assert wer("a white paper", "a whitepaper", WerScorer(Settings(language="en"))) == pytest.approx(2 / 3)


# ---------------------------------------------------------------- other implementations


def test_jiwer_counts_the_same_on_random_texts() -> None:
    dice = random.Random(0)
    vocabulary = "a b c d e f g h".split()
    for _ in range(300):
        reference, reply = (" ".join(dice.choices(vocabulary, k=dice.randint(low, 14))) for low in (1, 0))
        counts = RAW.counts(item(reference), reply)
        theirs = jiwer.process_words(reference, reply)
        assert [counts["sub"], counts["del"], counts["ins"]] == [
            theirs.substitutions,
            theirs.deletions,
            theirs.insertions,
        ]
        letters = WerScorer(Settings(language="en", normalizer="none", unit="characters"))
        assert wer(reference, reply, letters) == pytest.approx(jiwer.cer(reference, reply), abs=1e-12)


def test_kaldialign_counts_as_many_errors_with_and_without_compounds() -> None:
    kaldialign = pytest.importorskip("kaldialign")
    dice = random.Random(1)
    for _ in range(300):
        reference, reply = (dice.choices("a b ab ba aba".split(), k=dice.randint(1, 10)) for _ in range(2))
        for compounds in (False, True):
            counts = WerScorer(Settings(normalizer="none", compounds=compounds)).counts(
                item(" ".join(reference)), " ".join(reply)
            )
            theirs = kaldialign.edit_distance(reference, reply, merge_compounds=compounds)
            assert counts["sub"] + counts["del"] + counts["ins"] == theirs["total"]


LOGS = Path(__file__).parents[3] / "shared/data/audiobench-logs"
PUBLISHED = sorted(str(path.relative_to(LOGS)) for path in LOGS.glob("*/*_wer_score.json"))


@pytest.mark.shared
@pytest.mark.parametrize("log", PUBLISHED or ["no log"])
def test_published_error_rates_are_ours(log: str, shared: Path) -> None:
    published = orjson.loads((shared / "data/audiobench-logs" / log).read_bytes())
    pairs = [(row["reference"], row["prediction"]) for row in published["sample_wer"]]
    assert abs(of(RAW, *pairs)["wer"] - published["wer"]) < 1e-9
    worst = max(abs(wer(*pair, RAW) - row["wer"]) for pair, row in zip(pairs, published["sample_wer"], strict=True))
    assert worst < 1e-9


@pytest.mark.shared
def test_all_published_logs_are_looked_at(shared: Path) -> None:
    assert len(PUBLISHED) == 27


@pytest.mark.shared
def test_the_page_shows_what_rules_do_to_a_number(shared: Path) -> None:
    """Every row of the table of docs/words.md: 2,000 texts of VocalBench and what a recogniser heard of them."""
    page = (Path(__file__).parents[2] / "docs/words.md").read_text()
    shown = re.findall(r"^\| `([a-z0-9=. -]+)` \| (0\.\d{4}) \| (0\.\d{4}) \|$", page, re.MULTILINE)
    assert len(shown) == 7
    rows = orjson.loads((shared / "data/vocalbench/result_llama-omni/result_knowledge.json").read_bytes())
    pairs = [(row["prediction"], row["asr_pred"]) for row in rows]
    for words, *numbers in shown:
        found = of(WerScorer(parse_settings(Settings, dict(word.split("=") for word in words.split()), "")), *pairs)
        assert [f"{found[name]:.4f}" for name in ("wer", "mean_rate")] == numbers, words


# ---------------------------------------------------------------- replies, loops, settings


def test_the_raw_reply_is_not_touched() -> None:
    found = score("hello there", "<|en|><|transcribe|>hello there<|endoftext|>", WerScorer(Settings(language="en")))
    assert (found.answer, found.rule, found.counts["wrong"]) == ("hello there", "tokens.1", 0)
    kept = score("hello there", "<|en|>hello there", WerScorer(Settings(normalizer="none", tokens="kept")))
    assert kept.counts["sub"] == 1


@pytest.mark.parametrize(
    ("reply", "reference", "expected"),
    [
        ("no no no no no no", "no no no no no no", ([], 0)),  # it was said
        ("ha ha ha ha ha", "ha", (["ha"], 5)),
        ("ha ha ha ha", "ha", ([], 0)),
        ("so thank you thank you thank you thank you thank you", "so", (["thank", "you"], 5)),
        ("one two three four five six seven eight", "one", ([], 0)),
    ],
)
def test_loops(reply: str, reference: str, expected: tuple[list[str], int]) -> None:
    assert find_loop(reply.split(), reference.split()) == expected


def test_the_errors_of_an_item_are_told() -> None:
    assert score("the cat ran", "a cat sat down", RAW).explanation == "sub 'the' by 'a'; ins 'sat'; sub 'ran' by 'down'"
    assert score("a b c", "a c", RAW).explanation == "del 'b'"
    assert score("a b", "a b", RAW).explanation == ""
    assert score("", " ".join(map(str, range(30))), RAW).explanation.endswith("ins '19'; and 10 more")
    assert score("thank you", "muy bien " * 20, RAW).explanation.startswith("repetition loop: 'muy bien' 20 times; ")


@given(st.lists(st.sampled_from("abc"), max_size=9), st.lists(st.sampled_from("abc"), max_size=9))
def test_as_many_errors_are_told_as_are_counted(reference: list[str], reply: list[str]) -> None:
    found = score(" ".join(reference), " ".join(reply), RAW)
    kinds = [told[:3] for told in found.explanation.split("; ") if told]
    assert [kinds.count(kind) for kind in ("sub", "del", "ins")] == [
        found.counts[kind] for kind in ("sub", "del", "ins")
    ]


def test_loops_are_counted() -> None:
    assert of(RAW, ("thanks", "bye " * 40), ("yes", "yes"))["looped"] == 0.5


def test_a_filtered_reply_is_refused_and_all_its_words_are_missing() -> None:
    found = asyncio.run(RAW.score(item("a b"), Response("a b", stop="filtered")))
    assert (found.state, found.counts["del"]) == ("refused", 2)


def test_a_script_without_blanks_asks_for_its_language() -> None:
    with pytest.raises(UsageError, match="language=zh"):
        score("我们明天下午去公园散步", "我们", WerScorer())
    assert score("我们 去", "我们 去", WerScorer(Settings(unit="words"))).counts["wrong"] == 0
    assert score("the word 好", "the word 好", WerScorer()).counts["wrong"] == 0


def test_an_item_without_a_target_is_told() -> None:
    with pytest.raises(BadData, match="'7' has no target"):
        WerScorer().counts(Item("7"), "hello")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"normalizer": "whisper"},
            "called 'whisper'; did you mean whisper-en.1 or whisper-basic.1[?] There are: none, earmark",
        ),
        ({"language": "jp"}, "no language is called 'jp'"),
        ({"unit": "letters"}, "unit='letters'"),
        ({"compounds": True, "language": "zh"}, "compounds=true needs unit=words"),
        ({"normaliser": "none"}, "no setting is called 'normaliser'"),
    ],
)
def test_wrong_settings_are_told(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_settings(Settings, settings, "")


@pytest.mark.parametrize(
    ("settings", "signature"),
    [
        (WerScorer(Settings(language="en")), "wer|norm:earmark-en.2|agg:corpus|reply:tokens.1"),
        (WerScorer(Settings(language="zh")), "cer|norm:earmark-zh.2|agg:corpus|blanks:dropped|reply:tokens.1"),
        (
            WerScorer(Settings(language="fr", unit="characters")),
            "cer|norm:earmark-comma.1|agg:corpus|blanks:kept|reply:tokens.1",
        ),
        (
            WerScorer(Settings(normalizer="audiobench", empty="word", tokens="kept")),
            "wer|norm:audiobench.1|agg:corpus|reply:raw|empty:word",
        ),
        (
            WerScorer(Settings(normalizer="open-asr", empty="drop", compounds=True)),
            "wer|norm:open-asr.1|agg:corpus|reply:tokens.1|empty:drop|compounds:merged",
        ),
    ],
)
def test_signatures(settings: WerScorer, signature: str) -> None:
    assert settings.signature.rules == signature


def test_metrics_read_arrays_of_counts() -> None:
    pairs = [("a b c", "a x"), ("d", "d e f"), ("g h", "")]
    bags = [RAW.counts(item(reference), reply) for reference, reply in pairs]
    columns = {name: np.array([bag[name] for bag in bags]) for name in bags[0]}
    for name, metric in RAW.metrics.items():
        assert list(np.atleast_1d(metric.value(columns))) == [of(RAW, pair)[name] for pair in pairs]


def test_error_rates_go_down() -> None:
    assert {metric.better for metric in RAW.metrics.values()} == {"lower"}


def test_from_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    lines = [
        {"id": "1", "reply": "<|en|>twenty one dogs", "target": "21 dogs"},
        {"id": "2", "reply": "no", "target": "yes"},
    ]
    file.write_bytes(b"\n".join(map(orjson.dumps, lines)))
    done = earmark("score", str(file), "--scorer", "wer", "language=en", "--json")
    assert orjson.loads(done.stdout)["metrics"]["wer"] == pytest.approx(1 / 3)
    done = earmark("score", str(file), "--scorer", "wer", "normalizer=none", "--json")
    assert orjson.loads(done.stdout)["metrics"]["wer"] == pytest.approx(3 / 3)
