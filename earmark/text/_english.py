"""Steps on English, most of them Whisper's.

The tables (contractions, titles, number words, British spellings) are those of the package whisper-normalizer; four
contractions that it adds to OpenAI's are left out. Each step gives what Whisper's gives, the common cases by a quicker
way.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from importlib import import_module
from typing import Any, Final, NamedTuple

from earmark.text._characters import Table

ADDED_BY_THE_PACKAGE: Final = {r"\bkinda\b", r"\bsorta\b", r"\bdunno\b", r"\bcause\b"}
POSSESSIVE: Final = r"'s\b"
PRONOUN_IS: Final = (r"\b(it|he|she|what|that|who|here|there|how|when|where|why|this)'s\b", r"\1 is")

WHISPER_FILLERS: Final = re.compile(r"\b(?:hmm|mm|mhm|mmm|uh|um)\b")
FILLERS_BUT_MM: Final = re.compile(r"\b(?:hmm|mhm|mmm|uh|um)\b")
OPEN_ASR_FILLERS: Final = re.compile(
    r"\b(?:hmm|mm|mhm|mmm|uh|um|ah|aha|ahh|ahm|eh|ehehe|em|hm|huh|hum|mhum|uhm|umm|uhuh)\b"
)
AUDIOBENCH_FILLERS: Final = re.compile(r"\b(?:uh|umm|um|er|ah)\b")
MM: Final = re.compile(r"(?<![0-9] )\bmm\b")

BLANKS_BEFORE_APOSTROPHE: Final = re.compile(r"\s+'")
COMMA_IN_NUMBER: Final = re.compile(r"(\d),(\d)")
PERIOD: Final = re.compile(r"\.([^0-9]|$)")
STRAY_SIGN: Final = re.compile(r"[.$¢€£]([^0-9])")
STRAY_PERCENT: Final = re.compile(r"([^0-9])%")
WRITTEN_ONE: Final = re.compile(r"\bone(s?)\b")
AND_A_HALF: Final = re.compile(r"\band\s+a\s+half\b")
DIGIT: Final = re.compile(r"\d")
NUMBER_SIGNS: Final = ".%$¢€£"

# Spellings that belong together, as the Open ASR fork joins them.
JOINED: Final = tuple(
    (re.compile(r"\b" + r"\s+".join(apart.split()) + r"\b"), together)
    for apart, together in (
        ("et cetera", "etc"),
        ("al right", "alright"),
        ("all right", "alright"),
        ("how ever", "however"),
        ("wi fi", "wifi"),
        ("hi fi", "hifi"),
        ("lo fi", "lofi"),
        ("sci fi", "scifi"),
        ("e mail", "email"),
        ("e book", "ebook"),
        ("e commerce", "ecommerce"),
        ("x ray", "xray"),
        ("t shirt", "tshirt"),
        ("a m", "am"),
        ("p m", "pm"),
        ("o k", "okay"),
    )
)
OPEN_ASR_SPELLINGS: Final = {"ok": "okay", "kay": "okay", "etcetera": "etc"}
SMALL_NUMBERS: Final = dict(
    zip(
        [*map(str, range(21)), *map(str, range(30, 100, 10))],
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
        " eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety".split(),
        strict=True,
    )
)
SMALL_NUMBER: Final = re.compile(r"\b(?:[0-9]|1[0-9]|[2-9]0)\b")


class Whisper(NamedTuple):
    """Whisper's tables, ready for use."""

    words: dict[str, str]  # whole words that are replaced, whatever follows
    word: re.Pattern[str]
    endings: tuple[tuple[str, str], ...]  # patterns with an apostrophe, in their order
    numbers: Any  # EnglishNumberNormalizer
    number_words: frozenset[str]
    spellings: dict[str, str]


@functools.cache
def whisper() -> Whisper:
    """The tables, read when they are first needed."""
    module = import_module("whisper_normalizer.english")
    replacers = {
        key: to for key, to in module.EnglishTextNormalizer().replacers.items() if key not in ADDED_BY_THE_PACKAGE
    }
    whole = {key[2:-2]: to for key, to in replacers.items() if key.startswith(r"\b")}
    numbers = module.EnglishNumberNormalizer()
    return Whisper(
        whole,
        re.compile(rf"\b(?:{'|'.join(whole)})\b"),
        tuple((key, to) for key, to in replacers.items() if not key.startswith(r"\b")),
        numbers,
        frozenset(numbers.words) - {"and"},
        module.EnglishSpellingNormalizer().mapping,
    )


# ---------------------------------------------------------------- Whisper's


def drop_fillers(text: str) -> str:
    """Without hmm, mm, mhm, mmm, uh and um."""
    return WHISPER_FILLERS.sub("", text)


def join_apostrophes(text: str) -> str:
    """Without a blank before an apostrophe."""
    return BLANKS_BEFORE_APOSTROPHE.sub("'", text)


def expand(text: str) -> str:
    """Contractions and titles in full; every 's is "is".

    >>> expand("mr park's won't")
    'mister  park is will not'
    """
    return _expanded(text, whisper().endings)


def _expanded(text: str, endings: tuple[tuple[str, str], ...]) -> str:
    tables = whisper()
    text = tables.word.sub(lambda found: tables.words[found[0]], text)
    if "'" in text:
        for pattern, to in endings:
            text = re.sub(pattern, to, text)
    return text


def bare_numbers(text: str) -> str:
    """Without commas inside numbers; a period that no digit follows is a blank."""
    return PERIOD.sub(r" \1", COMMA_IN_NUMBER.sub(r"\1\2", text))


def _letter_or_number(character: str, category: str) -> str:
    if character in NUMBER_SIGNS:
        return character
    other: str | None = import_module("whisper_normalizer.basic").ADDITIONAL_DIACRITICS.get(character)
    if other is not None:
        return other
    if category == "Mn":
        return ""
    return " " if category[0] in "MSP" else character


LETTERS_AND_NUMBERS: Final = Table(_letter_or_number)


def letters_and_numbers(text: str) -> str:
    """Without diacritics, and a blank for symbols other than . % $ ¢ € £.

    >>> letters_and_numbers("naïve—£3")
    'naive £3'
    """
    return unicodedata.normalize("NFKD", text).translate(LETTERS_AND_NUMBERS)


def read_numbers(text: str) -> str:
    """Number words as digits, with their signs; a bare 1 is "one".

    >>> read_numbers("two point five million people paid twenty one dollars")
    '2500000 people paid $21'
    """
    tables = whisper()
    words = text.split()
    if tables.number_words.isdisjoint(words) and not DIGIT.search(text) and not AND_A_HALF.search(text):
        return " ".join(words)
    return str(tables.numbers(text))


def american(text: str) -> str:
    """British spellings as American ones."""
    spellings = whisper().spellings
    return " ".join(spellings.get(word, word) for word in text.split())


def drop_stray_signs(text: str) -> str:
    """Without signs of money that no digit follows, and % that none precedes."""
    return STRAY_PERCENT.sub(r"\1 ", STRAY_SIGN.sub(r" \1", text))


# ---------------------------------------------------------------- ours


def and_sign(text: str) -> str:
    """The sign & as the word.

    >>> and_sign("salt & pepper")
    'salt  and  pepper'
    """
    return text.replace("&", " and ")


def drop_fillers_but_mm(text: str) -> str:
    """Without hmm, mhm, mmm, uh and um."""
    return FILLERS_BUT_MM.sub("", text)


def drop_mm(text: str) -> str:
    """Without mm, but where it follows a digit: there it is a unit.

    >>> drop_mm("mm a 20 mm lens")
    ' a 20 mm lens'
    """
    return MM.sub("", text)


def read_all_numbers(text: str) -> str:
    """Number words as digits, 1 too: written as "one", it would lose the sign or the point before it.

    >>> read_all_numbers("one dollar at 3.1"), drop_stray_signs(read_numbers("one dollar at 3.1"))
    ('$1 at 3.1', ' one at 3 one')
    """
    return WRITTEN_ONE.sub(r"1\1", read_numbers(text))


# ---------------------------------------------------------------- the Open ASR leaderboard's


def drop_open_asr_fillers(text: str) -> str:
    """Without the fork's twenty fillers."""
    return OPEN_ASR_FILLERS.sub("", text)


@functools.cache
def _open_asr_endings() -> tuple[tuple[str, str], ...]:
    return tuple(PRONOUN_IS if pattern == POSSESSIVE else (pattern, to) for pattern, to in whisper().endings)


def expand_open_asr(text: str) -> str:
    """Contractions and titles in full; 's is "is" after pronouns and their like only.

    >>> expand_open_asr("it's park's")
    "it is park's"
    """
    return _expanded(text, _open_asr_endings())


def join_compounds(text: str) -> str:
    """Sixteen compounds in one word.

    >>> join_compounds("all right by e mail")
    'alright by email'
    """
    for apart, together in JOINED:
        text = apart.sub(together, text)
    return text


def open_asr_spellings(text: str) -> str:
    """British spellings as American ones, ok as okay."""
    return american(" ".join(OPEN_ASR_SPELLINGS.get(word, word) for word in text.split()))


def join_letters(text: str) -> str:
    """Letters and digits that stand alone in a row, joined; a row with an a or i only from three on.

    >>> join_letters("the b b c in a 5 g u s a i m")
    'the bbc in a5gusaim'
    """
    out: list[str] = []
    row: list[str] = []
    for word in [*text.split(), ""]:
        if len(word) == 1 and word.isalnum():
            row.append(word)
            continue
        if len(row) >= (3 if {"a", "i"} & set(row) else 2):
            row = ["".join(row)]
        out += [*row, word]
        row = []
    return " ".join(out[:-1])


# ---------------------------------------------------------------- AudioBench's


def small_numbers_as_words(text: str) -> str:
    """0 to 20 and the tens as words.

    >>> small_numbers_as_words("20 or 21 of 3.5")
    'twenty or 21 of three.five'
    """
    return SMALL_NUMBER.sub(lambda found: SMALL_NUMBERS[found[0]], text)


def drop_punctuation(text: str) -> str:
    """Without punctuation, and no blank in its place: 3.5 becomes 35.

    >>> drop_punctuation("$3.5 50%")
    '$35 50'
    """
    return text.translate(NO_PUNCTUATION)


NO_PUNCTUATION: Final = Table(lambda character, category: "" if category[0] == "P" else character)


def drop_audiobench_fillers(text: str) -> str:
    """Without uh, umm, um, er and ah."""
    return AUDIOBENCH_FILLERS.sub("", text)
