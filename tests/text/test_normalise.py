"""Normalisers against Whisper's own examples, the package that carries it, the published logs, and their own laws."""

from __future__ import annotations

import random
import re
import unicodedata
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from earmark.errors import UsageError
from earmark.text._chinese import value, with_units
from earmark.text._english import ADDED_BY_THE_PACKAGE
from earmark.text.normalise import (
    DEFAULTS,
    LANGUAGES,
    PIPELINES,
    UNSPACED_LANGUAGES,
    find_normalizer,
    is_unspaced,
    language_of,
    split_units,
    strip_tokens,
    unit_of,
)

DOCS = Path(__file__).parents[2] / "docs/words.md"
LETTERS = st.text(st.characters(categories=("L", "Mn", "Mc", "Nd", "Zs")), max_size=40)


# ---------------------------------------------------------------- laws


@given(st.text(max_size=60), st.sampled_from(sorted(PIPELINES)))
def test_any_text_can_be_normalised(text: str, name: str) -> None:
    assert isinstance(PIPELINES[name](text), str)


@given(LETTERS)
@example("İI ıi ﬁ ｶﾞ ทำ ŉ")
def test_what_is_normalised_stays(text: str) -> None:
    once = find_normalizer("earmark")(text)
    assert find_normalizer("earmark")(once) == once


@given(LETTERS, st.sampled_from(["earmark.2", "earmark-comma.1", "earmark-en.2", "earmark-zh.2"]))
@example(
    "ÀSR", "earmark-en.2"
)  # Whisper's own rules end a word at the mark of a decomposed letter: SR is a senior then
def test_composed_and_decomposed_letters_are_one(text: str, name: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert PIPELINES[name](composed) == PIPELINES[name](decomposed)


@given(st.text(max_size=60))
def test_none_changes_nothing(text: str) -> None:
    assert find_normalizer("none")(text) == text


@given(st.lists(st.sampled_from("the cat sat मेरी किताब ไทย".split()), max_size=8).map(" ".join))
def test_marks_stay(text: str) -> None:
    assert find_normalizer(language="hi")(text) == text


@pytest.mark.parametrize("text", ["9", "nine ", "1,000", "million ", "亿", "十", "一万", "1.2万", "…", "$", "1/", "½"])
@pytest.mark.parametrize("name", sorted(PIPELINES))
def test_a_reply_that_loops_can_be_normalised(name: str, text: str) -> None:
    """Python reads no more than 4,300 digits and nests 1,000 calls."""
    assert isinstance(PIPELINES[name](text * 6000), str)


OWN = sorted(name for name in PIPELINES if name.startswith("earmark"))
PUNCTUATION = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code))[0] == "P"]
PUNCTUATION = [sign for sign in PUNCTUATION if unicodedata.normalize("NFKC", sign) != "&"]  # which is read as a word


@pytest.mark.parametrize("name", OWN)
def test_no_punctuation_is_ever_a_word(name: str) -> None:
    normal = PIPELINES[name]
    for sign in PUNCTUATION:
        for text in (f"wait{sign}", f"{sign}wait", f"wait {sign}", f"{sign} wait", f"wait{sign * 3}"):
            assert normal(text) == "wait", (text, hex(ord(sign)))


@given(st.integers(1000, 10**12), st.sampled_from(sorted(LANGUAGES)), st.sampled_from("\u0020\u00a0\u202f\u2009'’٬,"))
@example(1250, "de", ",")
@example(1250, "es-MX", ",")
@example(1000, "wuu", "’")
def test_grouped_thousands_are_one_number(number: int, tag: str, sign: str) -> None:
    """By the sign of the language and by those that are no language's decimal sign."""
    comma = str(find_normalizer(language=tag)) in ("earmark-comma.1", "earmark-tr.2")
    group, decimal = (".", ",") if comma else (",", ".")
    normal = find_normalizer(language=tag)
    bare, grouped = f"x {number} y", f"x {number:,} y"
    assert normal(grouped.replace(",", group if sign == "," else sign)) == normal(bare)
    if number < 10**6:  # one group may be a fraction
        assert normal(grouped.replace(",", decimal)) != normal(bare)


@given(st.integers(0, 10**12 - 1))
@example(12000)
@example(2024)
@example(200)
def test_a_chinese_number_is_one_by_value(number: int) -> None:
    normal, text = find_normalizer("earmark-zh"), str(number)
    read = with_units(text)
    ways = [text, f"{number:,}", read, read.replace("两", "二"), read.replace("两", "二", 1)]
    assert len({normal(f"共{way}人") for way in ways}) == 1
    assert value(read) == number


TRICKY = [orjson.loads(line) for line in (Path(__file__).parent / "tricky_pairs.jsonl").read_bytes().splitlines()]


@pytest.mark.parametrize("pair", TRICKY, ids=lambda pair: f"{pair['language']}: {pair['reason']}")
def test_tricky_pairs(pair: dict[str, Any]) -> None:
    """Two texts that are said alike, or are not, under the defaults of their language."""
    normal, unit = find_normalizer(language=pair["language"]), unit_of(pair["language"])
    reference, hypothesis = (
        split_units(normal(pair[side]), unit, pair["language"]) for side in ("reference", "hypothesis")
    )
    assert (reference == hypothesis) == pair["equal"]


# ---------------------------------------------------------------- Whisper

# What Whisper's own tests and documentation fix.
WHISPER = {
    "two": "2",
    "five twenty four": "524",
    "nineteen ninety nine": "1999",
    "two point five million": "2500000",
    "200 thousand dollars": "$200000",
    "two double o eight": "2008",
    "nineteen fifties": "1950s",
    "thirty first": "31st",
    "ninety percent": "90%",
    "double oh seven": "007",
    "one triple oh one": "10001",
    "minus 500": "-500",
    "two dollars and seventy cents": "$2.70",
    "3 cents": "¢3",
    "$0.36": "¢36",
    "three and a half million": "3500000",
    "b747": "b 747",
    "10 th": "10th",
    "Let's": "let us",
    "he's like": "he is like",
    "10km": "10 km",
    "RC232": "rc 232",
    "Mr. Park visited Assoc. Prof. Kim Jr.": "mister park visited associate professor kim junior",
    "I kinda dunno": "i kinda dunno",  # the package would say "kind of" and "do not know"
    "the cœur, a naïve façade": "the coeur a naive facade",
    "uh [noise] the <tag> colour (laughs) of £ x": "the color of x",
}


@pytest.mark.parametrize(("text", "expected"), WHISPER.items())
def test_whisper_en_by_its_own_examples(text: str, expected: str) -> None:
    assert " ".join(find_normalizer("whisper-en")(text).split()) == expected


def whispers() -> Any:
    """The package's normaliser without the words that it adds to OpenAI's."""
    theirs = pytest.importorskip("whisper_normalizer.english").EnglishTextNormalizer()
    theirs.replacers = {key: to for key, to in theirs.replacers.items() if key not in ADDED_BY_THE_PACKAGE}
    return theirs


def test_whisper_is_what_the_package_carries_on_word_salad() -> None:
    """Number words, contractions, titles and signs in any order: where the quicker way could go wrong."""
    theirs, basic = whispers(), pytest.importorskip("whisper_normalizer.basic").BasicTextNormalizer()
    dice = random.Random(0)
    contractions = [re.sub(r"\\b", "", pattern) for pattern in theirs.replacers]
    signs = (
        "1 2 10 3.5 1,000 $5 £0.36 ¢7 50% 20mm b747 10th and a half hmm mm [x] (y) <z> é ﬁ ½ , . & ' - — park's".split()
    )
    words = [*contractions, *sorted(theirs.standardize_numbers.words), *signs]
    for _ in range(4000):
        gaps = dice.choices([" ", " ", " ", "", "  ", "-", ". ", ", "], k=12)
        text = "".join(word + gap for word, gap in zip(dice.choices(words, k=dice.randint(1, 12)), gaps, strict=False))
        assert find_normalizer("whisper-en")(text) == theirs(text), text
        assert find_normalizer("whisper-basic")(text) == basic(text), text


@pytest.mark.shared
def test_whisper_is_what_the_package_carries_on_real_replies(shared: Path) -> None:
    theirs, seen = whispers(), 0
    for path in sorted((shared / "data/audiobench-logs").glob("*/*_llama3_70b_judge_score.json"))[::4]:
        for row in orjson.loads(path.read_bytes())["details"]:
            for text in (row["reference"], row["model_prediction"]):
                assert find_normalizer("whisper-en")(text) == theirs(text), text
                seen += 1
    assert seen > 1000


# ---------------------------------------------------------------- the others


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("open-asr", "It's Park's e-mail to the B.B.C., aha, OK?", "it is park s email to the bbc okay"),
        ("open-asr", "a i in the u s a on 5 g", "a i in the usa on 5g"),
        ("open-asr-de", "Er hat 2 000 Äpfel (rote), und 3,5!", "er hat zweitausend äpfel und drei fünf"),
        ("open-asr-fr", "Il a 80 ans.", "il a quatre vingts ans"),
        ("audiobench", "It's 3.5 of 20 (er) 21%!", "it is threefive of twenty 21"),
        ("audiobench-zh", "我爱AI，真的", "我 爱ai 真 的"),
        ("qwen-zh", "2024年 5月3日，有1500个人 <|zh|>P2P", "二零二四年五月三日有一千五百个人p2p"),
        ("qwen-zh", "50%的人在3/4的时间", "百分之五十的人在四分之三的时间"),
        ("qwen-zh", "电话13912345678", "电话一三九一二三四五六七八"),
        ("qwen-yue", "佢哋去咗香港，<|yue|>係咪呀？", "佢哋去咗香港系咪呀"),
        ("earmark-zh", "２０２４ 年，我們有 2 個 iPhone", "二零二四年我们有二个iphone"),
        ("earmark-zh", "二〇二四年", "二零二四年"),
        ("earmark-tr", "IRMAK, İzmir'de", "ırmak izmir de"),
        ("earmark", "L’été : 25 °C, ﬁn", "l été 25 c fin"),
        ("earmark", "می‌روم ۱۲", "میروم 12"),
        ("earmark-en", "Don’t, R&B costs $1.50 — well-known", "do not r and b costs $1.50 well known"),
    ],
)
def test_pipelines_by_example(name: str, text: str, expected: str) -> None:
    assert " ".join(find_normalizer(name)(text).split()) == expected


@pytest.mark.shared
def test_audiobench_leaves_its_own_published_texts_alone(shared: Path) -> None:
    """The logs hold normalised texts. Most stay as they are; the rest have numbers that grow when they are read again."""
    same = seen = 0
    for path in sorted((shared / "data/audiobench-logs").glob("*/librispeech*_wer_score.json")):
        for row in orjson.loads(path.read_bytes())["sample_wer"]:
            for text in (row["reference"], row["prediction"]):
                same += find_normalizer("audiobench")(text).split() == text.split()
                seen += 1
    assert same / seen > 0.99


# ---------------------------------------------------------------- names, languages, units


def test_every_pipeline_has_a_name_and_a_version() -> None:
    for name, pipeline in PIPELINES.items():
        assert str(pipeline) == name
        assert re.fullmatch(r"none|[a-z-]+\.[1-9]", name)
        assert find_normalizer(pipeline.name) is pipeline


@pytest.mark.parametrize(
    ("tag", "language", "name", "unit"),
    [
        ("en", "en", "earmark-en.2", "words"),
        ("EN_us", "en", "earmark-en.2", "words"),
        ("cmn_hans_cn", "zh", "earmark-zh.2", "characters"),
        ("zh-yue", "yue", "earmark-zh.2", "characters"),
        ("ja", "ja", "earmark.2", "characters"),
        ("th", "th", "earmark.2", "characters"),
        ("hi", "hi", "earmark.2", "words"),
        ("ko", "ko", "earmark.2", "words"),
        ("tr", "tr", "earmark-tr.2", "words"),
        ("", "", "earmark.2", "words"),
    ],
)
def test_defaults_by_language(tag: str, language: str, name: str, unit: str) -> None:
    assert (language_of(tag), str(find_normalizer(language=tag)), unit_of(tag)) == (language, name, unit)


def test_all_languages_are_known_to_each_other() -> None:
    assert {*DEFAULTS, *UNSPACED_LANGUAGES} <= LANGUAGES


@pytest.mark.parametrize("tag", ["jp", "english", "xx", "zz-en"])
def test_an_unknown_language_is_told(tag: str) -> None:
    with pytest.raises(UsageError, match=f"no language is called '{tag}'"):
        find_normalizer(language=tag)


def test_units() -> None:
    assert split_units("a b", "characters", "en") == ["a", " ", "b"]
    assert split_units("我 爱 ai", "characters", "zh") == list("我爱ai")
    assert split_units("我爱ai吗 ok", "mixed") == ["我", "爱", "ai", "吗", "ok"]
    assert split_units("มา na", "mixed") == ["ม", "า", "na"]


def test_scripts_without_blanks() -> None:
    assert [is_unspaced(text) for text in ("", "hello", "这是一句话", "ทำไม", "한국어 단어", "हिंदी", "hello 好")] == [
        False, False, True, True, False, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("<|en|><|NEUTRAL|><|Speech|><|withitn|>hello there", "hello there"),
        ("language English<asr_text>hello there</asr_text>", "hello there"),
        ("<en-US> hello there</s>", "hello there"),
        ("the language english is spoken", "the language english is spoken"),
        ("5 < 6 and <b> stays", "5 < 6 and <b> stays"),
        ("hello <en-US> there", "hello <en-US> there"),  # not where a reply opens
    ],
)
def test_tokens_around_a_transcript(reply: str, expected: str) -> None:
    assert " ".join(strip_tokens(reply).split()) == expected


# ---------------------------------------------------------------- the page


def test_the_page_shows_what_the_code_does() -> None:
    """Each sample of docs/words.md, by each normaliser that it is shown for."""
    page = DOCS.read_text()
    samples = dict(re.findall(r"^- \*\*([ABC])\*\* `(.+)`$", page, re.MULTILINE))
    rows = re.findall(r"^\| `([a-z.0-9-]+)` \| ([ABC]) \| `(.*)` \|$", page, re.MULTILINE)
    assert {name for name, _, _ in rows} == set(PIPELINES)
    for name, sample, shown in rows:
        assert PIPELINES[name](samples[sample]).strip() == shown, name
