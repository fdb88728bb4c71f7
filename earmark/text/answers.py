"""Which choice a reply names.

The reply is first screened: thinking parts and whatever follows the end of the turn are left out, markup becomes blanks;
a span still points into the reply as it came. Then the first rule that fires gives the answer:

    verbatim        the whole reply is the text of one option
    declared        "the answer is B", "I choose (B)", "B is correct", \\boxed{B}, 答案是B; the last one wins
    first           the reply opens with a choice that stands as one: "B", "(b) tom-tom", "Tom-tom, because"
    concluded       "so it must be B", "that leaves B"; the last one wins
    last            the last line is a choice and nothing else
    label           one label, and only one, stands in brackets, after "option" or before its own option's text
    option-text     the text of one option, and only one, is said, and no other label is marked in that way
    first-sentence  the first sentence says of one option, and only one, that it is the case, or has one as its subject
    option-words    one sentence has all the telling words of one option, and none has all those of another

A letter is a label only where it stands as one: an English "A", "I" or "a" before a word does not. The text of an option
is found as whole words, whatever their case, punctuation and articles; inside the text of a longer option it does not
count. What is denied ("not B", "B is wrong", "rather than B") or left open ("whether it is B") is no answer. Options
listed as in the question are the question repeated. Two answers where one is asked are none. Of a reply that was cut only
what stands firm is read: an answer declared and not taken back, an opening, the one choice of an unfinished first sentence.
Nothing is ever guessed.

Without an answer the state is `refused` where the model says that it cannot or will not tell, else `unparsed`, and the
rule says why: "empty", "cut", "cut-in-thought", "several-answers", "refusal", or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from earmark.text import _cues as cues
from earmark.text._mentions import (
    THOUGHT,
    Mention,
    Page,
    Sheet,
    Stance,
    folded,
    key_of,
    page_of,
    plain,
    screened,
    sentence_before,
    without_thought,
)
from earmark.text._telling import telling_words
from earmark.text.official_readers import OFFICIAL, Reader, Reading

__all__ = ["READERS", "VERSION", "Reader", "Reading", "read_choice"]

VERSION = "earmark.1"  # raised whenever any reply could be read otherwise

Rule: TypeAlias = Callable[[Page], Sequence[Mention]]


def read_choice(
    reply: str,
    labels: Sequence[str],
    choices: Sequence[str] = (),
    *,
    cut: bool = False,
    thinking: bool = False,
    several: bool = False,
) -> Reading:
    """Read which label a reply chose.

    `cut`: the reply stopped for length. `thinking`: the chat template opened a thinking part that the reply goes on with.

    >>> read_choice("Not a violin: it is a **viola**.", "AB", ("violin", "viola"))
    Reading(answer='B', rule='option-text', span=(24, 29), state='answered')
    >>> read_choice("The answer is A and C.", "ABC", several=True).answer
    'A,C'
    >>> read_choice("<think>It may be A", "AB", cut=True)
    Reading(answer=None, rule='cut-in-thought', span=None, state='unparsed')
    >>> read_choice("I cannot tell.", "AB").state
    'refused'
    """
    bare = reply.strip()
    if bare and bare in labels and not any(bare.casefold() == choice.strip().casefold() for choice in choices):
        return Reading(
            bare, "first", (reply.index(bare), reply.index(bare) + len(bare)), "answered"
        )  # the commonest reply
    key = key_of(tuple(labels), tuple(choices), several)
    text = plain(reply)
    rest = without_thought(text, opened=thinking and (cut or bool(THOUGHT.search(text))))
    if rest is None or not rest.strip():
        return _unread("cut-in-thought" if rest is None else "empty")
    if (whole := key.verbatim.get(folded(rest))) is not None:
        return Reading(whole, "verbatim", (len(rest) - len(rest.lstrip()), len(rest.rstrip())), "answered")
    sheet = screened(rest)
    return _by_rules(page_of(sheet.text, key, several=several), sheet, cut=cut)


def _by_rules(page: Page, sheet: Sheet, *, cut: bool) -> Reading:
    for name, rule in _rules(page, cut=cut).items():
        found = rule(page)
        chosen = [label for label in page.key.labels if any(label == one.label for one in found)]
        if chosen:
            span = sheet.place(found[0].start, found[0 if len(chosen) == 1 else -1].end)
            clear = page.several or len(chosen) == 1
            return Reading(",".join(chosen), name, span, "answered") if clear else _unread("several-answers", span)
    if not cut and cues.REFUSAL.search(page.low):
        return Reading(None, "refusal", None, "refused")
    return _unread("cut" if cut else "")


def _unread(why: str, span: tuple[int, int] | None = None) -> Reading:
    return Reading(None, why, span, "unparsed")


def _rules(page: Page, *, cut: bool) -> Mapping[str, Rule]:
    """The rules to read by: for a reply that was cut only the firm ones, and none if it takes its answer back."""
    if not cut:
        return RULES
    firm = declared(page) or first(page)
    if firm:
        return {} if cues.WAVERS.search(page.low, firm[-1].end) else {"declared": declared, "first": first}
    whole = not cues.SENTENCE_END.search(page.low.strip())
    return {"label": only_label, "option-text": option_text} if whole else {}


# ---------------------------------------------------------------- the rules, in their order


def declared(page: Page) -> Sequence[Mention]:
    chains = [[one for one in chain if not cues.KEY_NAME.match(page.low, one.end)] for chain in page.chains]
    found = _last(chains, "declared")
    if page.several and _declared_after(page, found):  # "A is right. B is wrong. C is right."
        return [one for chain in chains if _declared_after(page, chain) for one in chain]
    return found


def first(page: Page) -> Sequence[Mention]:
    if not page.chains or _enumerated(page):
        return ()
    chain = page.chains[0]
    if (
        _words(cues.NAMED.sub("", page.low[: chain[0].start]))
        or chain[0].stance == "denied"
        or not _stands(page, chain[0])
    ):
        return ()
    if chain[0].form == "text" and not cues.STOP.match(page.low, chain[-1].end):
        return ()
    return chain


def concluded(page: Page) -> Sequence[Mention]:
    return _last([[one for one in chain if _stands(page, one)] for chain in page.chains], "concluded")


def last(page: Page) -> Sequence[Mention]:
    if not page.chains:
        return ()
    chain = page.chains[-1]
    line = page.low[page.low.rfind("\n", 0, chain[0].start) + 1 : chain[0].start]
    return () if _words(line + page.low[chain[-1].end :]) or chain[0].stance == "denied" else chain


def only_label(page: Page) -> Sequence[Mention]:
    return _only([one for one in page.mentions if one.form == "marked" and one.stance != "denied"], page)


def option_text(page: Page) -> Sequence[Mention]:
    found = _said(page)
    marked = [one for one in page.mentions if one.form == "marked" and one.stance != "denied"]
    return found if _only([*found, *marked], page) else ()


def first_sentence(page: Page) -> Sequence[Mention]:
    begin = len(page.low) - len(page.low.lstrip())
    stop = cues.SENTENCE_END.search(page.low, begin)
    found = [one for one in _said(page) if one.start < (stop.start() if stop else len(page.low))]
    if len({one.label for one in found}) == 1:
        return [one for one in found if cues.CLAIMED.search(sentence_before(page.low, one.start)[0])]
    if len(found) > 1 and not _words(page.low[: found[0].start]) and cues.VERB.match(page.low, found[0].end):
        return () if cues.CLAUSE_END.search(page.low, found[0].end, found[-1].start) else found[:1]
    return ()


def option_words(page: Page) -> Sequence[Mention]:
    if cues.REFUSAL.search(page.low):
        return ()
    found = []
    at = 0
    for sentence in re.split(r"(?<=[.!?\n])(?![.!?\n])", page.own):
        said = telling_words(sentence)
        found += [
            Mention(label, at, at + len(sentence.rstrip()), "text")
            for label, words in page.key.telling.items()
            if words - cues.COMMON - {"not"} and words <= said and ("not" in words) == ("not" in said)
        ]
        at += len(sentence)
    return _only(found, page)


RULES: Mapping[str, Rule] = {
    "declared": declared,
    "first": first,
    "concluded": concluded,
    "last": last,
    "label": only_label,
    "option-text": option_text,
    "first-sentence": first_sentence,
    "option-words": option_words,
}
READERS: Mapping[str, Reader] = {"earmark": read_choice, **OFFICIAL}


# ---------------------------------------------------------------- what the rules ask


def _last(chains: Sequence[Sequence[Mention]], stance: Stance) -> Sequence[Mention]:
    found: Sequence[Mention] = ()
    for chain in chains:
        found = [one for one in chain if one.stance == stance] or found
    return found


def _declared_after(page: Page, chain: Sequence[Mention]) -> bool:
    """Whether what follows a choice declares it, as "B is correct" does."""
    return any(one.stance == "declared" and cues.DECLARED_AFTER.match(page.low, one.end) for one in chain)


def _only(found: Sequence[Mention], page: Page) -> Sequence[Mention]:
    """All of them, if they name one choice or if several were asked for."""
    return found if page.several or len({one.label for one in found}) == 1 else ()


def _words(text: str) -> str:
    """What is left of a text without articles, spaces and signs."""
    return re.sub(r"\b(?:an?|the)\b|[\W_]", "", text)


def _stands(page: Page, one: Mention) -> bool:
    """Whether a bare letter is followed by a pause or a reason rather than by a word."""
    return one.form != "bare" or bool(cues.PAUSE.match(page.text[one.end : one.end + 12]))


def _enumerated(page: Page) -> bool:
    """Whether a reply goes through the options one by one: "A: ... B: ..."."""
    opened = [
        one.label for one in page.mentions if page.text[one.end : one.end + 2].lstrip()[:1] in {".", ")", ":", "]"}
    ]
    return len(opened) > 1 and opened[:2] == list(page.key.labels[:2])


def _said(page: Page) -> list[Mention]:
    """The texts of options that are not denied, nor words such as "no" said in passing."""
    return [
        one
        for one in page.mentions
        if one.form == "text"
        and one.stance != "denied"
        and (one.stance != "said" or page.low[one.start : one.end] not in cues.COMMON or _opens(page, one))
    ]


def _opens(page: Page, one: Mention) -> bool:
    """Whether a mention opens its sentence and is followed by a pause."""
    return not _words(sentence_before(page.low, one.start)[0]) and bool(
        cues.STOP.match(page.low.replace(",", "."), one.end)
    )
