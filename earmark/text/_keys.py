"""Labels and texts of an item's options, and the places where a reply spells them.

Texts are matched without regular expressions: options differ from item to item, and compiling a pattern for each would
cost more than parsing. The words of reply and option are joined to one string each, and one is searched in the other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Literal, TypeAlias

from msgspec import Struct

from earmark.text._cues import NONE_OF_THESE
from earmark.text._keywords import LEADING, NUMBERS, TOKEN, keywords
from earmark.text._lazy import LazyPattern
from earmark.text._screen import fold, lower, plain
from earmark.text.choices import same_choice

Stance: TypeAlias = Literal["declared", "concluded", "said", "denied"]

ARTICLES = ("a", "an", "the")
MAX_GAP = 8  # characters between the words of an option's text
MIN_PARTED = 8  # letters of a word that may be split in two, such as "steel drum"
UNSPACED = LazyPattern("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # scripts whose words may touch
CHORD = LazyPattern(r"[A-G](?:[#♯♭b]|m\b|maj|min|dim|sus|aug|\d|:| (?:sharp|flat|major|minor)\b)\S*(?: \w+)?")
WORD = LazyPattern(r"[^\W\d_][^\W_]+(?:[ '-][^\W_]+)*")


class Mention(Struct, frozen=True):
    """One place where a reply names a choice."""

    label: str
    start: int
    end: int
    form: Literal["marked", "bare", "text"]  # marked: in brackets, after "option", or before its own option's text
    stance: Stance = "said"


class Words(Struct, frozen=True):
    """The words of a text, joined to one string."""

    joined: str
    starts: dict[int, int]  # place in the joined string where a word begins -> number of the word
    ends: dict[int, int]
    spans: list[tuple[int, int]]  # of each word in the text


class OptionText(Struct, frozen=True):
    """The text of one option, prepared for matching."""

    label: str
    joined: str
    ends: frozenset[int]  # places in the joined string where a word ends
    opening: tuple[str, ...]  # words such as "he is a", which an answer seldom repeats
    spaced: bool  # matched as whole words
    plural: bool  # its last word may take an ending


class ChoiceIndex(Struct, frozen=True):
    """Labels and texts of an item, prepared for matching."""

    labels: tuple[str, ...]
    choices: tuple[str, ...]
    spelled: dict[str, str]  # a label as a reply may spell it -> as the item does
    letter: re.Pattern[str]
    texts: tuple[OptionText, ...]
    verbatim: dict[str, str]
    same: dict[str, str]  # a label -> the first whose option has the same text
    none: bool  # an option says that none, or all, of the others fit
    plain: bool  # no option has a letter that is a label, as chords and keys have


def is_number(word: str) -> bool:
    return word.isdigit() or word in NUMBERS


def _canonical(word: str) -> str:
    """Normalise a word: a number is written in digits."""
    return NUMBERS.get(word, word)


def words_of(low: str) -> Words:
    """Split a lower-case text into words, without articles."""
    parts: list[str] = []
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    spans: list[tuple[int, int]] = []
    length = 0
    for match in TOKEN.finditer(low.replace("_", " ")):
        word = match[0]
        if word not in ARTICLES:
            word = _canonical(word)
            starts[length], length = len(spans), length + len(word)
            ends[length] = len(spans)
            parts.append(word)
            spans.append(match.span())
    return Words("".join(parts), starts, ends, spans)


def _continues_word(sign: str) -> bool:
    """True if a character continues a word, in scripts that separate words by spaces."""
    code = ord(sign)
    if code < 0x80:
        return sign.isalnum() or sign == "#"
    return (0xC0 <= code < 0x2000 and not 0xE00 <= code < 0xE80) or sign in "♯♭"


def stands_apart(text: str, start: int, end: int) -> bool:
    """True if a label is not part of a longer word or number."""
    before, after = text[max(0, start - 2) : start], text[end : end + 3]
    if before:
        sign, other = before[-1], before[:-1]
        if _continues_word(sign) or sign in "_&'’/\\°" or (sign == "-" and other and _continues_word(other)):
            return False
        if sign == "." and other and "A" <= other <= "Z":
            return False
    if not after:
        return True
    sign, other = after[0], after[1:2]
    if _continues_word(sign) or sign in "_'’/&%" or (sign == "-" and other and _continues_word(other)):
        return False
    return not ((sign in ".,:" and other.isdigit()) or (sign == "." and "A" <= other <= "Z" and after[2:] == "."))


def option_text(label: str, choice: str, *, whole: bool = False) -> OptionText | None:
    """Prepare the text of an option; `whole`: keep opening words such as "he is", which distinguish it from another."""
    low = lower(plain(choice)).replace("_", " ")
    tokens = TOKEN.findall(low)
    if not tokens:
        return None
    if UNSPACED.search(low):
        text = low.strip(" .,;:!?。！？、，；")
        return OptionText(label, text, frozenset(), (), spaced=False, plural=False)
    lead = 0
    while not whole and lead < len(tokens) - 1 and tokens[lead] in LEADING:
        lead += 1
    core = [_canonical(token) for token in tokens[lead:] if token not in ARTICLES] or tokens[lead:]
    ends, length = set(), 0
    for word in core:
        length += len(word)
        ends.add(length)
    plural = len(core[-1]) > 2 and core[-1].isascii() and core[-1].isalpha()
    return OptionText(label, "".join(core), frozenset(ends), tuple(tokens[:lead]), spaced=True, plural=plural)


def occurrences(option: OptionText, words: Words, low: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of an option's text in a reply."""
    if not option.spaced:
        start = low.find(option.joined)
        while start >= 0:
            yield start, start + len(option.joined)
            start = low.find(option.joined, start + 1)
        return
    start = words.joined.find(option.joined)
    while start >= 0:
        if start in words.starts and (span := _whole(option, words, low, start)):
            yield span
        start = words.joined.find(option.joined, start + 1)


def _whole(option: OptionText, words: Words, low: str, start_in_words: int) -> tuple[int, int] | None:
    """Span of an option's text that begins at a word of the reply; None unless it ends with a word and has no gaps."""
    end = start_in_words + len(option.joined)
    for ending in ("", "s", "es") if option.plural else ("",):
        if words.joined.startswith(ending, end) and end + len(ending) in words.ends:
            break
    else:
        return None
    first, last = words.starts[start_in_words], words.ends[end + len(ending)]
    if not _word_ends_match(option, words, start_in_words, end, first, last):
        return None
    spans = words.spans[first : last + 1]
    for (_, before), (after, _) in pairwise(spans):
        if after - before > MAX_GAP and len(re.sub(r"\b(?:an?|the)\b", "", low[before:after])) > MAX_GAP:
            return None
    start, stop = spans[0][0], spans[-1][1]
    if start > 1 and low[start - 1] in ".,:/" and low[start - 2].isdigit():
        return None
    if low[stop : stop + 1] in (".", ",", ":", "/") and low[stop + 1 : stop + 2].isdigit():
        return None
    return _with_opening(option, low, start), stop


def _word_ends_match(option: OptionText, words: Words, begin: int, end: int, first: int, last: int) -> bool:
    """True if words end in the same places, or a long word is written as one or two."""
    inner = (
        {place for place, word in words.ends.items() if begin < place <= end and first <= word <= last}
        if last > first
        else set()
    )
    mine = {begin + place for place in option.ends if begin + place < end}
    inner.discard(end)
    if inner == mine:
        return True
    if len(option.joined) < MIN_PARTED:
        return False
    return not any(words.joined[place - 1].isdigit() and words.joined[place].isdigit() for place in inner ^ mine)


def _with_opening(option: OptionText, low: str, start: int) -> int:
    """Start of the span, with the opening words of the option if the reply repeats them."""
    for word in reversed(option.opening):
        lead = low[max(0, start - len(word) - MAX_GAP) : start]
        bare = lead.rstrip(" \t\n.,:;()-")
        if not bare.endswith(word) or (len(bare) > len(word) and bare[-len(word) - 1].isalnum()):
            break
        start -= len(lead) - len(bare) + len(word)
    return start


# ---------------------------------------------------------------- keys


def is_word(label: str) -> bool:
    """True if a label is a word, such as "yes", and is matched like the text of an option."""
    return bool(WORD.fullmatch(label))


@lru_cache(maxsize=256)
def _letter_pattern(labels: tuple[str, ...], spelled: tuple[str, ...], multi_select: bool) -> re.Pattern[str]:
    """Pattern of any label that is no word, and with `multi_select` of a run of letters such as "ABD"."""
    alternatives = "|".join(re.escape(label) for label in sorted(spelled, key=len, reverse=True)) or r"(?!)"
    run = ""
    if multi_select and labels and all(len(label) == 1 and label.isupper() for label in labels):
        run = rf"(?=[{''.join(labels)}]{{2}})" + "".join(f"{label}?" for label in labels) + "|"
    return re.compile(f"{run}{alternatives}")


@lru_cache(maxsize=4096)
def build_choice_index(labels: tuple[str, ...], choices: tuple[str, ...], multi_select: bool) -> ChoiceIndex:
    """Build the index of an item. Options of the same text are matched as the first of them."""
    spelled: dict[str, str] = {label: label for label in labels if not is_word(label)}
    for label in tuple(spelled):
        spelled.setdefault(label.upper(), label)
        spelled.setdefault(label.lower(), label)
    pairs = [(label, label) for label in labels if is_word(label)]
    pairs += [(label, choice) for label, choice in zip(labels, choices, strict=False) if choice.strip() not in spelled]
    verbatim: dict[str, str] = {}
    for label, choice in pairs:
        if text := fold(choice):
            verbatim.setdefault(text, label)
    return ChoiceIndex(
        labels,
        choices,
        spelled,
        _letter_pattern(labels, tuple(spelled), multi_select),
        tuple(_distinct(verbatim)),
        verbatim,
        same_choice(labels, choices),
        bool(NONE_OF_THESE.search("\n".join(verbatim))),
        not any(
            CHORD.fullmatch(choice.strip())
            or set(choice.replace(":", " ").replace("#", " ").split()) & spelled.keys() - {"a", "A", "I", "i"}
            for choice in choices
        ),
    )


def distinctive_keywords(index: ChoiceIndex) -> dict[str, frozenset[str]]:
    """Keywords of each option that not all options share."""
    words_of_label: dict[str, frozenset[str]] = {}
    for text, label in index.verbatim.items():
        words_of_label[label] = words_of_label.get(label, frozenset()) | keywords(text)
    shared = frozenset.intersection(*words_of_label.values()) if len(words_of_label) > 1 else frozenset()
    return {label: words - shared for label, words in words_of_label.items()}


def _distinct(verbatim: Mapping[str, str]) -> Iterator[OptionText]:
    """Yield the texts of options, each as short as distinguishes it from the others; of equal ones the first."""
    texts = [(text, option) for text, label in verbatim.items() if (option := option_text(label, text))]
    count = Counter(option.joined for _, option in texts)
    seen: set[str] = set()
    for text, option in texts:
        shown = option if count[option.joined] == 1 else option_text(option.label, text, whole=True)
        if shown and shown.joined not in seen:
            seen.add(shown.joined)
            yield shown
