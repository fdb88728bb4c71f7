"""Steps on Chinese: numbers as they are read aloud, and simplified characters.

A number is read by what it is, the first that fits: a year digit by digit, a month and a day, a telephone number digit by
digit, a fraction and a percentage with 分之, an amount of money or a number before a measure word with its units, four
digits or more one by one, any other number with its units. The order and the patterns follow the speechio rules that
Qwen's scripts use; the code is our own, and its list of measure words is shorter.
"""

from __future__ import annotations

import functools
import re
import string
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from earmark.errors import BadSetup
from earmark.text._characters import Table

DIGITS: Final = "零一二三四五六七八九"
UNITS: Final = ((16, "京"), (12, "兆"), (8, "亿"), (4, "万"), (3, "千"), (2, "百"), (1, "十"))  # by their power of ten
MEASURES: Final = "个只支张座条件位名辆颗块本家户层年月日天周时刻分秒岁斤两里米克寸尺丈对双口头页堂课场回单群根道面片粒桶盒杯瓶箱袋碗盘届"
MONEY: Final = "亿|千万|百万|万|千|百|元|块|角|毛|分"

SPECIAL_TOKEN: Final = re.compile(r"<\|.*?\|>")
WHITE: Final = re.compile(r"\s+")
ASCII_PUNCTUATION: Final = frozenset(string.punctuation)


# ---------------------------------------------------------------- numbers


def digit_by_digit(number: str) -> str:
    """
    >>> digit_by_digit("2024")
    '二零二四'
    """
    return "".join(DIGITS[int(digit)] for digit in number if digit.isdecimal())


def with_units(number: str) -> str:
    """A number as it is read aloud.

    >>> [with_units(number) for number in ("7", "12", "10500", "200", "2222", "3.14", "0.5")]
    ['七', '十二', '一万零五百', '两百', '两千两百二十二', '三点一四', '零点五']
    """
    whole, point, part = number.partition(".")
    signs = _signs(whole) if len(whole) > 1 else [DIGITS[int(whole)]]
    said = "".join(_two(signs)) + ("点" + digit_by_digit(part) if point else "")
    if said.startswith("点"):
        return "零" + said
    return said.removeprefix("一") if said.startswith("一十") else said


def _signs(number: str) -> list[str]:
    bare = number.lstrip("0")
    if len(bare) <= 1:
        return [*("零" if bare and len(number) > 1 else ""), *(DIGITS[int(digit)] for digit in bare)]
    power, unit = next((power, unit) for power, unit in UNITS if power < len(bare))
    return [*_signs(number[:-power]), unit, *_signs(bare[-power:])]


def _two(signs: list[str]) -> list[str]:
    """Two is 两 before a unit above ten, where it opens the number or follows such a unit."""
    above_ten = {unit for power, unit in UNITS if power > 1}
    return [
        "两"
        if sign == "二"
        and signs[at + 1 : at + 2]
        and signs[at + 1] in above_ten
        and (not at or signs[at - 1] in above_ten)
        else sign
        for at, sign in enumerate(signs)
    ]


Reader = Callable[["re.Match[str]"], str]
NUMBER: Final = r"(\d+(?:\.\d+)?)"
READERS: Final[tuple[tuple[re.Pattern[str], Reader], ...]] = (
    (re.compile(r"(?<!\d)([089]\d|(?:19|20)\d\d)(?=年)"), lambda found: digit_by_digit(found[1])),
    (
        re.compile(r"(?<!\d)(\d{1,2})月(\d{1,2})(?=[日号])"),
        lambda found: f"{with_units(found[1])}月{with_units(found[2])}",
    ),
    (re.compile(rf"(?<!\d){NUMBER}(?=[多余几]?(?:{MONEY}))"), lambda found: with_units(found[1])),
    (
        re.compile(r"(?<!\d)(?:\+?86 ?)?1(?:[38]\d|5[0-35-9]|7[678]|9[89])\d{8}(?!\d)"),
        lambda found: digit_by_digit(found[0]),
    ),
    (re.compile(r"(?<!\d)(?:0(?:10|2[1-3]|[3-9]\d\d)-?)?[1-9]\d{6,7}(?!\d)"), lambda found: digit_by_digit(found[0])),
    (re.compile(r"(\d+)/(\d+)"), lambda found: f"{with_units(found[2])}分之{with_units(found[1])}"),
    (re.compile(rf"{NUMBER}[%％]"), lambda found: "百分之" + with_units(found[1])),
    (re.compile(rf"{NUMBER}(?=[多余几]?[{MEASURES}])"), lambda found: with_units(found[1])),
    (re.compile(r"\d{4,}"), lambda found: digit_by_digit(found[0])),
    (re.compile(NUMBER), lambda found: with_units(found[1])),
    (re.compile(r"(?<=[a-zA-Z])二(?=[a-zA-Z])"), lambda _: "2"),
)


def read_numbers_in_chinese(text: str) -> str:
    """Digits as they are read aloud.

    >>> read_numbers_in_chinese("2024年5月3日，1500个人的50%")
    '二零二四年五月三日，一千五百个人的百分之五十'
    """
    for pattern, read in READERS:
        text = pattern.sub(read, text)
    return text


# ---------------------------------------------------------------- characters


@functools.cache
def _converter() -> Any:
    try:
        return import_module("opencc").OpenCC("t2s")
    except ModuleNotFoundError as error:
        raise BadSetup(
            "Chinese is compared in simplified characters, and the package opencc that converts them is not installed; "
            "pip install 'earmark[text]', or set normalizer=earmark, which converts nothing"
        ) from error


def simplified(text: str) -> str:
    """Traditional characters as simplified ones.

    >>> simplified("我們去臺灣")
    '我们去台湾'
    """
    return str(_converter().convert(text))


def round_zero(text: str) -> str:
    """The round zero as the written one."""
    return text.replace("〇", "零")


def drop_special_tokens(text: str) -> str:
    """Without <|…|>."""
    return SPECIAL_TOKEN.sub(" ", text)


def no_blanks(text: str) -> str:
    """Without any white space."""
    return WHITE.sub("", text)


def _qwen_blank(character: str, category: str) -> str:
    wide_sign = "！" <= character <= "～" and category[0] == "S"
    return " " if category[0] == "P" or character in ASCII_PUNCTUATION or wide_sign else character


PUNCTUATION: Final = Table(_qwen_blank)


def punctuation_to_blanks(text: str) -> str:
    """A blank for punctuation, Chinese or ASCII."""
    return text.translate(PUNCTUATION)


HAN_RUN: Final = re.compile(r"[\u4e00-\u9fff]+")


def spaced_han(text: str) -> str:
    """Blanks between the Han characters of a run, and none at its ends.

    >>> spaced_han("我爱ai")
    '我 爱ai'
    """
    return HAN_RUN.sub(lambda found: " ".join(found[0]), text)
