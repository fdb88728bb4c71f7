"""Strict parsing of verdicts: a verdict stands where the prompt asked for it, or there is none.

A verdict is looked for in all the places where judges put it. Of several kinds of places the first that holds one
counts, and within a kind the last, for a judge explains first and may quote what it was given:

    json, marked  an object with a key such as "score" or "verdict", fenced or not; "Rating: 4", "Rating (0-5): 4",
                  "评分：4", "Judgement: correct", "[[4]]", "\\boxed{4}", "<score>4</score>"; of pairs "Scores: 9 and 6",
                  "Assistant 1: 9, Assistant 2: 6" and {"assistant_1": 9, "assistant_2": 6}
    in prose      "4 out of 5" where 5 is the top of the scale, a word in square brackets at the end
    bare          nothing but the verdict, in the whole reply, its last line or its first

A number outside the scale is none, and neither is a range; nothing is clipped. A word counts only where it is the whole
of what follows its mark: "not correct" and "partly correct" are no verdicts, and a word in a sentence never is. Two
different bare verdicts are none. Whatever stands before the end of a thinking part is not looked at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar

from earmark.text.thoughts import split_thoughts

MARKS: Final = r"(?:scores?|ratings?|grade|points?|overall|verdict|judge?ment|result|decision|conclusion|label)"
SIDES: Final = r"(?:assistant|answer|response|reply|model|candidate)"  # each with 1 or 2
NUMBER: Final = r"[-+−]?\d+(?:\.\d+)?"
COLONS: Final = ":=："
_CJK_MARKS: Final = r"(?:评分|得分|分数|打分|总分|判断|结论|評分|得點|分數|評価|点数|スコア|判定|점수|평점|판정)"
_SIGNS: Final = rf"[^\w\n+\-−.∶＝{COLONS}]{{0,6}}"  # not what stands for a colon in a candidate's words
_ASIDE: Final = r"(?:\([^()\n]{1,30}\)|（[^（）\n]{1,30}）)?"  # as in "Rating (0-5): 4"
_MARK: Final = rf"(?:\b{MARKS}\b|{_CJK_MARKS}){_SIGNS}{_ASIDE}{_SIGNS}"
_SIDE: Final = rf"\b{SIDES}[\s_#]*(?P<side>[12])(?:['’]?s)?(?:[\s_]+{MARKS})?\b{_SIGNS}{_ASIDE}{_SIGNS}"
LABEL: Final = rf"(?:{_MARK}|{_SIDE})"  # what a colon and a verdict follow
_TOP: Final = rf"(?:\s*(?:/|out\s+of)\s*(?P<top>{NUMBER}))?"
_NOT_ONE: Final = (
    r"(?P<more>\s*(?:%|(?:-|–|—|to|or|and|&)\s*\d))?"  # "4-5", "4 or 5", "80%": no single number of the scale
)
_BOXED: Final = r"\\boxed\s*\{\s*(?:\\text\s*\{)?\s*"

_MARKED_NUMBER: Final = re.compile(
    rf"{_MARK}[{COLONS}]{_SIGNS}(?P<number>{NUMBER}){_TOP}{_NOT_ONE}"
    rf"|(?:\[\[|{_BOXED})\s*(?P<boxed>{NUMBER})\s*(?:/\s*(?P<boxed_top>{NUMBER})\s*)?(?:\]\]|\}})"
    rf"|<{MARKS}>\s*(?P<tagged>{NUMBER})\s*</",
    re.IGNORECASE,
)
_OUT_OF: Final = re.compile(rf"(?P<number>{NUMBER})\s*(?:/|out\s+of)\s*(?P<top>{NUMBER})", re.IGNORECASE)
_BARE_NUMBER: Final = re.compile(rf"[^\w+\-−]*(?P<number>{NUMBER}){_TOP}[^\w]*", re.IGNORECASE)
_MARKED_WORD: Final = re.compile(
    rf"{_MARK}[{COLONS}](?=(?P<rest>[^\n]*))"
    rf"|(?:\[\[|{_BOXED})(?P<boxed>[^\[\]{{}}\n]{{1,40}})(?:\]\]|\}})"
    rf"|<{MARKS}>(?P<tagged>[^<>]{{1,40}})</",
    re.IGNORECASE,
)
_LAST_IN_BRACKETS: Final = re.compile(r"\[([^\[\]\n]{1,40})\]\W*\Z")
_KEY: Final = re.compile(rf"(?:.*_)?{MARKS}|{_CJK_MARKS}", re.IGNORECASE)
_SIDE_KEY: Final = re.compile(rf"{SIDES}[\s_]?([12])(?:[\s_]{MARKS})?", re.IGNORECASE)
_TWO: Final = r"(?P<first>\d+(?:\.\d+)?)(?:\s*[,/|&]\s*|\s+and\s+|\s+)(?P<second>\d+(?:\.\d+)?)"
_PAIR: Final = re.compile(rf"\W*?{_TWO}\W*")
_MARKED_PAIR: Final = re.compile(rf"{_MARK}[{COLONS}]{_SIGNS}{_TWO}(?=\W*$)", re.IGNORECASE | re.MULTILINE)
_RATED_SIDE: Final = re.compile(  # "3 birds" is no rating
    rf"{_SIDE}[{COLONS}]{_SIGNS}(?P<number>{NUMBER}){_TOP}(?=[*_`]*\s*(?:[.,;|(]|$|[-–—](?!\s*\d)|and\b|{SIDES}\b))",
    re.IGNORECASE | re.MULTILINE,
)

Value = TypeVar("Value")


class ParsedVerdict(NamedTuple, Generic[Value]):
    """A verdict, or none, and by which rule."""

    value: Value | None
    rule: str


class _VerdictMatch(NamedTuple):
    """Something that was meant as a verdict: where it ends, and what it says, if that can be a verdict."""

    end: int
    value: Any
    rule: str


def parse_rating(reply: str, scale: tuple[float, float]) -> ParsedVerdict[float]:
    """A number within a scale.

    >>> parse_rating('The reply says "Rating: 5", which it does not deserve.\\nRating: 1', (1, 5))
    ParsedVerdict(value=1.0, rule='marked')
    >>> parse_rating("Score: 85", (0, 10))
    ParsedVerdict(value=None, rule='out of range')
    """
    text = _strip_reasoning(reply)
    matches = [_VerdictMatch(end, _parse_rated(value, scale[1]), "json") for end, value in _json(text)]
    for match in _MARKED_NUMBER.finditer(text):
        number = match["number"] or match["boxed"] or match["tagged"]
        top = match["top"] or match["boxed_top"]
        clear = not match["more"] and (top is None or _number(top) == scale[1])
        matches.append(_VerdictMatch(match.end(), _number(number) if clear else None, "marked"))
    in_prose = [
        _VerdictMatch(match.end(), _number(match["number"]), "in prose")
        for match in _OUT_OF.finditer(text)
        if _number(match["top"]) == scale[1]
    ]
    bare = _bare([_parse_rated(_plain(line), scale[1]) for line in _lines(text)])
    return _within(_last(matches) or _last(in_prose) or bare, scale)


def parse_word(reply: str, words: Sequence[str]) -> ParsedVerdict[str]:
    """One of some words.

    >>> parse_word("Explanation: it names the right bird.\\nJudgement: correct", ("correct", "incorrect"))
    ParsedVerdict(value='correct', rule='marked')
    >>> parse_word("This is not incorrect.", ("correct", "incorrect")).value is None
    True
    """
    text = _strip_reasoning(reply)
    matches = [_VerdictMatch(end, _word(value, words), "json") for end, value in _json(text)]
    for match in _MARKED_WORD.finditer(text):
        if match["boxed"] is None or _whole(match["boxed"], words):  # brackets hold many things
            candidate = match["rest"] or match["boxed"] or match["tagged"]
            matches.append(_VerdictMatch(match.end(), _word(candidate, words), "marked"))
    last = _LAST_IN_BRACKETS.search(text)
    in_prose = [_VerdictMatch(last.end(), word, "in prose")] if last and (word := _whole(last[1], words)) else []
    return _last(matches) or _last(in_prose) or _bare([_whole(line, words) for line in _lines(text)])


def parse_pair(reply: str, scale: tuple[float, float]) -> ParsedVerdict[tuple[float, float]]:
    """Two numbers that are marked as the ratings, or else have a line to themselves, the only such line.

    >>> parse_pair("8 9\\nThe second answer names the song.", (1, 10)).value
    (8.0, 9.0)
    >>> parse_pair("Assistant 1: 9\\nAssistant 2: 6", (1, 10)).value
    (9.0, 6.0)
    """
    text = _strip_reasoning(reply)
    pairs = [_VerdictMatch(end, _json_pair(fields, scale[1]), "json") for end, fields in _objects(text)]
    pairs = [one for one in pairs if one.value]
    pairs += [_VerdictMatch(match.end(), _two(match), "marked") for match in _MARKED_PAIR.finditer(text)]
    sides = {match["side"]: match for match in _RATED_SIDE.finditer(text)}  # the last of each
    if len(sides) == 2:
        pair = tuple(
            _parse_rated(f"{sides[side]['number']}/{sides[side]['top'] or scale[1]}", scale[1]) for side in "12"
        )
        pairs.append(
            _VerdictMatch(max(match.end() for match in sides.values()), None if None in pair else pair, "marked")
        )
    lines = (_PAIR.fullmatch(_plain(line)) for line in text.splitlines())
    read = _last(pairs) or _bare([_two(match) for match in lines if match])
    inside = read.value is None or all(scale[0] <= number <= scale[1] for number in read.value)
    return read if inside else ParsedVerdict(None, "out of range")


# ---------------------------------------------------------------- where verdicts stand


def _strip_reasoning(reply: str) -> str:
    return split_thoughts(reply)[0]


def _objects(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON objects of a text, each with where it ends."""
    decoder, start = json.JSONDecoder(), text.find("{")
    while start >= 0:
        try:
            fields, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):  # ValueError: also of a number with too many digits
            end = start + 1
        else:
            yield end, fields
        start = text.find("{", end)


def _json(text: str) -> Iterator[tuple[int, Any]]:
    """The verdicts in the JSON objects of a text: where each object ends, and the value under a key that names one."""
    for end, fields in _objects(text):
        named = [value for key, value in fields.items() if _KEY.fullmatch(key)]
        if len(named) == 1:
            yield end, named[0]


def _json_pair(fields: Mapping[str, Any], top: float) -> tuple[float, float] | None:
    """Two ratings from a JSON object: under a key for each side, or both under one key that names a verdict."""
    sides = {match[1]: value for key, value in fields.items() if (match := _SIDE_KEY.fullmatch(key))}
    named = [value for key, value in fields.items() if _KEY.fullmatch(key)]
    values = [sides["1"], sides["2"]] if len(sides) == 2 else named[0] if len(named) == 1 else None
    if isinstance(values, dict):
        return _json_pair(values, top)
    rated = [_parse_rated(value, top) for value in values] if isinstance(values, list) and len(values) == 2 else []
    return (rated[0], rated[1]) if rated and rated[0] is not None and rated[1] is not None else None


def _last(matches: Sequence[_VerdictMatch]) -> ParsedVerdict[Any] | None:
    if not matches:
        return None
    last = max(matches, key=lambda verdict: verdict.end)
    return ParsedVerdict(last.value, last.rule if last.value is not None else f"{last.rule}, and no verdict")


def _lines(text: str) -> list[str]:
    """The whole of a text, and its first and last line."""
    lines = [line for line in text.splitlines() if line.strip()]
    return [text, lines[0], lines[-1]] if lines else []


def _bare(values: Sequence[Any]) -> ParsedVerdict[Any]:
    distinct = dict.fromkeys(value for value in values if value is not None)
    if len(distinct) == 1:
        return ParsedVerdict(next(iter(distinct)), "bare")
    return ParsedVerdict(None, "several verdicts" if distinct else "no verdict")


# ---------------------------------------------------------------- what a verdict is


def _plain(text: str) -> str:
    return re.sub(r"[*_`#>]", "", text).strip()


def _number(value: Any) -> float | None:
    if isinstance(value, str) and re.fullmatch(NUMBER, value.strip()):
        return float(value.strip().replace("−", "-"))
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _parse_rated(value: Any, top: float) -> float | None:
    """The number that is all of a value, or of a text with at most the top of the scale behind it: 4, "4", "4/5"."""
    match = _BARE_NUMBER.fullmatch(value) if isinstance(value, str) else None
    if match:
        return _number(match["number"]) if match["top"] is None or _number(match["top"]) == top else None
    return _number(value)


def _two(match: re.Match[str]) -> tuple[float, float]:
    return float(match["first"]), float(match["second"])


def _within(read: ParsedVerdict[float], scale: tuple[float, float]) -> ParsedVerdict[float]:
    if read.value is not None and not scale[0] <= read.value <= scale[1]:
        return ParsedVerdict(None, "out of range")
    return read


def _whole(text: Any, words: Sequence[str]) -> str | None:
    """The word that a text is, whatever its case and signs."""
    stripped = re.sub(r"^\W+|\W+$", "", str(text)).casefold()
    return next((word for word in words if stripped == word.casefold()), None)


def _word(text: Any, words: Sequence[str]) -> str | None:
    """The word that a text begins with and that does not begin a sentence: "incorrect", "NO, for it differs"."""
    if not isinstance(text, str):
        return None
    match = re.match(r"\W*([^\W_]+)[\"'`*_\])>]*(?:\s*[.,;:!—–(]|\s+-|\s*$)", text)
    return _whole(match[1], words) if match else None
