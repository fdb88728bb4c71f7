"""Rules that tell of a reply if it does what was asked: the 25 of IFEval, and the 21 kinds of MMAU-Pro.

A rule is a function of the reply and its arguments by name. Both sets count sentences with a model of NLTK that is
fetched from the web; here sentences end at a stop, a question mark or an exclamation mark before a blank
(`count_sentences`), and the language of a reply is guessed by `text/language.py` instead of langdetect.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from earmark.text.language import detect_language

Rule: TypeAlias = Callable[[str, Mapping[str, Any]], bool]

SENTENCE_END: Final = re.compile(r"[.!?。！？]+[\"')\]”’]*(?=\s|$)|[。！？]+")
ABBREVIATION: Final = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|e\.g|i\.e|Inc|Ltd|[A-Z])\.$")
FIRST_WORD_ENDS: Final = frozenset(".,?!'\"")
FIXED_ANSWERS: Final = ("My answer is yes.", "My answer is no.", "My answer is maybe.")


def count_sentences(text: str) -> int:
    """Number of sentences.

    >>> count_sentences("Dr. No came. Who? No."), count_sentences("no end"), count_sentences("")
    (3, 1, 0)
    """
    count, rest = 0, 0
    for match in SENTENCE_END.finditer(text):
        if ABBREVIATION.search(text[rest : match.end()]) and match.end() < len(text):
            continue
        count += bool(text[rest : match.start()].strip())
        rest = match.end()
    return count + bool(text[rest:].strip())


def _compare(count: int, relation: str, number: float) -> bool:
    """IFEval's two relations."""
    return count < number if relation == "less than" else count >= number


# ---------------------------------------------------------------- IFEval


def _paragraphs(reply: str, arguments: Mapping[str, Any]) -> bool:
    parts = re.split(r"\s?\*\*\*\s?", reply)
    empty = [index for index, part in enumerate(parts) if not part.strip()]
    inside = [index for index in empty if 0 < index < len(parts) - 1]
    return not inside and len(parts) - len(empty) == int(arguments["num_paragraphs"])


def _nth_first_word(reply: str, arguments: Mapping[str, Any]) -> bool:
    parts = reply.split("\n\n")
    count, nth = sum(bool(part.strip()) for part in parts), int(arguments["nth_paragraph"])
    if nth > count or not parts[nth - 1].strip():
        return False
    first = ""
    for sign in parts[nth - 1].split()[0].lstrip("'").lstrip('"'):
        if sign in FIRST_WORD_ENDS:
            break
        first += sign.lower()
    return count == int(arguments["num_paragraphs"]) and first == str(arguments["first_word"]).lower()


def _postscript(reply: str, arguments: Mapping[str, Any]) -> bool:
    marker = str(arguments["postscript_marker"])
    begin = {"P.P.S": r"p\.\s?p\.\s?s", "P.S.": r"p\.\s?s\."}.get(marker, marker.lower())
    return re.search(rf"\s*{begin}.*$", reply.lower(), re.MULTILINE) is not None


def _bullets(reply: str, arguments: Mapping[str, Any]) -> bool:
    stars = re.findall(r"^\s*\*[^\*].*$", reply, re.MULTILINE)
    return len(stars) + len(re.findall(r"^\s*-.*$", reply, re.MULTILINE)) == int(arguments["num_bullets"])


def _highlights(reply: str, arguments: Mapping[str, Any]) -> bool:
    one = [text for text in re.findall(r"\*[^\n\*]*\*", reply) if text.strip("*").strip()]
    two = [text for text in re.findall(r"\*\*[^\n\*]*\*\*", reply) if text[2:-2].strip()]
    return len(one) + len(two) >= int(arguments["num_highlights"])


def _sections(reply: str, arguments: Mapping[str, Any]) -> bool:
    parts = re.split(rf"\s?{arguments['section_spliter']}\s?\d+\s?", reply)
    return len(parts) - 1 >= int(arguments["num_sections"])


def _is_json(reply: str, arguments: Mapping[str, Any]) -> bool:
    del arguments
    text = re.sub(r"^```(?:json|Json|JSON)?", "", reply.strip()).removesuffix("```").strip()
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _two_responses(reply: str, arguments: Mapping[str, Any]) -> bool:
    del arguments
    parts = reply.split("******")
    if any(not part.strip() for part in parts[1:-1]):
        return False
    given = [part.strip() for part in parts if part.strip()]
    return len(given) == 2 and given[0] != given[1]


def _letters(reply: str, arguments: Mapping[str, Any]) -> bool:
    count = reply.lower().count(str(arguments["letter"]).lower())
    return _compare(count, arguments["let_relation"], arguments["let_frequency"])


def _capital_words(reply: str, arguments: Mapping[str, Any]) -> bool:
    words = [word for word in re.findall(r"[\w'-]+", reply) if word.isupper()]
    return _compare(len(words), arguments["capital_relation"], arguments["capital_frequency"])


def _search(pattern: object, reply: str) -> int:
    return len(re.findall(str(pattern), reply, re.IGNORECASE))


IFEVAL: Final[Mapping[str, Rule]] = {
    "keywords:existence": lambda reply, a: all(_search(word, reply) for word in a["keywords"]),
    "keywords:frequency": lambda reply, a: _compare(_search(a["keyword"], reply), a["relation"], a["frequency"]),
    "keywords:forbidden_words": lambda reply, a: not any(_search(rf"\b{w}\b", reply) for w in a["forbidden_words"]),
    "keywords:letter_frequency": _letters,
    "language:response_language": lambda reply, a: detect_language(reply) in ("", a["language"]),
    "length_constraints:number_sentences": lambda reply, a: _compare(
        count_sentences(reply), a["relation"], a["num_sentences"]
    ),
    "length_constraints:number_paragraphs": _paragraphs,
    "length_constraints:number_words": lambda reply, a: _compare(
        len(re.findall(r"\w+", reply)), a["relation"], a["num_words"]
    ),
    "length_constraints:nth_paragraph_first_word": _nth_first_word,
    "detectable_content:number_placeholders": lambda reply, a: (
        len(re.findall(r"\[.*?\]", reply)) >= a["num_placeholders"]
    ),
    "detectable_content:postscript": _postscript,
    "detectable_format:number_bullet_lists": _bullets,
    "detectable_format:constrained_response": lambda reply, _a: any(text in reply for text in FIXED_ANSWERS),
    "detectable_format:number_highlighted_sections": _highlights,
    "detectable_format:multiple_sections": _sections,
    "detectable_format:json_format": _is_json,
    "detectable_format:title": lambda reply, _a: any(
        text.strip("<>").strip() for text in re.findall(r"<<[^\n]+>>", reply)
    ),
    "combination:two_responses": _two_responses,
    "combination:repeat_prompt": lambda reply, a: (
        reply.strip().lower().startswith(str(a["prompt_to_repeat"]).strip().lower())
    ),
    "startend:end_checker": lambda reply, a: (
        reply.strip().strip('"').lower().endswith(str(a["end_phrase"]).strip().lower())
    ),
    "startend:quotation": lambda reply, _a: len(reply.strip()) > 1 and reply.strip()[0] == reply.strip()[-1] == '"',
    "change_case:capital_word_frequency": _capital_words,
    "change_case:english_capital": lambda reply, _a: reply.isupper() and detect_language(reply) in ("", "en"),
    "change_case:english_lowercase": lambda reply, _a: reply.islower() and detect_language(reply) in ("", "en"),
    "punctuation:no_comma": lambda reply, _a: "," not in reply,
}


def loose_replies(reply: str) -> tuple[str, ...]:
    """The eight forms of a reply of which one is enough, by IFEval's loose measure: without its first line, its last,
    both, and each without asterisks.

    >>> loose_replies("Sure!\\n*yes*")
    ('Sure!\\n*yes*', 'Sure!\\nyes', '*yes*', 'Sure!', '', 'yes', 'Sure!', '')
    """
    lines = reply.split("\n")
    cut = ["\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1])]
    return (reply, reply.replace("*", ""), *cut, *(text.replace("*", "") for text in cut))


# ---------------------------------------------------------------- MMAU-Pro


def _in_range(count: int, kind: str, arguments: Mapping[str, Any]) -> bool:
    if kind == "range":
        return int(arguments.get("N1") or 0) <= count <= int(arguments.get("N2") or 999)
    number = int(arguments.get("N") or 0)
    return count >= number if kind == "at least" else count <= number


def _counted(count: Callable[[str], int], kind: str) -> Rule:
    return lambda reply, arguments: _in_range(count(reply), kind, arguments)


def _exactly(count: Callable[[str], int]) -> Rule:
    return lambda reply, arguments: count(reply) == int(arguments.get("N") or 0)


def _split_words(arguments: Mapping[str, Any], name: str) -> list[str]:
    return str(arguments.get(name) or "").lower().split(", ")


def _letters_only(text: object, *, blanks: bool) -> str:
    return re.sub(r"[^a-zA-Z ]" if blanks else r"[^a-zA-Z]", "", str(text)).lower()


def _keyword_frequency(reply: str, arguments: Mapping[str, Any]) -> bool:
    word = re.escape(str(arguments.get("keyword") or "").lower())
    return len(re.findall(rf"\b{word}\b", reply.lower())) == int(arguments.get("N") or 0)


def _named_sections(reply: str, arguments: Mapping[str, Any]) -> bool:
    parts = re.split(rf"\s*{re.escape(str(arguments.get('section_splitter') or ''))}\s*", reply.strip())
    return sum(bool(part.strip()) for part in parts) == int(arguments.get("N") or 0)


def _two_different(reply: str, arguments: Mapping[str, Any]) -> bool:
    del arguments
    parts = reply.lower().split("******")
    return len(parts) == 2 and parts[0].strip() != parts[1].strip()


def _capitals(reply: str) -> int:
    return sum(word.isupper() for word in reply.split())


def _words(reply: str) -> int:
    return len(reply.split())


KINDS: Final = ("at least", "at most", "range")
MMAU_PRO: Final[Mapping[str, Rule]] = {
    "Include Keywords": lambda reply, a: all(word in reply.lower() for word in _split_words(a, "keywords")),
    "Keyword Frequency": _keyword_frequency,
    "Forbidden Words": lambda reply, a: not any(w in reply.lower() for w in _split_words(a, "forbidden_words")),
    "Number Paragraphs": _exactly(lambda reply: sum(bool(part.strip()) for part in reply.split("***"))),
    **{f"Number Words ({kind})": _counted(_words, kind) for kind in KINDS},
    **{f"Number Sentences ({kind})": _counted(count_sentences, kind) for kind in KINDS},
    "Postscript": lambda reply, a: (
        _letters_only(a.get("postscript_marker") or "", blanks=False) in _letters_only(reply, blanks=False)
    ),
    "Number Placeholder": _counted(lambda reply: len(re.findall(r"\[[^\]]+\]", reply)), "at least"),
    "Number Bullets": _exactly(lambda reply: len(re.findall(r"(?:^|\n)\s*\*\s+", reply))),
    "Title": lambda reply, _a: re.search(r"<<[^>]+>>", reply) is not None,
    "Minimum Number Highlighted Section": _counted(lambda reply: len(re.findall(r"\*([^*]+)\*", reply)), "at least"),
    "Multiple Sections": _named_sections,
    "Repeat Prompt": lambda reply, a: (
        reply.strip().lower().startswith(str(a.get("prompt_transcription") or "").strip().lower())
    ),
    "Two Responses": _two_different,
    "All Uppercase": lambda reply, _a: reply.isupper(),
    "All Lowercase": lambda reply, _a: reply.islower(),
    **{f"All-capital Words ({kind})": _counted(_capitals, kind) for kind in KINDS},
    "Start Checker": lambda reply, a: _letters_only(reply, blanks=True).startswith(
        _letters_only(a.get("start_phrase") or "", blanks=True)
    ),
    "End Checker": lambda reply, a: _letters_only(reply, blanks=True).endswith(
        _letters_only(a.get("end_phrase") or "", blanks=True)
    ),
    "Quotation": lambda reply, _a: reply.strip().startswith('"') and reply.strip().endswith('"'),
    "No Commas": lambda reply, _a: "," not in reply,
}
RULES: Final[Mapping[str, Mapping[str, Rule]]] = {"ifeval": IFEVAL, "mmau-pro": MMAU_PRO}
