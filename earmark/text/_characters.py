"""Steps on single characters, for any script.

A step takes a text and gives a text. Those that go by Unicode category look a character up once and keep what they found.
Categories: P punctuation, S symbols, M combining marks (Mn those that take no room), Nd digits, Cf invisible signs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final

SPANS: Final = (re.compile(r"[<\[][^>\]]*[>\]]"), re.compile(r"\([^)]+?\)"))
WHITE: Final = re.compile(r"\s+")
APOSTROPHES: Final = str.maketrans(dict.fromkeys("‘’‛ʼʻ´`′＇", "'") | {"ŉ": "'n"})
ZERO_WIDTH_SPACE: Final = "\u200b"

# Han with its numerals and signs, kana, Thai, Lao, Tibetan, Burmese, Khmer: scripts that put no blanks between words.
BLANKLESS_SCRIPTS: Final = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff\u0e00-\u0e7f\u0e80-\u0eff\u0f00-\u0fff\u1000-\u109f\uaa60-\uaa7f\u1780-\u17ff\u19e0-\u19ff"
)
BESIDE_BLANKLESS: Final = re.compile(rf"(?<=[{BLANKLESS_SCRIPTS}])\s+|\s+(?=[{BLANKLESS_SCRIPTS}])")


class Table(dict[int, str]):
    """A table for `str.translate` that asks a rule about each new character."""

    def __init__(self, rule: Callable[[str, str], str]) -> None:
        super().__init__()
        self._rule = rule

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = self._rule(character, unicodedata.category(character))
        return self[code]


def _blank_for(*kinds: str) -> Table:
    return Table(lambda character, category: " " if category[0] in kinds else character)


def _shown(character: str, category: str) -> str:
    if character == ZERO_WIDTH_SPACE:
        return " "
    return "" if category == "Cf" else character


def _plain(character: str, category: str) -> str:
    if category == "Nd":
        return str(unicodedata.digit(character))
    return " " if category[0] in "PS" else character


SHOWN: Final = Table(_shown)
PLAIN: Final = Table(_plain)
NO_MARKS: Final = _blank_for("M", "S", "P")


def lower(text: str) -> str:
    """Lower case."""
    return text.lower()


def drop_spans(text: str) -> str:
    """Without what stands in <>, [] or ()."""
    for span in SPANS:
        text = span.sub("", text)
    return text


def one_blank(text: str) -> str:
    """Any white space as one blank."""
    return WHITE.sub(" ", text)


def strip(text: str) -> str:
    """Without white space at either end."""
    return text.strip()


def symbols_and_marks_to_blanks(text: str) -> str:
    """NFKC, then a blank for all punctuation, symbols and combining marks, lower case."""
    return unicodedata.normalize("NFKC", text).translate(NO_MARKS).lower()


def drop_invisible(text: str) -> str:
    """Without joiners, soft hyphens and direction marks; a zero-width space is a blank.

    >>> drop_invisible("می\\u200cروم")
    'میروم'
    """
    return text.translate(SHOWN)


def compatible(text: str) -> str:
    """NFKC: one form for full and half width and for composed and decomposed letters. Thai and Lao AM stay one letter.

    >>> compatible("ＡＩ ｶﾞｷﾞ"), len(compatible("ทำ"))
    ('AI ガギ', 2)
    """
    return unicodedata.normalize("NFKC", text).replace("\u0e4d\u0e32", "\u0e33").replace("\u0ecd\u0eb2", "\u0eb3")


def composed(text: str) -> str:
    """NFC: a letter and its marks are one letter, so that no word ends between them."""
    return unicodedata.normalize("NFC", text)


def lower_dotted(text: str) -> str:
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


def symbols_to_blanks(text: str) -> str:
    """A blank for all punctuation and symbols; combining marks stay; digits of any script as 0 to 9.

    >>> symbols_to_blanks("मेरी ५ किताबें!")
    'मेरी 5 किताबें '
    """
    return text.translate(PLAIN)


def close_up(text: str) -> str:
    """Without blanks beside characters of scripts that write none.

    >>> close_up("我 爱 machine learning 吗")
    '我爱machine learning吗'
    """
    return BESIDE_BLANKLESS.sub("", text)
