"""The choice that a reply names.

The reply is first screened: thinking parts, the question where it is repeated and whatever follows the end of the turn are
left out, markup becomes blanks; a span still points into the reply as it came. Then the first rule that fires gives the answer:

    verbatim        the whole reply is the text of one option
    declared        "the answer is B", "I choose (B)", "B is correct", \\boxed{B}, [x] B, 答案是B; the last one wins
    compared        of two sounds, which has more of what the question asks: "A is lower, so B is higher"
    first           the reply opens with a choice that stands as one: "B", "(b) tom-tom", "Tom-tom, because"
    concluded       "so it must be B", "that leaves B", "not A but B"; the last one wins
    ranked          "B > A > C", "A: 10 %, B: 75 %"
    last            the last line or clause is a choice and nothing else
    label           one label, and only one, stands in brackets, after "option" or before its own option's text
    option-text     the text of one option, and only one, is said, and no other label is marked in that way
    first-sentence  the first sentence says of one option, and only one, that it is the case, or has one as its subject
    option-words    one sentence has all the telling words of one option, and none has all those of another

A letter is a label only where it stands as one: an English "A", "I" or "a" before a word does not. The text of an option
is found as whole words, whatever their case, punctuation and articles; inside the text of a longer option it does not
count. What is denied ("not B", "B is wrong", "rather than B"), asked ("is it B?") or left open ("whether it is B", "if it is
low, B") is no answer. Options listed as in the question, or gone through one by one, count for nothing. Two answers where one is
asked are none. The last five rules read no reply that declines, asks for the material or says that no option fits.

Of a reply that was cut only what stands firm is read: an answer declared and not taken back, an opening, the one choice of an
unfinished first sentence. Reasoning that breaks off is taken for cut, whatever its stop reason. Nothing is ever guessed.

Without an answer the state is `refused` where the model says that it cannot or will not tell, else `unparsed`, and the
rule says why: "empty", "cut", "cut-in-thought", "several-answers", "none-of-these", "refusal", or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from msgspec import structs

from earmark.text import _cues as cues
from earmark.text._comparatives import compared, compares, two_sounds
from earmark.text._keys import Key, Mention, Stance, is_number, key_of, same_choice, telling_of
from earmark.text._lazy import LazyPattern
from earmark.text._mentions import Page, page_of, sentence_before, words_in
from earmark.text._screen import THOUGHT, Sheet, folded, plain, screened, without_thought
from earmark.text._telling import polarity, telling_words
from earmark.text.official_readers import OFFICIAL, Reader, Reading

__all__ = ["READERS", "VERSION", "Reader", "Reading", "read_choice", "same_choice"]

VERSION = "earmark.2"  # raised whenever any reply could be read otherwise

Rule: TypeAlias = Callable[[Page], Sequence[Mention]]
SHORT = 200  # characters: replies that are read without the rules
SENTENCES = LazyPattern(r"[^.!?\n]*(?:[.!?\n]+|\Z)")


def read_choice(
    reply: str,
    labels: Sequence[str],
    choices: Sequence[str] = (),
    *,
    question: str = "",
    cut: bool = False,
    thinking: bool = False,
    several: bool = False,
) -> Reading:
    """Read which label a reply chose.

    `question`: left out where the reply repeats it, and tells which of two sounds is asked for. `cut`: the reply stopped for
    length. `thinking`: the chat template opened a thinking part that the reply goes on with. Of two options with one text the
    first is read: `same_choice` tells which labels are as good.

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
        start = reply.index(bare)  # the commonest reply
        return Reading(bare, "first", (start, start + len(bare)), "answered")
    if not several and (reading := _labelled(reply, labels, choices)):
        return reading
    key = key_of(tuple(labels), tuple(choices), several)
    text = plain(reply)
    rest = without_thought(text, opened=thinking and (cut or bool(THOUGHT.search(text))))
    if rest is None or not rest.strip():
        return _unread("cut-in-thought" if rest is None else "empty")
    if (whole := key.verbatim.get(folded(rest))) is not None:
        return Reading(whole, "verbatim", (len(rest) - len(rest.lstrip()), len(rest.rstrip())), "answered")
    sheet = screened(rest, question)
    page = page_of(sheet.text, key, several=several)
    return _by_rules(page if several else _after_none_fits(page), sheet, question, cut=cut)


def _labelled(reply: str, labels: Sequence[str], choices: Sequence[str]) -> Reading | None:
    """Read "(A) Man" and "A. Man", the commonest replies of chat models, as the rules would, at a hundredth of the cost."""
    text = reply.strip()
    end = text.find(")" if text[:1] == "(" else text[1:2])
    label = text[1:end] if text[:1] == "(" else text[:end]
    if end < 1 or len(label) != 1 or label not in labels or text[end] not in ").:" or text[end + 1 : end + 2] != " ":
        return None
    at = labels.index(label)
    said = text[end + 2 :].removesuffix(".")
    if at >= len(choices) or said.lower() != choices[at].lower() or not 1 < len(said) < SHORT:
        return None
    words = said.replace("-", " ").split(" ")
    if not all(word.isascii() and word.isalpha() and len(word) > 1 for word in words) or words[0].lower() == "answer":
        return None
    start = reply.index(text) + (text[0] == "(")
    return Reading(label, "first", (start, reply.index(text) + end + 2 + len(said)), "answered")


def _by_rules(page: Page, sheet: Sheet, question: str, *, cut: bool) -> Reading:
    for name, rule in _rules(page, question, cut=cut).items():
        found = rule(page)
        chosen = [label for label in page.key.labels if any(label == one.label for one in found)]
        if chosen:
            span = sheet.place(found[0].start, found[0 if len(chosen) == 1 else -1].end)
            clear = page.several or len(chosen) == 1
            return Reading(",".join(chosen), name, span, "answered") if clear else _unread("several-answers", span)
    if not cut and any(cue.search(page.low) for cue in (cues.REFUSAL, cues.DECLINES, cues.NOT_SAID)):
        return Reading(None, "refusal", None, "refused")
    if not cut and page.none_fits:
        return _unread("none-of-these")
    return _unread("cut" if cut or page.broken else "")


def _unread(why: str, span: tuple[int, int] | None = None) -> Reading:
    return Reading(None, why, span, "unparsed")


def _rules(page: Page, question: str, *, cut: bool) -> Mapping[str, Rule]:
    """The rules to read by: for a reply that was cut only the firm ones, and none if it takes its answer back."""
    if cut or page.broken:
        firm = declared(page) or first(page)
        if firm:
            return {} if cues.WAVERS.search(page.low, firm[-1].end) else {"declared": declared, "first": first}
        if not cut:
            return {"concluded": concluded, "last": last}
        whole = not cues.SENTENCE_END.search(page.low.strip())
        return {"label": only_label, "option-text": option_text} if whole else {}

    def by_comparison(page: Page) -> Sequence[Mention]:
        one = None if page.several or _opens_with_label(page) else compared(page.text, page.key, question)
        return (one,) if one else ()

    rules = {"declared": declared, "compared": by_comparison, **FIRM}
    return rules if page.none_fits or compares(page.text, page.key) else {**rules, **WEAK}


def _after_none_fits(page: Page) -> Page:
    """The page from where a reply says last that no option fits, or gives an answer that is none; all of it if it does not."""
    said = [] if page.key.none else list(cues.NONE_OF_THESE.finditer(page.low))
    ends = [place.end() for place in said] + [
        place.end()
        for place in cues.OTHER_ANSWER.finditer(page.low)
        if not any(place.start() <= one.start <= place.end() for one in page.mentions)
    ]
    if not ends:
        return page
    end = max(ends)
    chains = tuple(chain for chain in page.chains if chain[0].start >= end)
    return structs.replace(page, chains=chains, ranks=[one for one in page.ranks if one.start >= end], none_fits=True)


# ---------------------------------------------------------------- firm rules, in their order


def declared(page: Page) -> Sequence[Mention]:
    chains = page.chains
    found = _last(chains, "declared")
    if page.several and _declared_after(page, found):  # "A is right. B is wrong. C is right."
        return [one for chain in chains if _declared_after(page, chain) for one in chain]
    return found


def first(page: Page) -> Sequence[Mention]:
    if not page.chains or _enumerated(page):
        return ()
    chain = page.chains[0]
    opening = words_in(cues.NAMED.sub("", page.low[: chain[0].start]))
    if opening or chain[0].stance == "denied" or not _stands(page, chain[0]):
        return ()
    if cues.TAKEN_BACK.match(page.low, chain[-1].end):
        return ()
    if chain[0].form == "bare" and two_sounds(page.key) and not cues.LABEL_ALONE.match(page.text, chain[0].end):
        return ()
    if chain[0].form == "text" and not cues.STOP.match(page.low, chain[-1].end):
        return ()
    return chain


def concluded(page: Page) -> Sequence[Mention]:
    chains = [
        [one for one in chain if _stands(page, one) or cues.LABEL_VERB.match(page.low, one.end)] for chain in page.chains
    ]
    return _last(chains, "concluded")


def ranked(page: Page) -> Sequence[Mention]:
    """The first of a descending list, the last of an ascending one, or the one with the most per cent."""
    found = page.ranks
    signs = {page.low[one.end : other.start].strip() for one, other in pairwise(found)}
    if len(found) > 1 and signs in ({">"}, {"<"}):
        return found[:1] if signs == {">"} else found[-1:]
    shares = [(float(share[1]), one) for one in found if (share := cues.PERCENT.match(page.low, one.end))]
    shares.sort(key=lambda one: -one[0])
    return [shares[0][1]] if len(shares) > 1 and shares[0][0] > shares[1][0] else ()


def last(page: Page) -> Sequence[Mention]:
    if not page.chains:
        return ()
    chain = page.chains[-1]
    line = page.low[page.low.rfind("\n", 0, chain[0].start) + 1 : chain[0].start]
    if chain[0].stance == "denied" or words_in(page.low[chain[-1].end :]):
        return ()
    return chain if not words_in(line) else ()


# ---------------------------------------------------------------- weak rules, in their order


def last_clause(page: Page) -> Sequence[Mention]:
    """The last clause, after "and", "so" or a pause, if it is a choice and nothing else."""
    if not page.chains or len(page.chains[-1]) > 1:
        return ()
    (one,) = page.chains[-1]
    lead = sentence_before(page.low, one.start)[0]
    if one.stance == "denied" or words_in(page.low[one.end :]) or cues.DENIED.search(lead):
        return ()
    if (one.form == "bare" and page.text[one.start].islower()) or _in_words(page, {one.label}):
        return ()
    whole = not words_in(lead) and words_in(page.low[: one.start])  # a sentence of its own
    return (one,) if whole or cues.CLAUSE_LEAD.search(lead) else ()


def only_label(page: Page) -> Sequence[Mention]:
    found = _standing(page, [one for one in page.mentions if one.form == "marked" and one.stance != "denied"])
    if found:
        return _only(found, page)
    bare = [one for one in page.mentions if one.form == "bare"]
    kept = [one for one in bare if one.stance != "denied" and _stands(page, one)]
    return _only(_standing(page, kept), page) if len(kept) < len(bare) else ()  # the others are denied


def option_text(page: Page) -> Sequence[Mention]:
    found = _said(page)
    marked = [one for one in page.mentions if one.form == "marked" and one.stance != "denied"]
    if not _only([*found, *marked], page) or _in_words(page, {one.label for one in page.mentions}, least=2):
        return ()
    return _standing(page, found)


def first_sentence(page: Page) -> Sequence[Mention]:
    begin = len(page.low) - len(page.low.lstrip())
    stop = cues.SENTENCE_END.search(page.low, begin)
    found = [one for one in _said(page) if one.start < (stop.start() if stop else len(page.low))]
    found = list(_standing(page, found))
    if len({one.label for one in found}) == 1:
        return [one for one in found if cues.CLAIMED.search(sentence_before(page.low, one.start)[0])]
    if len(found) > 1 and not words_in(page.low[: found[0].start]) and cues.VERB.match(page.low, found[0].end):
        return () if cues.CLAUSE_END.search(page.low, found[0].end, found[-1].start) else found[:1]
    return ()


def option_words(page: Page) -> Sequence[Mention]:
    if any(one.stance != "denied" and one.form == "text" for one in page.mentions):
        return ()
    found = _in_words(page, {one.label for one in page.mentions})
    if len({one.label for one in found}) == 1 or page.several:
        return _standing(page, found)
    return ()


def opening_word(page: Page) -> Sequence[Mention]:
    """Yes or no in other words: "Not really.", "Absolutely." """
    answer = polarity(page.low)
    found = [label for text, label in page.key.verbatim.items() if text == answer]
    return [Mention(found[0], 0, len(page.low.split(".")[0]), "text")] if found and len(page.key.labels) <= 3 else ()


FIRM: Mapping[str, Rule] = {"ranked": ranked, "first": first, "concluded": concluded, "last": last}
WEAK: Mapping[str, Rule] = {
    "last-clause": last_clause,
    "label": only_label,
    "option-text": option_text,
    "first-sentence": first_sentence,
    "yes-no": opening_word,
    "option-words": option_words,
}
READERS: Mapping[str, Reader] = {"earmark": read_choice, **OFFICIAL}


# ---------------------------------------------------------------- questions that the rules ask


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


def _standing(page: Page, found: Sequence[Mention]) -> Sequence[Mention]:
    """The mentions that no refusal, request or plan takes away."""
    return [one for one in found if not _taken_away(page, one)]


def _taken_away(page: Page, one: Mention) -> bool:
    """Whether a mention stands in a plan, or in a reply that declines and does not come back to it."""
    lead = sentence_before(page.low, one.start)[0]
    if cues.PLAN.search(lead):
        return True
    refusals = [found for found in cues.DECLINES.finditer(page.low) if not one.start <= found.start() < one.end]
    untold = [found for found in cues.NOT_SAID.finditer(page.low) if found.start() < one.start]
    before = [found.end() for found in (*refusals, *untold) if found.start() < one.start]
    if before and not cues.RETURNS.search(page.low, max(before), one.start):
        return True
    after = [found.start() for found in refusals if found.start() >= one.end]
    return bool(after) and not (cues.CLAIMED.search(lead) and cues.SENTENCE_END.search(page.low, one.end, after[0]))


def _stands(page: Page, one: Mention) -> bool:
    """Whether a bare letter is followed by a pause or a reason rather than by a word."""
    return one.form != "bare" or bool(cues.PAUSE.match(page.text[one.end : one.end + 12]))


def _opens_with_label(page: Page) -> bool:
    """Whether a reply opens with a label that stands alone: "B.", "(A) The first"."""
    if not page.mentions or page.mentions[0].form == "text" or words_in(page.low[: page.mentions[0].start]):
        return False
    one = page.mentions[0]
    return one.form == "marked" or bool(cues.LABEL_ALONE.match(page.text, one.end))


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
        and (one.stance != "said" or page.low[one.start : one.end] not in cues.COMMON or _claims(page, one))
    ]


def _claims(page: Page, one: Mention) -> bool:
    """Whether a common word opens its sentence before a pause, or is said to be the case."""
    lead = sentence_before(page.low, one.start)[0]
    if page.low[one.start : one.end] in cues.CLAIMABLE and cues.CLAIMED.search(lead):
        return True
    return not words_in(lead) and bool(cues.STOP.match(page.low.replace(",", "."), one.end))


def _in_words(page: Page, named: set[str], least: int = 1) -> list[Mention]:
    """The options all whose telling words one sentence has, of those that have enough and are not named anyway."""
    wanted = {
        label: words
        for label, words in telling_of(page.key).items()
        if label not in named
        and len(words - cues.COMMON - {"not"}) >= least
        and not all(is_number(word) for word in words)
    }
    found: list[Mention] = []
    own = _without(page.own, page.mentions)
    for place in SENTENCES.finditer(own) if wanted else ():
        start = _after_declining(place[0])
        sentence = place[0][start:]
        if not sentence.strip() or sentence.rstrip().endswith("?") or any(cue.search(sentence) for cue in cues.NO_CLAIM):
            continue
        said = telling_words(sentence)
        found += [
            Mention(label, place.start() + start, place.start() + start + len(sentence.rstrip()), "text")
            for label, words in wanted.items()
            if words <= said and ("not" in words) == ("not" in said)
        ]
    return found


def _after_declining(sentence: str) -> int:
    """The place in a sentence where it comes back to the question: "it is not said, but it sounds ..."."""
    refusals = [found.end() for cue in (cues.DECLINES, cues.NOT_SAID) for found in cue.finditer(sentence)]
    back = cues.RETURNS.search(sentence, max(refusals)) if refusals else None
    return back.end() if back else 0


def _without(text: str, mentions: Sequence[Mention]) -> str:
    """A text with blanks for mentions."""
    for one in mentions:
        text = text[: one.start] + " " * (one.end - one.start) + text[one.end :]
    return text
