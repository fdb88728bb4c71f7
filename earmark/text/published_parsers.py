"""Parsers of choices by name: our own, and published ones, reproduced to the letter.

    listen-g1       the first of the characters A to H, in capitals
    listen-g2       the first character, upper-cased, that is one of the letters shown
    mmau            the one option whose words are all said while no word that only others have is
    air-bench       the first character if it is A, B, C or D, else the last but one ("The answer is A.")
    mmsu            the same
    voicebench      the first of its templates, in their order, that fits with a, b, c or d
    muchomusic      the one capital letter of A to D that occurs at all, else the first option whose text occurs
    dynamic-superb  the option that equals the reply but for case

Letters are positions: an item with other labels is parsed by the position of its label. A letter without an option ends
the parsing, as it does officially, but is no answer ("not-shown"). Steps beyond one reply are left out: VoiceBench's
random letter for a reply that it cannot parse, MMSU's bug of giving an empty reply the previous answer, LISTEN's
cutting of an echoed chat. MMAU and MMAR test a reply against the right answer instead of parsing it; this parser
returns the choice that the test would accept, and none if it would accept several.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from earmark.text._lazy import LazyPattern
from earmark.text.choice_parser import Parsed, Parser, parse_choice

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


UNPARSED = Parsed(None, "", None, "unparsed")


def _label_at(position: int, labels: Sequence[str], rule: str, span: tuple[int, int] | None) -> Parsed:
    """Parsed label at a position, if the item has one there."""
    if position < len(labels):
        return Parsed(labels[position], rule, span, "answered")
    return Parsed(None, "not-shown", span, "unparsed")


def listen_g1(reply: str, labels: Sequence[str], choices: Sequence[str] = ()) -> Parsed:
    """LISTEN's runners before commit e52f291.

    >>> [listen_g1(reply, "ABCDE").answer for reply in ("The answer is B", "Answer: B", "b")]
    ['B', 'A', None]
    """
    del choices
    for position, sign in enumerate(reply):
        if sign in "ABCDEFGH":
            return _label_at(LETTERS.index(sign), labels, "first-letter", (position, position + 1))
    return UNPARSED


def listen_g2(reply: str, labels: Sequence[str], choices: Sequence[str] = ()) -> Parsed:
    """LISTEN's runners since commit e52f291.

    >>> [listen_g2(reply, "ABCDE").answer for reply in ("The answer is B", "b", "j")]
    ['E', 'B', None]
    """
    del choices
    shown = LETTERS[: len(labels)]
    for position, sign in enumerate(reply):
        for letter in sign.upper():  # "ß" is two
            if letter in shown:
                return _label_at(shown.index(letter), labels, "first-letter", (position, position + 1))
    return UNPARSED


def _words(text: str) -> set[str]:
    return set(re.findall(r"\b\w+\b", text.lower()))


def mmau(reply: str, labels: Sequence[str], choices: Sequence[str] = ()) -> Parsed:
    """MMAU's and MMAR's string match, tried on every option in turn.

    >>> mmau("a big dog", "AB", ("dog", "cat")).answer, mmau("B", "AB", ("dog", "cat")).answer
    ('A', None)
    """
    reply_words = _words(reply)
    options = [_words(choice) for choice in choices]
    accepted = []
    for position, words in enumerate(options):
        foreign = set().union(*(other - words for other in options if other != words))
        if reply_words and words <= reply_words and not reply_words & foreign:
            accepted.append(position)
    return _label_at(accepted[0], labels, "string-match", (0, len(reply))) if len(accepted) == 1 else UNPARSED


def air_bench(reply: str, labels: Sequence[str], choices: Sequence[str] = ()) -> Parsed:
    """AIR-Bench's foundation score; an unparsed reply leaves its denominator.

    >>> [air_bench(reply, "ABCD").answer for reply in ("B. dog", "The answer is C.", "Because", "(D) cat", "None")]
    ['B', 'C', 'B', None, None]
    """
    del choices
    places = [position for position in range(len(reply)) if reply[position] != "\n"]
    while places and reply[places[0]].isspace():
        places.pop(0)
    while places and reply[places[-1]].isspace():
        places.pop()
    if "".join(reply[position] for position in places) == "None":
        return UNPARSED
    for name, position in (("first-character", 0), ("last-but-one", -2)):
        if len(places) >= abs(position) and places and reply[places[position]] in "ABCD":
            return _label_at(
                LETTERS.index(reply[places[position]]), labels, name, (places[position], places[position] + 1)
            )
    return UNPARSED


# VoiceBench's 163 templates as patterns in the same order, an @ for the letter. Within one pattern the earlier letter
# wins.
_TEMPLATES = (
    r"答案(?:应该)?是[ ‘]?@|答案就?是选项@|是@：|答案选@|@是正确|选项@是最合适的",
    r"answer is:? \*\*@|the answer to the (?:question is:|multiple-choice question is) \*\*@",
    r"the answer is '@'|@ is the best answer",
    r"the (?:correct )?answer is @",
    r"would (?:select|choose) (?:option )?@",
    r'is "@[".]',
    r"is: \*\*@\)|is \*\*@[,:)]",
    r"is: \*\*@[.:]|is \*\*@\.",
    r"be \*\*@,|is: (?:\n\n)?\*\*@\*\*|is therefore option \*\*@:|is: \n\n\*\*@\)",
    r"(?:as|be|be option) \*\*@:|(?:be|suggests|with|be to) \*\*@\)|is typically \"@\)|is: \n\n@\)",
    r"is likely to be: \*\*@\.|is \*\*@ \(|is option \*\*@\*\*|is likely \*\*@\*\*|is:\n\n?\*\*@\.",
    *(r"would be @", r"would be option @", r"would be (?:option )?\(@\)"),
    *(r"is @,", r"is typically @[,.]|i'd say @\.", r"option @\.", r"option @:", r"option @,", r"the answer is:\n\*\*@"),
    *(r"is @:", r"is:? @\.", r"is \(@\)", r"is:\n\*\*@\)|is likely \*\*@:|is the \*\*@\)"),
    *(r":\n@\.", r":\n@\)", r":\n@,", r":  ?\n@\.", r":\n\n@[.)]", r"is most likely \*\*@:|:\n\n@,|: \n\n@\."),
    r"\(@\) would be|is:? @\)|is:\n\n@:|is: \*\*@,|\(option @\)|answer is \(@\)|select option \"@\"",
    *(r"is: @", r"is typically \*\*@,|is \*\*@\*\*", r"is (?:likely|option) '@'|is:\n\*\*@:|is \\\( \\boxed\{@ "),
    (
        r"would be '@'|is the \*\*@\*\* |question is @ \(|is:\n\n\*\*@\)|closest to option \*\*@\*\*|is most likely "
        r"\*\*@\)"
    ),
    r"the answer to the question is '@'|question is \*\*@\*\*|known as '@'|is '@\)|is typically \*\*@:",
    r"is \\\( \\boxed\{\\text\{@\}\} \\\)|is \\\( ?\\text\{@(?:\) ?\}|\} \\\)|:|\)|\.)|is:\n\n\*\*@",
    (
        r"is \\\( \\boxed\{@\}|is:\n\\\[ \\boxed\{\\text\{@\}\}|is:\n\n?\\\[ \\text\{@\)|is \\\( "
        r"\\(?:textbf\{@\)|text\{@\})|is: \\\( \\text\{@\."
    ),
    (
        r"corresponds to:\n- \*\*@:|would be: \*\*@\*\*\.|is \\\( @ \\\)|is:\n\*\*@ |corresponds to option \*\*@\*\*|"
        r"be \*\*@\*\*|be: \n\n@\)"
    ),
    (
        r"is:\n\\\[ \\boxed\{@\}|is:  \n\*\*@:|is: \\\( \\text\{@\)|is likely: \*\*@,|is \} \\mathbf\{@\.|is \\\( "
        r"\\(?:boxed\{@\)|textbf\{@\})"
    ),
    (
        r"is \\\(@\\\)|is:\n  \n\*\*@:|is option \*\*@ |is:\n\\\( \\textbf\{@\.|is \\\( \\mathbf\{@\}|was option "
        r"\*\*@\*\*|is likely \"@\)|option \*\*@:"
    ),
    r"is \"@\)|is most likely \*\*@,|is often \*\*@:|is:  \n@\)",
    *(r" @\.", r" @,", r" @:", r" @\)", r"\*\*@\.", r"\*\*@\)", r'"@\.', r'"@,', r'"@:', r"\(@\)", r'"@"'),
)
TEMPLATES = tuple(LazyPattern(template.replace("@", "([a-d])")) for template in _TEMPLATES)  # a group for every @


def voicebench(reply: str, labels: Sequence[str], choices: Sequence[str] = ()) -> Parsed:
    """VoiceBench's templates, then a bare letter or one before any of `.,:)`. Its last three rules cannot fire.

    >>> voicebench("I would choose option B.", "ABCD").answer, voicebench("a dog", "ABCD").answer
    ('B', None)
    """
    del choices
    low = reply.lower()
    begin = 0
    if low.startswith(("<1>", "<2>", "<3>")):
        begin = 3 + len(low[3:]) - len(low[3:].lstrip())
        low = low[3:].strip()
    matches: list[tuple[str, int]] = []
    for template in TEMPLATES:
        matches = [(hit[hit.lastindex or 0], begin + hit.start(hit.lastindex or 0)) for hit in template.finditer(low)]
        if matches:
            break
    bare = re.match(r"([a-d])(?:[.,:)]|\Z)", low)
    if not matches and not bare:
        return UNPARSED
    letter, place = min(matches) if matches else (low[0], begin)
    span = (place, place + 1) if len(reply.lower()) == len(reply) else None  # "İ" grows in lower case
    return _label_at("abcd".index(letter), labels, "template" if matches else "bare-letter", span)


def muchomusic(reply: str, labels: Sequence[str], choices: Sequence[str] = ()) -> Parsed:
    """MuChoMusic's extraction; any capital counts, so that "Acoustic guitar" answers A.

    >>> [muchomusic(reply, "AB", ("Oboe", "Cello")).answer for reply in ("the cello", "Answer", "A or B: oboe", "none")]
    ['B', 'A', 'A', None]
    """
    begin = reply.rfind("The correct answer is:")
    begin = 0 if begin < 0 else begin + len("The correct answer is:")
    output = reply[begin:]
    letters = [letter for letter in "ABCD" if letter in output]
    if len(letters) == 1:
        place = begin + output.index(letters[0])
        return _label_at(LETTERS.index(letters[0]), labels, "one-letter", (place, place + 1))
    for position, choice in enumerate(choices):
        if choice.lower().strip() in output.lower().strip():
            return _label_at(position, labels, "option-text", (begin, len(reply)))
    return UNPARSED


def dynamic_superb(reply: str, labels: Sequence[str], choices: Sequence[str] = ()) -> Parsed:
    """Dynamic-SUPERB's accuracy of phase 1: equal but for case, with nothing stripped.

    >>> [dynamic_superb(reply, "AB", ("clean", "noisy")).answer for reply in ("NOISY", "noisy.")]
    ['B', None]
    """
    for position, text in enumerate(choices or labels):
        if text.lower() == reply.lower():
            return _label_at(position, labels, "exact", (0, len(reply)))
    return UNPARSED


FINAL = "<final_answer>"
BRACKETED = LazyPattern(r"\(([a-d])\)")


def final_answer_letter(reply: str, labels: Sequence[str], choices: Sequence[str] = ()) -> Parsed:
    """Personalized-Hearing's script: after the last token, one letter in brackets, and only one.

    >>> [final_answer_letter(reply, "abcd").answer for reply in ("(a) <final_answer> (c) (c)", "<final_answer> b")]
    ['c', None]
    """
    del choices
    position = reply.rfind(FINAL)
    matches = list(BRACKETED.finditer(reply.lower(), position + len(FINAL))) if position >= 0 else []
    if len({match[1] for match in matches}) != 1 or matches[0][1] not in labels:
        return UNPARSED
    return Parsed(matches[0][1], "final-answer", matches[0].span(1), "answered")


PARSERS: Mapping[str, Parser] = {
    "earmark": parse_choice,
    "listen-g1": listen_g1,
    "listen-g2": listen_g2,
    "mmau": mmau,
    "air-bench": air_bench,
    "mmsu": air_bench,
    "voicebench": voicebench,
    "muchomusic": muchomusic,
    "dynamic-superb": dynamic_superb,
    "personalized-hearing": final_answer_letter,
}
