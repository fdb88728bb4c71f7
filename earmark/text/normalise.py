"""Texts made comparable before they are scored.

A normaliser is a value: a name, a version and the steps that a text goes through, in order. The version is raised
whenever any text could come out otherwise, so `whisper-en.1` in a signature says all. Texts are stored raw and
normalised when they are scored; both the reference and the reply go through the same steps. What only replies have, the
tokens that models put around a transcript, is removed from replies before that.

A language also tells in what units a text is compared: words, or characters where the script puts no blanks between
words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from earmark.errors import UsageError, alternatives
from earmark.text import _chinese as zh
from earmark.text import _english as en
from earmark.text._characters import (
    UNSPACED_SCRIPTS,
    ascii_digits,
    basic,
    basic_with_numbers,
    breaks_to_blanks,
    close_up,
    drop_bracketed,
    drop_hamza,
    drop_invisible,
    drop_points,
    drop_signs,
    join_thousands,
    lower_dotted_i,
    persian_letters,
    single_blanks,
    straight_apostrophes,
    symbols_to_spaces,
    to_nfkc,
    turkish_i,
)

Step: TypeAlias = Callable[[str], str]
Unit: TypeAlias = Literal["words", "characters", "mixed"]


class Normalizer(Struct, frozen=True):
    """A named pipeline over texts."""

    name: str
    version: int
    steps: tuple[Step, ...]

    def __call__(self, text: str) -> str:
        for step in self.steps:
            text = step(text)
        return text

    def __str__(self) -> str:
        """
        >>> str(find_normalizer("whisper-en"))
        'whisper-en.1'
        """
        return f"{self.name}.{self.version}" if self.steps else self.name


# ---------------------------------------------------------------- the pipelines

DECIMAL_POINT: Final = join_thousands(",", ".")
DECIMAL_COMMA: Final = join_thousands(".", ",")
AUDIOBENCH: Final = (
    en.whisper_tables,
    en.small_numbers_as_words,
    en.drop_punctuation,
    en.drop_audiobench_fillers,
    str.strip,
)


def _earmark(*letters: Step, thousands: Step = DECIMAL_POINT) -> tuple[Step, ...]:
    """The steps for any language, with those of one on its letters."""
    return (
        drop_invisible,
        straight_apostrophes,
        drop_bracketed,
        to_nfkc,
        *letters,
        lower_dotted_i,
        ascii_digits,
        thousands,
        symbols_to_spaces,
        single_blanks,
    )


PIPELINES: Final = {
    str(pipeline): pipeline
    for pipeline in (
        Normalizer("none", 1, ()),
        Normalizer("earmark", 2, _earmark()),
        Normalizer("earmark-comma", 1, _earmark(thousands=DECIMAL_COMMA)),
        Normalizer("earmark-tr", 2, _earmark(turkish_i, thousands=DECIMAL_COMMA)),
        Normalizer("earmark-ar", 1, _earmark(drop_points, drop_hamza)),
        Normalizer("earmark-fa", 1, _earmark(drop_points, persian_letters)),
        Normalizer("earmark-he", 1, _earmark(drop_points)),
        Normalizer(
            "earmark-en",
            2,
            (
                drop_invisible,
                straight_apostrophes,
                drop_bracketed,
                to_nfkc,
                DECIMAL_POINT,
                en.signs_as_words,
                en.earmark,
                en.drop_stray_signs,
                single_blanks,
            ),
        ),
        Normalizer(
            "earmark-zh",
            2,
            (
                drop_invisible,
                drop_bracketed,
                to_nfkc,
                zh.to_simplified,
                lower_dotted_i,
                close_up,
                ascii_digits,
                DECIMAL_POINT,
                zh.round_zero,
                zh.read_by_value,
                symbols_to_spaces,
                close_up,
            ),
        ),
        Normalizer(
            "answer",
            1,
            (
                drop_invisible,
                straight_apostrophes,
                breaks_to_blanks,
                to_nfkc,
                lower_dotted_i,
                drop_signs,
                en.without_articles,
            ),
        ),
        Normalizer("helm", 1, (en.without_articles,)),
        Normalizer("whisper-en", 1, (en.whisper_tables,)),
        Normalizer("whisper-basic", 1, (basic,)),
        Normalizer("open-asr", 1, (en.open_asr,)),
        *(
            Normalizer(f"open-asr-{code}", 1, (basic_with_numbers(code),))
            for code in ("de", "es", "fr", "it", "nl", "pt")
        ),
        Normalizer("audiobench", 1, AUDIOBENCH),
        Normalizer("audiobench-zh", 1, (*AUDIOBENCH, zh.space_han)),
        Normalizer(
            "qwen-zh",
            1,
            (
                zh.drop_special_tokens,
                zh.drop_spaces,
                zh.read_numbers_in_chinese,
                zh.punctuation_to_spaces,
                str.lower,
                zh.drop_spaces,
            ),
        ),
        Normalizer("qwen-yue", 1, (zh.drop_special_tokens, zh.to_simplified, basic, zh.drop_spaces)),
    )
}
NEWEST: Final = {pipeline.name: pipeline for pipeline in PIPELINES.values()}  # later versions stand later


# ---------------------------------------------------------------- languages

LANGUAGES: Final = frozenset(
    """
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en
    eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv
    jw ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mo mr ms mt my na nb
    nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq
    sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu ast bem
    bho ceb ckb fil haw hsb kab kam kea kmr luo mai mni mrj mhr myv nan nso quy sah sat skr tok umb vot wuu yue
""".split()
)
ALIASES: Final = {
    "cmn": "zh",
    "zho": "zh",
    "chi": "zh",
    "eng": "en",
    "jpn": "ja",
    "kor": "ko",
    "tha": "th",
    "hin": "hi",
}
UNSPACED_LANGUAGES: Final = frozenset("zh yue wuu nan ja th lo km my bo dz".split())
# By CLDR 49.
DECIMAL_COMMA_LANGUAGES: Final = """
    af ast ba be bg br bs ca cs cv da de el eo es et eu ff fi fo fr fy gl hr hsb ht hu hy ia id ie is it jv jw ka kab
    kea kk kl kmr ku ky lb ln lo lt lu lv mk mo nb nl nn no nr pl ps pt rm rn ro ru rw sah sc se sg sk sl sq sr ss su
    sv tg tk tok ts tt uk uz ve vi wo
""".split()
DECIMAL_POINT_REGIONS: Final = frozenset(  # of those languages
    "de-ch de-li it-ch es-419 es-br es-bz es-cu es-do es-gt es-hn es-mx es-ni es-pa es-pe es-pr es-sv es-us".split()
)
DEFAULTS: Final = (
    dict.fromkeys(DECIMAL_COMMA_LANGUAGES, "earmark-comma")
    | {"en": "earmark-en", "ar": "earmark-ar", "fa": "earmark-fa", "ur": "earmark-fa", "he": "earmark-he"}
    | dict.fromkeys(("zh", "yue", "wuu", "nan"), "earmark-zh")
    | dict.fromkeys(("tr", "az"), "earmark-tr")
)


def language_of(tag: str) -> str:
    """The language of a tag, in the code used here; nothing for nothing.

    >>> language_of("cmn_hans_cn"), language_of("zh-yue"), language_of("en-US"), language_of("")
    ('zh', 'yue', 'en', '')
    """
    parts = re.split(r"[-_]", tag.strip().lower())
    code = "yue" if "yue" in parts else ALIASES.get(parts[0], parts[0])
    if code and code not in LANGUAGES:
        raise UsageError(f"no language is called '{tag}'; give its ISO 639 code, such as en, zh, yue, ja or hi")
    return code


def find_normalizer(name: str = "", language: str = "") -> Normalizer:
    """A normaliser by name, in its newest version or in one that is named, or else the one of a language.

    >>> str(find_normalizer(language="en")), str(find_normalizer(language="es")), str(find_normalizer(language="es-MX"))
    ('earmark-en.2', 'earmark-comma.1', 'earmark.2')
    """
    region = language.strip().lower().replace("_", "-")
    default = "earmark" if region in DECIMAL_POINT_REGIONS else DEFAULTS.get(language_of(language), "earmark")
    chosen = name or default
    normalizer = PIPELINES.get(chosen) or NEWEST.get(chosen)
    if normalizer is None:
        raise UsageError(f"no normaliser is called '{name}'{alternatives(name, PIPELINES)}")
    return normalizer


def unit_of(language: str) -> Unit:
    """Unit of comparison for a language.

    >>> unit_of("en"), unit_of("th")
    ('words', 'characters')
    """
    return "characters" if language_of(language) in UNSPACED_LANGUAGES else "words"


# ---------------------------------------------------------------- units

MIXED: Final = re.compile(rf"[{UNSPACED_SCRIPTS}]|[^\s{UNSPACED_SCRIPTS}]+")
LETTER: Final = re.compile(r"\w")
UNSPACED_LETTER: Final = re.compile(rf"[{UNSPACED_SCRIPTS}]")


def split_units(text: str, unit: Unit, language: str = "") -> list[str]:
    """A normalised text in units.

    Words are what stands between blanks. Characters are code points; a blank between two words is one of them, but not
    where the language writes none. Mixed are words, and single characters of the scripts that put no blanks between
    them.

    >>> split_units("我爱 machine learning", "mixed")
    ['我', '爱', 'machine', 'learning']
    >>> len(split_units("we are", "characters", "en")), len(split_units("我 爱", "characters", "zh"))
    (6, 2)
    """
    if unit == "words":
        return text.split()
    if unit == "mixed":
        return MIXED.findall(text)
    blank = "" if language_of(language) in UNSPACED_LANGUAGES else " "
    return list(blank.join(text.split()))


def is_unspaced(text: str) -> bool:
    """True if most letters of a text are of scripts that put no blanks between words.

    >>> is_unspaced("这是我的 AI"), is_unspaced("the word 好")
    (True, False)
    """
    return 2 * len(UNSPACED_LETTER.findall(text)) > len(LETTER.findall(text))


# ---------------------------------------------------------------- replies

AROUND_A_TRANSCRIPT: Final = re.compile(
    r"""
      \A \s* language \s+ [\w\ -]{1,40} <asr_text>        # language English<asr_text>
    | <\| [^|<>]{0,60} \|>                                # <|en|>, <|startoftranscript|>, <|withitn|>
    | </? (?:asr_text|s|pad|bos|eos|sos) >
    | (?:\A|(?<=[>]))\s* < [a-z]{2,3} (?:-[A-Za-z]{2,4})? >   # <en-US>, where a reply opens
    """,
    re.VERBOSE,
)


def strip_tokens(reply: str) -> str:
    """A reply without the tokens that some models put around a transcript. Version `tokens.1`.

    >>> strip_tokens("<|en|><|NEUTRAL|>hello<|endoftext|>"), strip_tokens("language English<asr_text>hello")
    ('hello', 'hello')
    >>> strip_tokens("the language english is spoken")
    'the language english is spoken'
    """
    return AROUND_A_TRANSCRIPT.sub(" ", reply).strip() if "<" in reply else reply


TOKENS: Final = "tokens.1"
