"""Steps on English, most of them Whisper's.

The rules are those of the package whisper-normalizer, whose normaliser is called as it is: what its variants change
are its own attributes (fillers, contractions, the reading of numbers, spellings). Four contractions that it adds to
OpenAI's are left out. Two of its steps are given in a quicker form with the same result (docs/decisions/012).
"""

from __future__ import annotations

import functools
import re
import string
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from earmark.text._characters import CharacterTable

ADDED_BY_THE_PACKAGE: Final = {r"\bkinda\b", r"\bsorta\b", r"\bdunno\b", r"\bcause\b"}
POSSESSIVE: Final = r"'s\b"
PRONOUN_IS: Final = (r"\b(it|he|she|what|that|who|here|there|how|when|where|why|this)'s\b", r"\1 is")
WITH_APOSTROPHE: Final = r"(?s)\A[^']*'.*"  # a whole text

FILLERS_BUT_MM: Final = re.compile(r"\b(?:hmm|mhm|mmm|uh|um)\b")
OPEN_ASR_FILLERS: Final = re.compile(
    r"\b(?:hmm|mm|mhm|mmm|uh|um|ah|aha|ahh|ahm|eh|ehehe|em|hm|huh|hum|mhum|uhm|umm|uhuh)\b"
)
AUDIOBENCH_FILLERS: Final = re.compile(r"\b(?:uh|umm|um|er|ah)\b")
MM: Final = re.compile(r"(?<![0-9] )\bmm\b")

ARTICLE: Final = re.compile(r"\b(?:a|an|the)\b")
NO_ASCII_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
WRITTEN_ONE: Final = re.compile(r"\bone(s?)\b")
AND_A_HALF: Final = re.compile(r"\band\s+a\s+half\b")
DIGIT: Final = re.compile(r"\d")
UNREADABLE: Final = re.compile(r"\d{4000}")
ELLIPSIS: Final = re.compile(r"\.{2,}")
NO_BRACKETS: Final = str.maketrans("()[]<>", "      ")  # full width ones parted no span
SIGN_OF_NUMBER: Final = re.compile(r"\d\s*[%+,]|[-‐‑−–+]\s*\d")
LIST_COMMA: Final = re.compile(r"(?<=\d),(?=\d)")
MINUS: Final = re.compile(r"(?<![\w.,:;])(?<!\d\s)[-‐‑−–](?=\d)")
PLUS: Final = re.compile(r"(?<![\w+])\+\s*(?=\d)|(?<=\d)\s*\+\s*(?=\d)")
BLANK_BEFORE_PERCENT: Final = re.compile(r"(?<=\d)\s+(?=%)")
STRAY_SIGN: Final = re.compile(r"[.$¢€£%](?:(?<!%)(?![0-9])|(?<=%)(?<![0-9]%))")

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
        """
        zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
    """.split(),
        strict=True,
    )
)
SMALL_NUMBER: Final = re.compile(r"\b(?:[0-9]|1[0-9]|[2-9]0)\b")


# ---------------------------------------------------------------- Whisper's


def _normaliser(possessive: tuple[str, str] = (POSSESSIVE, " is")) -> Any:
    """The package's normaliser with OpenAI's contractions: all whole words at once, then all endings in their order."""
    english = import_module("whisper_normalizer.english").EnglishTextNormalizer()
    replacers = {key: text for key, text in english.replacers.items() if key not in ADDED_BY_THE_PACKAGE}
    whole = {key[2:-2]: text for key, text in replacers.items() if key.startswith(r"\b")}
    endings = [
        (re.compile(key), text)
        for key, text in (possessive if pair[0] == POSSESSIVE else pair for pair in replacers.items())
        if not key.startswith(r"\b") or key == possessive[0]
    ]
    english.replacers = {
        rf"\b(?:{'|'.join(whole)})\b": lambda match: whole[match[0]],
        WITH_APOSTROPHE: lambda match: functools.reduce(
            lambda text, pair: pair[0].sub(pair[1], text), endings, match[0]
        ),
    }
    english.standardize_numbers = _number_reader(english.standardize_numbers)
    return english


def _number_reader(numbers: Any) -> Callable[[str], str]:
    """Whisper's reading of numbers, for texts that have any. It fails on longer ones than Python reads, which stay."""
    number_words = frozenset(numbers.words) - {"and"}

    def read(text: str) -> str:
        words = text.split()
        bare = number_words.isdisjoint(words) and not DIGIT.search(text) and not AND_A_HALF.search(text)
        if bare or UNREADABLE.search(text):
            return " ".join(words)
        return str(numbers(text))

    return read


@functools.cache
def _whisper() -> Any:
    return _normaliser()


def whisper_tables(text: str) -> str:
    """OpenAI's English normaliser.

    >>> whisper_tables("Mr. Park's two point five million dollars")
    'mister park is $2500000'
    """
    return str(_whisper()(text))


# ---------------------------------------------------------------- ours


@functools.cache
def _earmark() -> Any:
    english = _normaliser()
    numbers, spellings = english.standardize_numbers, english.standardize_spellings
    english.ignore_patterns = FILLERS_BUT_MM
    english.standardize_numbers = lambda text: (
        WRITTEN_ONE.sub(r"1\1", text) if "one" in (text := numbers(text)) else text
    )
    english.standardize_spellings = lambda text: MM.sub("", spellings(text)) if "mm" in text else spellings(text)
    return english


def earmark(text: str) -> str:
    """The same, but "one" is 1 (as a word it would lose the sign or the point before it) and mm after a number a unit.

    >>> earmark("mm one dollar, 3.1 and a 20 mm lens"), whisper_tables("mm one dollar, 3.1 and a 20 mm lens")
    (' $1 3.1 and a 20 mm lens', ' one 3 one and a 20 lens')
    """
    return str(_earmark()(text))


def signs_as_words(text: str) -> str:
    """The signs that are spoken as words: &, and + and - before a number. An ellipsis and a list's comma are blanks.

    >>> signs_as_words("R&B at -5, 2+3, 100 % of 1,2 ...")
    'R and B at minus 5, 2 plus 3, 100% of 1, 2  '
    """
    text = ELLIPSIS.sub(" ", text.replace("&", " and ").translate(NO_BRACKETS))
    if not SIGN_OF_NUMBER.search(text):
        return text
    text = LIST_COMMA.sub(", ", text)
    return BLANK_BEFORE_PERCENT.sub("", PLUS.sub(" plus ", MINUS.sub("minus ", text)))


def drop_stray_signs(text: str) -> str:
    """Without periods and signs of money that no digit follows, and % that none precedes.

    >>> drop_stray_signs("$5 in $ and . %")
    '$5 in   and    '
    """
    return STRAY_SIGN.sub(" ", text)


def without_articles(text: str) -> str:
    """Lower case, no ASCII punctuation, no articles, single blanks: the rule of SQuAD and HELM.

    >>> without_articles("The  Beatles!")
    'beatles'
    """
    return " ".join(ARTICLE.sub(" ", text.lower().translate(NO_ASCII_PUNCTUATION)).split())


# ---------------------------------------------------------------- the Open ASR leaderboard's


@functools.cache
def _open_asr() -> Any:
    english = _normaliser(PRONOUN_IS)
    numbers, spellings = english.standardize_numbers, english.standardize_spellings
    english.ignore_patterns = OPEN_ASR_FILLERS
    english.standardize_numbers = lambda text: numbers(join_compounds(text))
    english.standardize_spellings = lambda text: join_letters(
        spellings(" ".join(OPEN_ASR_SPELLINGS.get(word, word) for word in text.split()))
    )
    return english


def open_asr(text: str) -> str:
    """The fork: twenty fillers, 's is "is" after pronouns and their like only, compounds and single letters joined.

    >>> open_asr("It's Park's, uhm, all right")
    'it is park s alright'
    """
    return str(_open_asr()(text))


def join_compounds(text: str) -> str:
    """Sixteen compounds in one word.

    >>> join_compounds("all right by e mail")
    'alright by email'
    """
    for apart, together in JOINED:
        text = apart.sub(together, text)
    return text


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
    return SMALL_NUMBER.sub(lambda match: SMALL_NUMBERS[match[0]], text)


def drop_punctuation(text: str) -> str:
    """Without punctuation, and no blank in its place: 3.5 becomes 35.

    >>> drop_punctuation("$3.5 50%")
    '$35 50'
    """
    return text.translate(NO_PUNCTUATION)


NO_PUNCTUATION: Final = CharacterTable(lambda character, category: "" if category[0] == "P" else character)


def drop_audiobench_fillers(text: str) -> str:
    """Without uh, umm, um, er and ah."""
    return AUDIOBENCH_FILLERS.sub("", text)
