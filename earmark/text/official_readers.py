"""The published ways of reading a choice, kept to the letter beside our own, and the shape that all readers share.

    listen-g1       the first of the characters A to H, in capitals
    listen-g2       the first character, upper-cased, that is one of the letters shown
    mmau            the one option whose words are all said while no word that only others have is
    air-bench       the first character if it is A, B, C or D, else the last but one ("The answer is A.")
    mmsu            the same
    voicebench      the first of its templates, in their order, that fits with a, b, c or d
    muchomusic      the one capital letter of A to D that occurs at all, else the first option whose text occurs
    dynamic-superb  the option that equals the reply but for case

They speak of letters by position: an item whose labels are others is read by the position of its label. A letter that no
option is shown under ends the reading, as it does officially, but is no answer ("not-shown"). What lies outside one reply
is left out: VoiceBench's random letter for a reply that it cannot read, MMSU's bug of giving an empty reply the answer of
the one before, LISTEN's cutting of an echoed chat. MMAU and MMAR never read a choice but test a reply against the right
answer; our reader gives the choice that the test would accept, and none where it would accept several.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from msgspec import Struct

from earmark.text._lazy import LazyPattern

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Reading(Struct, frozen=True):
    """What was read from one reply."""

    answer: str | None  # a label as the item spells it; several are joined by "," in the item's order
    rule: str  # which rule read it, or why nothing was read
    span: tuple[int, int] | None  # where in the reply
    state: Literal["answered", "unparsed", "refused"]


class Reader(Protocol):
    """One way of reading a choice."""

    def __call__(self, reply: str, labels: Sequence[str], choices: Sequence[str] = ()) -> Reading: ...


UNREAD = Reading(None, "", None, "unparsed")


def _read(at: int, labels: Sequence[str], rule: str, span: tuple[int, int] | None) -> Reading:
    """The label at a position, if one is shown there."""
    if at < len(labels):
        return Reading(labels[at], rule, span, "answered")
    return Reading(None, "not-shown", span, "unparsed")


def listen_g1(reply: str, labels: Sequence[str], choices: Sequence[str] = ()) -> Reading:
    """LISTEN's runners before commit e52f291.

    >>> listen_g1("The answer is B", "ABCDE").answer, listen_g1("Answer: B", "ABCDE").answer, listen_g1("b", "ABCDE").answer
    ('B', 'A', None)
    """
    del choices
    for at, sign in enumerate(reply):
        if sign in "ABCDEFGH":
            return _read(LETTERS.index(sign), labels, "first-letter", (at, at + 1))
    return UNREAD


def listen_g2(reply: str, labels: Sequence[str], choices: Sequence[str] = ()) -> Reading:
    """LISTEN's runners since commit e52f291.

    >>> listen_g2("The answer is B", "ABCDE").answer, listen_g2("b", "ABCDE").answer, listen_g2("j", "ABCDE").answer
    ('E', 'B', None)
    """
    del choices
    shown = LETTERS[: len(labels)]
    for at, sign in enumerate(reply):
        for letter in sign.upper():  # "ß" is two
            if letter in shown:
                return _read(shown.index(letter), labels, "first-letter", (at, at + 1))
    return UNREAD


def _words(text: str) -> set[str]:
    return set(re.findall(r"\b\w+\b", text.lower()))


def mmau(reply: str, labels: Sequence[str], choices: Sequence[str] = ()) -> Reading:
    """MMAU's and MMAR's string match, tried on every option in turn.

    >>> mmau("a big dog", "AB", ("dog", "cat")).answer, mmau("B", "AB", ("dog", "cat")).answer
    ('A', None)
    """
    said = _words(reply)
    options = [_words(choice) for choice in choices]
    accepted = []
    for at, words in enumerate(options):
        foreign = set().union(*(other - words for other in options if other != words))
        if said and words <= said and not said & foreign:
            accepted.append(at)
    return _read(accepted[0], labels, "string-match", (0, len(reply))) if len(accepted) == 1 else UNREAD


def air_bench(reply: str, labels: Sequence[str], choices: Sequence[str] = ()) -> Reading:
    """AIR-Bench's foundation score; an unread reply leaves its denominator.

    >>> [air_bench(reply, "ABCD").answer for reply in ("B. dog", "The answer is C.", "Because", "(D) cat", "None")]
    ['B', 'C', 'B', None, None]
    """
    del choices
    places = [at for at in range(len(reply)) if reply[at] != "\n"]
    while places and reply[places[0]].isspace():
        places.pop(0)
    while places and reply[places[-1]].isspace():
        places.pop()
    if "".join(reply[at] for at in places) == "None":
        return UNREAD
    for name, at in (("first-character", 0), ("last-but-one", -2)):
        if len(places) >= abs(at) and places and reply[places[at]] in "ABCD":
            return _read(LETTERS.index(reply[places[at]]), labels, name, (places[at], places[at] + 1))
    return UNREAD


# VoiceBench's 163 templates as patterns in the same order, an @ for the letter. Within one pattern the earlier letter wins.
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
    r"would be '@'|is the \*\*@\*\* |question is @ \(|is:\n\n\*\*@\)|closest to option \*\*@\*\*|is most likely \*\*@\)",
    r"the answer to the question is '@'|question is \*\*@\*\*|known as '@'|is '@\)|is typically \*\*@:",
    r"is \\\( \\boxed\{\\text\{@\}\} \\\)|is \\\( ?\\text\{@(?:\) ?\}|\} \\\)|:|\)|\.)|is:\n\n\*\*@",
    r"is \\\( \\boxed\{@\}|is:\n\\\[ \\boxed\{\\text\{@\}\}|is:\n\n?\\\[ \\text\{@\)|is \\\( \\(?:textbf\{@\)|text\{@\})|is: \\\( \\text\{@\.",
    r"corresponds to:\n- \*\*@:|would be: \*\*@\*\*\.|is \\\( @ \\\)|is:\n\*\*@ |corresponds to option \*\*@\*\*|be \*\*@\*\*|be: \n\n@\)",
    r"is:\n\\\[ \\boxed\{@\}|is:  \n\*\*@:|is: \\\( \\text\{@\)|is likely: \*\*@,|is \} \\mathbf\{@\.|is \\\( \\(?:boxed\{@\)|textbf\{@\})",
    r"is \\\(@\\\)|is:\n  \n\*\*@:|is option \*\*@ |is:\n\\\( \\textbf\{@\.|is \\\( \\mathbf\{@\}|was option \*\*@\*\*|is likely \"@\)|option \*\*@:",
    r"is \"@\)|is most likely \*\*@,|is often \*\*@:|is:  \n@\)",
    *(r" @\.", r" @,", r" @:", r" @\)", r"\*\*@\.", r"\*\*@\)", r'"@\.', r'"@,', r'"@:', r"\(@\)", r'"@"'),
)
TEMPLATES = tuple(LazyPattern(template.replace("@", "([a-d])")) for template in _TEMPLATES)  # a group for every @


def voicebench(reply: str, labels: Sequence[str], choices: Sequence[str] = ()) -> Reading:
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
    found: list[tuple[str, int]] = []
    for template in TEMPLATES:
        found = [(hit[hit.lastindex or 0], begin + hit.start(hit.lastindex or 0)) for hit in template.finditer(low)]
        if found:
            break
    bare = re.match(r"([a-d])(?:[.,:)]|\Z)", low)
    if not found and not bare:
        return UNREAD
    letter, place = min(found) if found else (low[0], begin)
    span = (place, place + 1) if len(reply.lower()) == len(reply) else None  # "İ" grows in lower case
    return _read("abcd".index(letter), labels, "template" if found else "bare-letter", span)


def muchomusic(reply: str, labels: Sequence[str], choices: Sequence[str] = ()) -> Reading:
    """MuChoMusic's extraction; any capital counts, so that "Acoustic guitar" answers A.

    >>> [muchomusic(reply, "AB", ("Oboe", "Cello")).answer for reply in ("the cello", "Answer", "A or B: oboe", "none")]
    ['B', 'A', 'A', None]
    """
    begin = reply.rfind("The correct answer is:")
    begin = 0 if begin < 0 else begin + len("The correct answer is:")
    output = reply[begin:]
    found = [letter for letter in "ABCD" if letter in output]
    if len(found) == 1:
        place = begin + output.index(found[0])
        return _read(LETTERS.index(found[0]), labels, "one-letter", (place, place + 1))
    for at, choice in enumerate(choices):
        if choice.lower().strip() in output.lower().strip():
            return _read(at, labels, "option-text", (begin, len(reply)))
    return UNREAD


def dynamic_superb(reply: str, labels: Sequence[str], choices: Sequence[str] = ()) -> Reading:
    """Dynamic-SUPERB's accuracy of phase 1: equal but for case, with nothing stripped.

    >>> dynamic_superb("NOISY", "AB", ("clean", "noisy")).answer, dynamic_superb("noisy.", "AB", ("clean", "noisy")).answer
    ('B', None)
    """
    for at, text in enumerate(choices or labels):
        if text.lower() == reply.lower():
            return _read(at, labels, "exact", (0, len(reply)))
    return UNREAD


FINAL = "<final_answer>"
BRACKETED = LazyPattern(r"\(([a-d])\)")


def personalized_hearing(reply: str, labels: Sequence[str], choices: Sequence[str] = ()) -> Reading:  # noqa: ARG001 - a Reader
    """Personalized-Hearing's script: after the last token, one letter in brackets, and only one.

    >>> personalized_hearing("(a) <final_answer> (c) (c)", "abcd").answer, personalized_hearing("<final_answer> b", "abcd").answer
    ('c', None)
    """
    at = reply.rfind(FINAL)
    found = list(BRACKETED.finditer(reply.lower(), at + len(FINAL))) if at >= 0 else []
    if len({one[1] for one in found}) != 1 or found[0][1] not in labels:
        return Reading(None, "", None, "unparsed")
    return Reading(found[0][1], "final-answer", found[0].span(1), "answered")


OFFICIAL: Mapping[str, Reader] = {
    "listen-g1": listen_g1,
    "listen-g2": listen_g2,
    "mmau": mmau,
    "air-bench": air_bench,
    "mmsu": air_bench,
    "voicebench": voicebench,
    "muchomusic": muchomusic,
    "dynamic-superb": dynamic_superb,
    "personalized-hearing": personalized_hearing,
}
