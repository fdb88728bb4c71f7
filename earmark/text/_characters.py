"""Steps on single characters, for any script.

A step takes a text and gives a text. Those that go by Unicode category look a character up once and keep what they
found. Categories: P punctuation, S symbols, M combining marks (Mn those that take no room), Nd digits, Cf invisible
signs.

Grouped thousands are joined by what a language writes: `1.250` is 1250 where the comma is the decimal sign, and 1.25
where the period is.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from earmark.errors import BadSetup

SPANS: Final = (re.compile(r"[<\[][^>\]]*[>\]]"), re.compile(r"\([^)]+?\)"))
APOSTROPHES: Final = str.maketrans(dict.fromkeys("‘’‛ʼʻ´`′＇", "'") | {"ŉ": "'n"})
ZERO_WIDTH_SPACE: Final = "\u200b"
TATWEEL: Final = "\u0640"  # stretches an Arabic word
BREAK: Final = re.compile(r"[…‥—―]|\.{2,}")
NOT_A_DIGIT: Final = re.compile(r"\D")
QUARTERS: Final = {"¼": ("1/4", ".25"), "½": ("1/2", ".5"), "¾": ("3/4", ".75")}  # alone, after a number
GROUPED: Final = re.compile(r"\d[.,'’٬ \u00a0\u202f\u2009]\d\d")  # a text without has no grouped number
QUARTER: Final = re.compile(r"(?:(?<=\d)\s?)?[¼½¾]")

# Han with its numerals and signs, kana, Thai, Lao, Tibetan, Burmese, Khmer: scripts that put no blanks between words.
UNSPACED_SCRIPTS: Final = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff\u0e00-\u0e7f\u0e80-\u0eff\u0f00-\u0fff\u1000-\u109f\uaa60-\uaa7f"
    "\u1780-\u17ff\u19e0-\u19ff"
)
BESIDE_UNSPACED: Final = re.compile(rf"(?<=[{UNSPACED_SCRIPTS}])\s+|\s+(?=[{UNSPACED_SCRIPTS}])")


class CharacterTable(dict[int, str]):
    """A table for `str.translate` that asks a rule about each new character."""

    def __init__(self, rule: Callable[[str, str], str]) -> None:
        super().__init__()
        self._rule = rule

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = self._rule(character, unicodedata.category(character))
        return self[code]


def _visible(character: str, category: str) -> str:
    if character == ZERO_WIDTH_SPACE:
        return " "
    return "" if category == "Cf" else character


def _plain(character: str, category: str) -> str:
    if character == TATWEEL:
        return ""
    return " " if category[0] in "PS" else character


def _drop_point(character: str, category: str) -> str:
    point = "\u0591" <= character <= "\u05c7" or "\u0610" <= character <= "\u06ed"
    return "" if category == "Mn" and point else character


def _no_word(character: str, category: str) -> str:
    """Signs that NFKC would turn into letters, or into a blank with a mark over it."""
    if category[0] in "PS" and (character in "™℠" or unicodedata.normalize("NFKC", character)[0] == " "):
        return " "
    return character


NO_WORDS: Final = CharacterTable(_no_word)
VISIBLE: Final = CharacterTable(_visible)
PLAIN: Final = CharacterTable(_plain)
UNPOINTED: Final = CharacterTable(_drop_point)
SIGNLESS: Final = CharacterTable(
    lambda sign, kind: "" if kind[0] == "P" or kind in ("Sc", "Sk") or sign in "−⁄" else sign
)
ASCII_DIGITS: Final = CharacterTable(lambda sign, category: str(unicodedata.digit(sign)) if category == "Nd" else sign)
HAMZA: Final = str.maketrans("أإآٱؤئ", "ااااوي")
PERSIAN: Final = str.maketrans("كيى", "کیی")


def drop_bracketed(text: str) -> str:
    """Without what stands in <>, [] or ()."""
    for span in SPANS:
        text = span.sub("", text)
    return text


def single_blanks(text: str) -> str:
    """Any white space as one blank, none at either end."""
    return " ".join(text.split())


@functools.cache
def _basic() -> Any:
    return import_module("whisper_normalizer.basic").BasicTextNormalizer()


def basic(text: str) -> str:
    """Whisper's rules for any language: a blank for all punctuation, symbols and combining marks, lower case."""
    return str(_basic()(text))


BLANK_GROUPS: Final = re.compile(r"(?<=\d) +(?=\d{3}\b)")  # the blank in 1 000
DIGITS: Final = re.compile(r"\d+")


def spell_numbers(text: str, language: str) -> str:
    """Every whole number in the words of a language, as the Open ASR leaderboard has it for all but English.

    >>> spell_numbers("il y a 2 000 mots", "fr")
    'il y a deux mille mots'
    """
    text = BLANK_GROUPS.sub("", text)
    if not DIGITS.search(text):
        return text
    try:
        words = import_module("num2words")
    except ModuleNotFoundError as error:
        raise BadSetup(
            f"the normalizer open-asr-{language} needs the package num2words; pip install 'earmark[text]'"
        ) from error

    def spell(match: re.Match[str]) -> str:
        try:
            return str(words.num2words(int(match[0]), lang=language))
        except (OverflowError, ValueError, IndexError):  # longer than the language has words, or than Python reads
            return match[0]

    return DIGITS.sub(spell, text)


def basic_with_numbers(language: str) -> Callable[[str], str]:
    """Whisper's rules for any language, with numbers in words."""
    return lambda text: single_blanks(basic(spell_numbers(basic(text), language)))


def drop_invisible(text: str) -> str:
    """Without joiners, soft hyphens and direction marks; a zero-width space is a blank.

    >>> drop_invisible("می\\u200cروم")
    'میروم'
    """
    return text.translate(VISIBLE)


def to_nfkc(text: str) -> str:
    """NFKC: one form for full and half width and for composed and decomposed letters. Thai and Lao AM stay one letter.

    >>> to_nfkc("ＡＩ ｶﾞｷﾞ"), len(to_nfkc("ทำ")), to_nfkc("2½")
    ('AI ガギ', 2, '2.5')
    """
    if text.isascii():
        return text
    text = text.translate(NO_WORDS)
    text = QUARTER.sub(lambda match: QUARTERS[match[0][-1]][text[: match.start()][-1:].isdigit()], text)
    return unicodedata.normalize("NFKC", text).replace("\u0e4d\u0e32", "\u0e33").replace("\u0ecd\u0eb2", "\u0eb3")


def lower_dotted_i(text: str) -> str:
    """Lower case, with no second dot over the i of a capital İ."""
    return text.lower().replace("i̇", "i")


def turkish_i(text: str) -> str:
    """The two letters i of Turkish and Azeri in lower case.

    >>> turkish_i("Irmak, İzmir")
    'ırmak, izmir'
    """
    return text.replace("I", "ı").replace("İ", "i")


def straight_apostrophes(text: str) -> str:
    """One apostrophe for its many forms.

    >>> straight_apostrophes("don’t")
    "don't"
    """
    return text.translate(APOSTROPHES)


def ascii_digits(text: str) -> str:
    """Digits of any script as 0 to 9."""
    return text.translate(ASCII_DIGITS)


def join_thousands(sign: str, decimal: str) -> Callable[[str], str]:
    """A step that joins the digits of numbers grouped by `sign`, a blank, an apostrophe or the Arabic separator.

    Groups by `decimal` are joined where they can be no fraction: two of them, or one before the other sign. By commas
    also the groups of two that India writes.

    >>> join_thousands(",", ".")("1,250.50; 12 500; 1.250; 1.250.000; 1,00,000")
    '1250.50; 12500; 1.250; 1250000; 100000'
    >>> join_thousands(".", ",")("1.250,50; 1'250; 1,250; 1,250,000")
    '1250,50; 1250; 1,250; 1250000'
    """
    sign, decimal = re.escape(sign), re.escape(decimal)
    groups = rf"(?P<sign>[{sign}'’٬ \u00a0\u202f\u2009])\d{{3}}(?:(?P=sign)\d{{3}})*(?!(?P=sign)?\d)"
    decimals = rf"{decimal}\d{{3}}(?:(?:{decimal}\d{{3}})+(?!{decimal}?\d)|(?={sign}\d{{1,2}}(?!\d)))"
    indian = r"|\d{1,2}(?:,\d\d)+,\d{3}(?!,?\d)" if sign == "," else ""
    number = re.compile(rf"(?<![\d.,'’٬])(?<!\d )(?!0)(?:\d{{1,3}}(?:{groups}|{decimals}){indian})")
    return lambda text: number.sub(lambda match: NOT_A_DIGIT.sub("", match[0]), text) if GROUPED.search(text) else text


def symbols_to_spaces(text: str) -> str:
    """A blank for all punctuation and symbols; combining marks stay, the stroke that stretches Arabic words goes.

    >>> symbols_to_spaces("मेरी 5 किताबें!")
    'मेरी 5 किताबें '
    """
    return text.translate(PLAIN)


def breaks_to_blanks(text: str) -> str:
    """A blank for an ellipsis and a long dash, which part words without any."""
    return BREAK.sub(" ", text)


def drop_signs(text: str) -> str:
    """Without the punctuation and the signs of money of any script.

    >>> drop_signs("«東京。» €5")
    '東京 5'
    """
    return text.translate(SIGNLESS)


def drop_points(text: str) -> str:
    """Without the points of Arabic and Hebrew that few texts write: short vowels, doubling, cantillation.

    >>> drop_points("كَتَبَ"), drop_points("שָׁלוֹם")
    ('كتب', 'שלום')
    """
    return text.translate(UNPOINTED)


def drop_hamza(text: str) -> str:
    """Alef, waw and yeh without hamza, madda or wasla. A hamza that stands alone is a letter and stays.

    >>> drop_hamza("أحمد")
    'احمد'
    """
    return text.translate(HAMZA)


def persian_letters(text: str) -> str:
    """The Persian kaf and yeh for the Arabic ones."""
    return text.translate(PERSIAN)


def close_up(text: str) -> str:
    """Single blanks, and none beside characters of scripts that write none.

    >>> close_up("我 爱 machine learning 吗")
    '我爱machine learning吗'
    """
    return BESIDE_UNSPACED.sub("", single_blanks(text))
