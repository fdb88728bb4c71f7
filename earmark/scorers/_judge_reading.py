"""What a judge decided, read strictly: a verdict stands where one was asked for, or there is none.

A verdict is looked for in all the places where judges put it, and of those that are found the last one counts, for a
judge explains first and may quote what it was given:

    json      an object with a key such as "score" or "verdict", fenced or not
    marked    "Rating: 4", "Judgement: correct", "[[4]]", "<score>4</score>", "4 out of 5" where 5 is the top of the scale
    bare      nothing but the verdict, in the whole reply, its last line or its first

A number outside the scale is none, and neither is a range; nothing is clipped. A word counts only where it is the whole
of what follows its mark: "not correct" and "partly correct" are no verdicts, and a word in a sentence never is. Two
different bare verdicts are none. Whatever stands before the end of a thinking part is not looked at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar

from earmark.text.thoughts import split_thoughts

MARKS: Final = r"(?:scores?|ratings?|grade|points?|overall|verdict|judge?ment|result|decision|conclusion|label)"
NUMBER: Final = r"[-+−]?\d+(?:\.\d+)?"
_NOT_ONE: Final = r"(?P<more>\s*(?:%|(?:-|–|—|to|or)\s*\d))?"  # "4-5", "4 or 5", "80%": no single number of the scale
_TOP: Final = rf"(?:\s*(?:/|out\s+of)\s*(?P<top>{NUMBER}))?"
_SIGNS: Final = r"[^\w\n+\-−.:=∶＝]{0,6}"  # not what stands for a colon in a candidate's words

_MARKED_NUMBER: Final = re.compile(
    rf"\b{MARKS}\b{_SIGNS}[:=]{_SIGNS}(?P<number>{NUMBER}){_TOP}{_NOT_ONE}"
    rf"|\[\[\s*(?P<boxed>{NUMBER})\s*(?:/\s*(?P<boxed_top>{NUMBER})\s*)?\]\]"
    rf"|<{MARKS}>\s*(?P<tagged>{NUMBER})\s*</",
    re.IGNORECASE,
)
_OUT_OF: Final = re.compile(rf"(?P<number>{NUMBER})\s*(?:/|out\s+of)\s*(?P<top>{NUMBER})", re.IGNORECASE)
_BARE_NUMBER: Final = re.compile(rf"[^\w+\-−]*(?P<number>{NUMBER}){_TOP}[^\w]*", re.IGNORECASE)
_MARKED_WORD: Final = re.compile(
    rf"\b{MARKS}\b{_SIGNS}[:=](?=(?P<rest>[^\n]*))"
    r"|\[(?P<boxed>[^\[\]\n]{1,40})\](?:\]|\W*\Z)"
    rf"|<{MARKS}>(?P<tagged>[^<>]{{1,40}})</",
    re.IGNORECASE,
)
_KEY: Final = re.compile(rf"(?:.*_)?{MARKS}", re.IGNORECASE)
_PAIR: Final = re.compile(r"\W*?(?P<first>\d+(?:\.\d+)?)(?:\s*[,/|]\s*|\s+)(?P<second>\d+(?:\.\d+)?)\W*")

Value = TypeVar("Value")


class Read(NamedTuple, Generic[Value]):
    """A verdict, or none, and by which rule."""

    value: Value | None
    rule: str


class _Found(NamedTuple):
    """Something that was meant as a verdict: where it ends, and what it says, if that can be a verdict."""

    end: int
    value: Any
    rule: str


def read_rating(reply: str, scale: tuple[float, float]) -> Read[float]:
    """A number within a scale.

    >>> read_rating('The reply says "Rating: 5", which it does not deserve.\\nRating: 1', (1, 5))
    Read(value=1.0, rule='marked')
    >>> read_rating("Score: 85", (0, 10))
    Read(value=None, rule='out of range')
    """
    text = _after_thought(reply)
    found = [_Found(end, _number(value), "json") for end, value in _json(text)]
    for match in _MARKED_NUMBER.finditer(text):
        number = match["number"] or match["boxed"] or match["tagged"]
        top = match["top"] or match["boxed_top"]
        clear = not match["more"] and (top is None or _number(top) == scale[1])
        found.append(_Found(match.end(), _number(number) if clear else None, "marked"))
    found += [
        _Found(match.end(), _number(match["number"]), "marked")
        for match in _OUT_OF.finditer(text)
        if _number(match["top"]) == scale[1]
    ]
    return _within(_last(found) or _bare([_bare_number(line, scale[1]) for line in _lines(text)]), scale)


def read_word(reply: str, words: Sequence[str]) -> Read[str]:
    """One of some words.

    >>> read_word("Explanation: it names the right bird.\\nJudgement: correct", ("correct", "incorrect"))
    Read(value='correct', rule='marked')
    >>> read_word("This is not incorrect.", ("correct", "incorrect")).value is None
    True
    """
    text = _after_thought(reply)
    found = [_Found(end, _word(value, words), "json") for end, value in _json(text)]
    for match in _MARKED_WORD.finditer(text):
        if match["boxed"] is None or _whole(match["boxed"], words):  # square brackets hold many things
            said = match["rest"] or match["boxed"] or match["tagged"]
            found.append(_Found(match.end(), _word(said, words), "marked"))
    return _last(found) or _bare([_whole(line, words) for line in _lines(text)])


def read_pair(reply: str, scale: tuple[float, float]) -> Read[tuple[float, float]]:
    """Two numbers that have a line to themselves, the only such line.

    >>> read_pair("8 9\\nThe second answer names the song.", (1, 10)).value
    (8.0, 9.0)
    """
    found = {
        (float(match["first"]), float(match["second"]))
        for line in _after_thought(reply).splitlines()
        if (match := _PAIR.fullmatch(_plain(line)))
    }
    if len(found) != 1:
        return Read(None, "several verdicts" if found else "no verdict")
    (pair,) = found
    return Read(pair, "bare") if all(scale[0] <= number <= scale[1] for number in pair) else Read(None, "out of range")


# ---------------------------------------------------------------- where verdicts stand


def _after_thought(reply: str) -> str:
    return split_thoughts(reply)[0]


def _json(text: str) -> Iterator[tuple[int, Any]]:
    """The verdicts in the JSON objects of a text: where each object ends, and the value under a key that names one."""
    decoder, at = json.JSONDecoder(), text.find("{")
    while at >= 0:
        try:
            told, end = decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            end = at + 1
        else:
            named = [value for key, value in told.items() if _KEY.fullmatch(key)]
            if len(named) == 1:
                yield end, named[0]
        at = text.find("{", end)


def _last(found: Sequence[_Found]) -> Read[Any] | None:
    if not found:
        return None
    last = max(found, key=lambda one: one.end)
    return Read(last.value, last.rule if last.value is not None else f"{last.rule}, and no verdict")


def _lines(text: str) -> list[str]:
    """The whole of a text, and its first and last line."""
    lines = [line for line in text.splitlines() if line.strip()]
    return [text, lines[0], lines[-1]] if lines else []


def _bare(values: Sequence[Any]) -> Read[Any]:
    told = dict.fromkeys(value for value in values if value is not None)
    if len(told) == 1:
        return Read(next(iter(told)), "bare")
    return Read(None, "several verdicts" if told else "no verdict")


# ---------------------------------------------------------------- what a verdict is


def _plain(text: str) -> str:
    return re.sub(r"[*_`#>]", "", text).strip()


def _number(value: Any) -> float | None:
    if isinstance(value, str) and re.fullmatch(NUMBER, value.strip()):
        return float(value.strip().replace("−", "-"))
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _bare_number(line: str, top: float) -> float | None:
    match = _BARE_NUMBER.fullmatch(_plain(line))
    return _number(match["number"]) if match and (match["top"] is None or _number(match["top"]) == top) else None


def _within(read: Read[float], scale: tuple[float, float]) -> Read[float]:
    if read.value is not None and not scale[0] <= read.value <= scale[1]:
        return Read(None, "out of range")
    return read


def _whole(text: Any, words: Sequence[str]) -> str | None:
    """The word that a text is, whatever its case and signs."""
    said = re.sub(r"^\W+|\W+$", "", str(text)).casefold()
    return next((word for word in words if said == word.casefold()), None)


def _word(text: Any, words: Sequence[str]) -> str | None:
    """The word that a text begins with and that is not the beginning of a sentence: "incorrect", "NO, for it differs"."""
    if not isinstance(text, str):
        return None
    said = re.match(r"\W*([^\W_]+)[\"'`*_\])>]*(?:\s*[.,;:!—–(]|\s+-|\s*$)", text)
    return _whole(said[1], words) if said else None
