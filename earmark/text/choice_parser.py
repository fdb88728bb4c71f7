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

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from msgspec import Struct, structs

from earmark.text import _cues as cues
from earmark.text._comparatives import compare_sounds, has_comparison
from earmark.text._keys import ChoiceIndex, Mention, build_choice_index, distinctive_keywords, same_choice
from earmark.text._keywords import keywords
from earmark.text._mentions import MentionList, find_mentions
from earmark.text._rules import (
    FIRM,
    WEAK,
    Rule,
    enumerates_options,
    opens_with_label,
    rule_concluded,
    rule_declared,
    rule_first,
    rule_label,
    rule_last,
    rule_option_text,
)
from earmark.text._screen import THOUGHT, CleanReply, clean_reply, fold, plain, without_thought
from earmark.types import Signature

__all__ = ["MEASURED", "VERSION", "Parsed", "Parser", "parse_choice", "reading_note", "same_choice"]

VERSION = "earmark.2"  # raised whenever any reply could be read otherwise


class Parsed(Struct, frozen=True):
    """Parsed choice of one reply."""

    answer: str | None  # a label as the item spells it; several are joined by "," in the item's order
    rule: str  # the rule that parsed it, or the reason why nothing was parsed
    span: tuple[int, int] | None  # in the reply
    state: Literal["answered", "unparsed", "refused"]


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
QUOTES = " \t\r\n\"'“”‘’«»`*"
LATE = 300  # characters before the end
SHORT = 200  # characters: replies that are read without the rules


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
    if parsed := _parse_short(reply, labels, choices, multi_select=multi_select):
        return parsed
    index = build_choice_index(tuple(labels), tuple(choices), multi_select)
    text = plain(reply)
    rest = without_thought(text, opened=thinking and (cut or bool(THOUGHT.search(text))))
    if rest is None or not rest.strip():
        return _no_answer("cut-in-thought" if rest is None else "empty")
    if parsed := _parse_verbatim(rest, index):
        return parsed
    clean = clean_reply(rest, question)
    listing = find_mentions(clean.text, index, multi_select=multi_select)
    return _apply_rules(listing if multi_select else _after_none_fits(listing), clean, question, cut=cut)


def _parse_short(reply: str, labels: Sequence[str], choices: Sequence[str], *, multi_select: bool) -> Parsed | None:
    """Parse a bare letter or number, the most frequent reply, and a label with its own option's text."""
    bare = reply.strip()
    if bare not in labels or not (len(bare) == 1 or bare.isdigit()):
        return None if multi_select else _parse_label_and_text(reply, labels, choices)
    if bare.casefold() in [choice.strip().casefold() for choice in choices]:
        return None
    start = reply.index(bare)
    return Parsed(bare, "first", (start, start + len(bare)), "answered")


def _parse_verbatim(reply: str, index: ChoiceIndex) -> Parsed | None:
    """Parse a reply that is the text of one option, in quotation marks or without."""
    bare = reply.strip(QUOTES)
    whole = index.verbatim.get(fold(reply)) or index.verbatim.get(fold(bare))
    start = reply.index(bare)
    return Parsed(whole, "verbatim", (start, start + len(bare)), "answered") if whole else None


def _parse_label_and_text(reply: str, labels: Sequence[str], choices: Sequence[str]) -> Parsed | None:
    """Parse "(A) Man" and "A. Man", the most frequent replies of chat models, as the rules would, at lower cost."""
    text = reply.strip()
    end = text.find(")" if text[:1] == "(" else text[1:2])
    label = text[1:end] if text[:1] == "(" else text[:end]
    if end < 1 or len(label) != 1 or label not in labels or text[end] not in ").:" or text[end + 1 : end + 2] != " ":
        return None
    position = labels.index(label)
    option = text[end + 2 :].removesuffix(".")
    if position >= len(choices) or option.lower() != choices[position].lower() or not 1 < len(option) < SHORT:
        return None
    words = option.replace("-", " ").split(" ")
    if words[0] in ("a", "A") and len(words) > 1 and not cues.PAUSE.match(f" {words[1]}"):
        words = words[1:]  # an article
    if not all(word.isascii() and word.isalpha() and len(word) > 1 for word in words) or words[0].lower() == "answer":
        return None
    start = reply.index(text) + (text[0] == "(")
    return Parsed(label, "first", (start, reply.index(text) + end + 2 + len(option)), "answered")


def _apply_rules(listing: MentionList, clean: CleanReply, question: str, *, cut: bool) -> Parsed:
    for name, rule in _rules(listing, question, cut=cut).items():
        mentions = rule(listing)
        chosen = [label for label in listing.index.labels if any(label == mention.label for mention in mentions)]
        if chosen:
            span = clean.span_in_reply(mentions[0].start, mentions[0 if len(chosen) == 1 else -1].end)
            clear = listing.multi_select or len(chosen) == 1
            return Parsed(",".join(chosen), name, span, "answered") if clear else _no_answer("several-answers", span)
    if not cut and (listing.refusals or cues.REFUSAL.search(listing.lower) or cues.NOT_SAID.search(listing.lower)):
        return Parsed(None, "refusal", None, "refused")
    if not cut and listing.none_fits:
        return _no_answer("none-of-these")
    return _no_answer("cut" if cut or listing.broken else "")


def _no_answer(why: str, span: tuple[int, int] | None = None) -> Parsed:
    return Parsed(None, why, span, "unparsed")


def _rules(listing: MentionList, question: str, *, cut: bool) -> Mapping[str, Rule]:
    """Choose the rules: for a truncated reply only the firm ones, and none if it retracts its answer."""
    if cut or listing.broken:
        firm = rule_declared(listing) or rule_first(listing)
        if firm:
            return (
                {}
                if cues.HEDGES.search(listing.lower, firm[-1].end)
                else {"declared": rule_declared, "first": rule_first}
            )
        if not cut:
            return {"concluded": _rule_late_conclusion, "last": rule_last}
        whole = not cues.SENTENCE_END.search(listing.lower.strip())
        return {"label": rule_label, "option-text": rule_option_text} if whole else {}

    def by_comparison(listing: MentionList) -> Sequence[Mention]:
        mention = (
            None
            if listing.multi_select or (opens_with_label(listing) and not enumerates_options(listing))
            else compare_sounds(listing.text, listing.index, question)
        )
        return (mention,) if mention else ()

    rules = {"declared": rule_declared, "compared": by_comparison, **FIRM}
    return rules if listing.none_fits or has_comparison(listing.text, listing.index) else {**rules, **WEAK}


def _rule_late_conclusion(listing: MentionList) -> Sequence[Mention]:
    """Find a conclusion near the end of a reply that breaks off."""
    mentions = rule_concluded(listing)
    return mentions if mentions and mentions[0].start > len(listing.lower) - LATE else ()


def _after_none_fits(listing: MentionList) -> MentionList:
    """Keep the mentions after the last place where a reply says that no option fits, or answers something else."""
    matches = [] if listing.index.none else list(cues.NONE_OF_THESE.finditer(listing.lower))
    ends = [place.end() for place in matches] + [
        place.end()
        for place in cues.OTHER_ANSWER.finditer(listing.lower)
        if not any(place.start() <= mention.start <= place.end() for mention in listing.mentions)
        and not any(keywords(place[1]) <= words for words in distinctive_keywords(listing.index).values())
    ]
    if not ends:
        return listing
    end = max(ends)
    chains = tuple(chain for chain in listing.chains if chain[0].start >= end)
    return structs.replace(
        listing,
        chains=chains,
        all_mentions=[mention for mention in listing.all_mentions if mention.start >= end],
        none_fits=True,
    )
