"""Steps on Chinese: numbers as they are read aloud, and simplified characters.

By Qwen's rule a number is read by what it is, the first that fits: a year digit by digit, a month and a day, a
telephone number digit by digit, a fraction and a percentage with 分之, an amount of money or a number before a measure
word with its units, four digits or more one by one, any other number with its units. The order and the patterns follow
the speechio rules that Qwen's scripts use; the code is our own, and its list of measure words is shorter.

By our rule a number is read by its value alone, however it was written: `12000`, 一万二千, 一万二 and `1.2万` are one. Why
cn2an is not used: docs/decisions/012.
"""

from __future__ import annotations

import functools
import re
import string
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from typing import Any, Final

from earmark.errors import BadSetup
from earmark.text._characters import CharacterTable

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
    spoken = "".join(_two(signs)) + ("点" + digit_by_digit(part) if point else "")
    if spoken.startswith("点"):
        return "零" + spoken
    return spoken.removeprefix("一") if spoken.startswith("一十") else spoken


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
        and signs[index + 1 : index + 2]
        and signs[index + 1] in above_ten
        and (not index or signs[index - 1] in above_ten)
        else sign
        for index, sign in enumerate(signs)
    ]


NumberReader = Callable[["re.Match[str]"], str]
NUMBER: Final = r"(?<!\d)(\d++(?:\.\d++)?)"  # begins and ends once in a long row of digits
NUMBER_READERS: Final[tuple[tuple[re.Pattern[str], NumberReader], ...]] = (
    (re.compile(r"(?<!\d)([089]\d|(?:19|20)\d\d)(?=年)"), lambda match: digit_by_digit(match[1])),
    (
        re.compile(r"(?<!\d)(\d{1,2})月(\d{1,2})(?=[日号])"),
        lambda match: f"{with_units(match[1])}月{with_units(match[2])}",
    ),
    (re.compile(rf"{NUMBER}(?=[多余几]?(?:{MONEY}))"), lambda match: with_units(match[1])),
    (
        re.compile(r"(?<!\d)(?:\+?86 ?)?1(?:[38]\d|5[0-35-9]|7[678]|9[89])\d{8}(?!\d)"),
        lambda match: digit_by_digit(match[0]),
    ),
    (re.compile(r"(?<!\d)(?:0(?:10|2[1-3]|[3-9]\d\d)-?)?[1-9]\d{6,7}(?!\d)"), lambda match: digit_by_digit(match[0])),
    (re.compile(r"(?<!\d)(\d++)/(\d+)"), lambda match: f"{with_units(match[2])}分之{with_units(match[1])}"),
    (re.compile(rf"{NUMBER}[%％]"), lambda match: "百分之" + with_units(match[1])),
    (re.compile(rf"{NUMBER}(?=[多余几]?[{MEASURES}])"), lambda match: with_units(match[1])),
    (re.compile(r"\d{4,}"), lambda match: digit_by_digit(match[0])),
    (re.compile(NUMBER), lambda match: with_units(match[1])),
    (re.compile(r"(?<=[a-zA-Z])二(?=[a-zA-Z])"), lambda _: "2"),
)


def read_numbers_in_chinese(text: str) -> str:
    """Digits as they are read aloud.

    >>> read_numbers_in_chinese("2024年5月3日，1500个人的50%")
    '二零二四年五月三日，一千五百个人的百分之五十'
    """
    for pattern, read in NUMBER_READERS:
        text = pattern.sub(read, text)
    return text


# ---------------------------------------------------------------- numbers by value

LONGEST: Final = 32  # signs of a numeral; what is longer is a loop
NUMERALS: Final = DIGITS + "两"
NUMERAL: Final = re.compile(
    rf"(?<![点.\d{NUMERALS}十百千万亿])(?:\d+(?:\.\d+)?)?[{NUMERALS}十百千万亿][\d{NUMERALS}十百千万亿]*"
)
DIGIT_RUN: Final = re.compile(rf"[{DIGITS}]{{3,}}|[{DIGITS}]{{2}}(?=年)")
VALUES: Final = UNITS[2:]  # 京 is more often Beijing, 兆 a megabyte
PLAIN_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
MINUS: Final = re.compile(
    rf"(?<![0-9a-z年月日号时点分])[-−](?=\d+(?:\.\d+)?(?![\d.年月日号时点]))|零下(?=[\d{NUMERALS}十百千])"
)
FRACTION: Final = re.compile(r"(?<!\d)(\d++)/(\d+)")
PERCENT: Final = re.compile(rf"{NUMBER}\s*%")


def value(numeral: str) -> Fraction | None:
    """The number that a numeral with units stands for; None where it is none, such as 万一 or 五六.

    >>> [int(value(numeral) or -1) for numeral in ("十五", "一万二千", "一万二", "1.2万", "三千万零五", "五六", "万一")]
    [15, 12000, 12000, 12000, 30000005, -1, -1]
    """
    if len(numeral) > LONGEST:
        return None
    if PLAIN_NUMBER.fullmatch(numeral):
        return Fraction(numeral)
    if len(numeral) == 1 and numeral in NUMERALS:
        return Fraction(2 if numeral == "两" else DIGITS.index(numeral))
    power, unit = next(((power, unit) for power, unit in VALUES if unit in numeral), (0, ""))
    if not unit:
        return None
    head, _, tail = numeral.rpartition(unit)
    many = Fraction(1) if unit == "十" and not head else value(head)
    rest = value(tail.removeprefix("零")) if tail else Fraction(0)
    if many is None or rest is None or not many or tail == "两" or (power < 4 and many >= 10):
        return None
    if len(tail) == 1:  # 一万二 is 12,000, 一百五 is 150
        rest *= 10 ** (power - 1)
    return many * 10**power + rest if rest < 10**power else None


def numerals_to_digits(text: str) -> str:
    """Numerals as digits, where they have units, or where three or more follow each other, or two before 年.

    >>> numerals_to_digits("一万二千人, 二零二四年, 1.2万, 五六个, 万一")
    '12000人, 2024年, 12000, 五六个, 万一'
    """
    return NUMERAL.sub(_digits, text)


def _digits(match: re.Match[str]) -> str:
    run = DIGIT_RUN.match(match.string, match.start())
    if run and run.end() == match.end():
        return "".join(str(DIGITS.index(digit)) for digit in match[0])
    number = value(match[0])
    return str(number) if number is not None and number.denominator == 1 else match[0]


def read_by_value(text: str) -> str:
    """Numbers as they are read aloud: with units, or digit by digit where they open with 0 or that is shorter.

    >>> read_by_value("12000元, 2024年, -5度, 零下五度, 50 %, 1/2, 007, 两个")
    '一万二千元, 二零二四年, 负五度, 负五度, 百分之五十, 二分之一, 零零七, 二个'
    """
    text = numerals_to_digits(MINUS.sub("负", text))
    text = FRACTION.sub(r"\2分之\1", PERCENT.sub(r"百分之\1", text))
    return re.sub(NUMBER, lambda match: _shorter(match[0]), text).replace("两", "二")


def _shorter(number: str) -> str:
    whole, point, part = number.partition(".")
    spelled = digit_by_digit(whole)
    long = len(whole) > LONGEST or (len(whole) > 3 and len(spelled) < len(with_units(whole)))
    if long or (len(whole) > 1 and whole[0] == "0"):
        return spelled + ("点" + digit_by_digit(part) if point else "")
    return with_units(number)


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


def to_simplified(text: str) -> str:
    """Traditional characters as simplified ones.

    >>> to_simplified("我們去臺灣")
    '我们去台湾'
    """
    return str(_converter().convert(text))


def round_zero(text: str) -> str:
    """The round zero as the written one."""
    return text.replace("〇", "零")


def drop_special_tokens(text: str) -> str:
    """Without <|…|>."""
    return SPECIAL_TOKEN.sub(" ", text)


def drop_spaces(text: str) -> str:
    """Without any white space."""
    return WHITE.sub("", text)


def _qwen_space(character: str, category: str) -> str:
    wide_sign = "！" <= character <= "～" and category[0] == "S"
    return " " if category[0] == "P" or character in ASCII_PUNCTUATION or wide_sign else character


PUNCTUATION: Final = CharacterTable(_qwen_space)


def punctuation_to_spaces(text: str) -> str:
    """A blank for punctuation, Chinese or ASCII."""
    return text.translate(PUNCTUATION)


HAN_RUN: Final = re.compile(r"[\u4e00-\u9fff]+")


def space_han(text: str) -> str:
    """Blanks between the Han characters of a run, and none at its ends.

    >>> space_han("我爱ai")
    '我 爱ai'
    """
    return HAN_RUN.sub(lambda match: " ".join(match[0]), text)
