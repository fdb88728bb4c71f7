"""Parses the choice that a reply names.

The reply is first cleaned: thinking parts, a repeated question and text after the end of the turn are removed, markup
becomes blanks; a span still points into the original reply. Then the first rule that fires gives the answer:

    verbatim        the whole reply is the text of one option
    declared        "the answer is B", "I choose (B)", "B is correct", \\boxed{B}, [x] B, 答案是B; the last one wins
    compared        of two sounds, which has more of what the question asks: "A is lower, so B is higher"
    ranked          "B > A > C", "A: 10 %, B: 75 %"
    first           the reply opens with a choice used as one: "B", "(b) tom-tom", "Tom-tom, because"
    concluded       "so it must be B", "that leaves B", "not A but B"; the last one wins
    last            the last line is a choice and nothing else
    eliminated      all options but one are denied by their labels, or ruled out: "not A, not C, not D"
    last-clause     the last clause is: "hard to say, but B"
    label           one label, and only one, is in brackets, after "option" or before its own option's text
    option-text     the text of one option, and only one, is said, and no other label is marked in that way
    first-sentence  the first sentence says of one option, and only one, that it is the case, or has one as its subject
    yes-no          yes or no in other words: "not really"
    option-words    one sentence has all the distinctive keywords of one option, and none has all those of another

A letter is a label only where it is used as one: an English "A", "I" or "a" before a word is not. The text of an
option is matched as whole words, without regard to case, punctuation and articles; inside the text of a longer option
it does not count. A choice that is denied ("not B", "B is wrong", "rather than B"), asked ("is it B?") or left open
("whether it is B", "if it is low, B") is no answer. Options listed as in the question, or discussed one by one, are
ignored. Two answers where one is asked count as none. The last seven rules do not apply to a reply that declines, asks
for the material or says that no option fits.

Of a truncated reply only firm answers are read: one declared and not retracted, an opening, the one choice of an
unfinished first sentence. Reasoning that breaks off is read likewise, whatever its stop reason. Nothing is guessed.

Without an answer the state is `refused` if the model says that it cannot or will not answer, else `unparsed`, and the
rule is the reason: "empty", "cut", "cut-in-thought", "several-answers", "none-of-these", "refusal", or nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from earmark.text import _cues as cues
from earmark.text._lazy import LazyPattern
from earmark.text._screen import THOUGHT, plain, without_thought
from earmark.text.choices import Parsed, same_choice
from earmark.types import Signature

__all__ = ["MEASURED", "VERSION", "Parsed", "Parser", "parse_choice", "reading_note", "same_choice"]

VERSION = "earmark.2"  # raised whenever any reply could be read otherwise


class Parser(Protocol):
    """A function that parses the choice of a reply."""

    def __call__(self, reply: str, labels: Sequence[str], choices: Sequence[str] = ()) -> Parsed: ...


class Errors(NamedTuple):
    """Errors of the reader on real replies that were read by hand."""

    replies: int
    wrong: int  # another label was read
    invented: int  # a label was read where a careful person finds none
    unread: int  # no label was read where there is one


MEASURED = Errors(replies=158, wrong=0, invented=1, unread=7)  # by tools/reader_agreement.py; see docs/answers.md
SHORT = 200  # characters: replies that are read without the rules
FORM = LazyPattern(
    r"(?P<lead>(?:[Tt]he (?:correct )?answer is:? |Answer: ))?"
    rf"(?P<open>\(?)(?P<label>[A-Za-z])(?P<sign>[).:]?)(?: (?P<option>.{{2,{SHORT}}}?))?\.?"
)
LEAD_WORDS = ("answer", "is", "correct", "a", "an", "the")  # which an option may end with


def reading_note(rows: Iterable[tuple[Signature | str, int]]) -> list[str]:
    """A line on the error of the reader, for accuracies that it may have moved.

    `rows`: signature of the scorer and number of unparsed replies of each row of a table.

    >>> reading_note([(Signature("choice", (("reader", "mmau"),)), 3)])
    []
    """
    ours = ("reader", VERSION)
    if not any(unparsed and isinstance(by, Signature) and ours in by.settings for by, unparsed in rows):
        return []
    note = (
        f"choices are read by rules: of {MEASURED.replies} real replies read by hand, {MEASURED.wrong} were read "
        f"wrongly, "
        f"{MEASURED.invented} without an answer was read as one, and {MEASURED.unread} were not read"
    )
    return [note]


def parse_choice(  # noqa: PLR0913 - one word for each thing that may be known of a reply
    reply: str,
    labels: Sequence[str],
    choices: Sequence[str] = (),
    *,
    question: str = "",
    cut: bool = False,
    thinking: bool = False,
    multi_select: bool = False,
) -> Parsed:
    """Read which label a reply chose.

    `question`: left out where the reply repeats it, and tells which of two sounds is asked for. `cut`: the reply
    stopped for length. `thinking`: the chat template opened a thinking part that the reply goes on with. Of two
    options with one text the first is read: `same_choice` tells which labels are as good.

    >>> parse_choice("Not a violin: it is a **viola**.", "AB", ("violin", "viola"))
    Parsed(answer='B', rule='option-text', span=(24, 29), state='answered')
    >>> parse_choice("The answer is A and C.", "ABC", multi_select=True).answer
    'A,C'
    >>> parse_choice("<think>It may be A", "AB", cut=True)
    Parsed(answer=None, rule='cut-in-thought', span=None, state='unparsed')
    >>> parse_choice("I cannot tell.", "AB").state
    'refused'
    """
    if not (thinking and cut) and (parsed := _parse_short(reply, labels, choices, multi_select=multi_select)):
        return parsed
    text = plain(reply)
    rest = without_thought(text, opened=thinking and (cut or bool(THOUGHT.search(text))))
    if rest is None or not rest.strip():
        return Parsed(None, "cut-in-thought" if rest is None else "empty", None, "unparsed")
    from earmark.text._choice_rules import parse_by_rules  # noqa: PLC0415 - a run of bare letters needs no rules

    return parse_by_rules(rest, labels, choices, question, cut=cut, multi_select=multi_select)


def _parse_short(reply: str, labels: Sequence[str], choices: Sequence[str], *, multi_select: bool) -> Parsed | None:
    """Parse a bare letter or number, the most frequent reply, and a label that says no more than its option does."""
    bare = reply.strip()
    if bare not in labels or not (len(bare) == 1 or bare.isdigit()):
        return None if multi_select else _parse_label_and_text(reply, labels, choices)
    if bare.casefold() in [choice.strip().casefold() for choice in choices]:
        return None
    start = reply.index(bare)
    return Parsed(bare, "first", (start, start + len(bare)), "answered")


def _parse_label_and_text(reply: str, labels: Sequence[str], choices: Sequence[str]) -> Parsed | None:
    """Parse "(A) Man", "A." and "The answer is (A) Man.", the most frequent replies of chat models, as the rules would,
    at lower cost.
    """
    text = reply.strip()
    form = FORM.fullmatch(text)
    if not form or form["label"] not in labels:
        return None
    label, lead, option = form.group("label", "lead", "option")
    if not (form["sign"] == ")" if form["open"] else form["sign"] or (lead and not option)):
        return None
    texts = [choice.strip().removesuffix(".").lower() for choice in choices]
    if label.lower() in texts or (lead and any(text.split(" ")[-1] in LEAD_WORDS for text in texts)):
        return None
    place, words = labels.index(label), (option or "").lower()
    if words and (texts[place : place + 1] != [words] or texts.count(words) > 1 or not _is_plain(words)):
        return None
    offset = reply.index(text)
    stop = form.end("option" if option else "label")
    return Parsed(label, "declared" if lead else "first", (offset + form.start("label"), offset + stop), "answered")


def _is_plain(option: str) -> bool:
    """True if an option, in lower case, is words that the rules take neither for labels nor for cues of labels."""
    words = option.replace("-", " ").split(" ")
    if words[0] == "answer" or words[-1] in ("an", "the"):
        return False
    if not all(word.isascii() and word.replace("'", "").isalnum() for word in words):
        return False
    single = [n for n, word in enumerate(words) if len(word) == 1 and not word.isdigit()]  # articles, if anything
    return all(
        words[n] == "a" and n + 1 < len(words) and not cues.PAUSE.match(f" {words[n + 1]}")
        and not (n and cues.NAMED.search(words[n - 1]))
        for n in single
    )  # fmt: skip
