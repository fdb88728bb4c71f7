"""Rules that read a choice from a page: firm ones, and weak ones for replies that neither decline nor plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from earmark.text import _cues as cues
from earmark.text._comparatives import two_sounds
from earmark.text._keys import Mention, Stance, is_number, telling_of
from earmark.text._keywords import keywords, polarity
from earmark.text._lazy import LazyPattern
from earmark.text._mentions import MentionList, sentence_before, without_speech, words_in

Rule: TypeAlias = Callable[[MentionList], Sequence[Mention]]
SENTENCES = LazyPattern(r"[^.!?\n]*(?:[.!?\n]+|\Z)")


# ---------------------------------------------------------------- firm rules, in their order


def declared(listing: MentionList) -> Sequence[Mention]:
    chains = listing.chains
    found = _last(chains, "declared")
    if listing.multi_select and _declared_after(listing, found):  # "A is right. B is wrong. C is right."
        return [one for chain in chains if _declared_after(listing, chain) for one in chain]
    return found


def first(listing: MentionList) -> Sequence[Mention]:
    if not listing.chains or _enumerated(listing):
        return ()
    chain = listing.chains[0]
    opening = words_in(cues.LEAD_ARTICLE.sub("", cues.NAMED.sub("", listing.lower[: chain[0].start])))
    if opening or chain[0].stance == "denied" or cues.TAKEN_BACK.match(listing.lower, chain[-1].end):
        return ()
    alone = len({one.label for one in listing.mentions}) == 1
    return chain if (_text_opens if chain[0].form == "text" else _label_opens)(listing, chain, alone=alone) else ()


def _label_opens(listing: MentionList, chain: Sequence[Mention], *, alone: bool) -> bool:
    """True if a label that opens a reply is an answer, and not the subject of a sentence: "B is high, C is low"."""
    if chain[0].form == "bare" and not cues.LABEL_ALONE.match(listing.text, chain[0].end) and two_sounds(listing.key):
        return False
    subject = chain[0].form == "bare" and bool(cues.SUBJECT.match(listing.lower, chain[0].end))
    return _stands(listing, chain[0]) and (alone or not subject)


def _text_opens(listing: MentionList, chain: Sequence[Mention], *, alone: bool) -> bool:
    """True if the text of an option that opens a reply is followed by a pause, or by a reason that is no option."""
    if not alone and cues.BECAUSE.match(listing.lower, chain[-1].end):
        return False
    return bool(cues.STOP.match(listing.lower, chain[-1].end))


def concluded(listing: MentionList) -> Sequence[Mention]:
    chains = [
        [one for one in chain if _stands(listing, one) or cues.LABEL_VERB.match(listing.lower, one.end)]
        for chain in listing.chains
    ]
    return _last(chains, "concluded")


def ranked(listing: MentionList) -> Sequence[Mention]:
    """The first of a descending list, the last of an ascending one, or the one with the most per cent."""
    found = listing.found
    signs = {listing.lower[one.end : other.start].strip() for one, other in pairwise(found)}
    if len(found) > 1 and signs in ({">"}, {"<"}):
        return found[:1] if signs == {">"} else found[-1:]
    shares = [(share, one) for one in found if (share := _share(listing.lower, one)) is not None]
    shares.sort(key=lambda one: -one[0])
    return [shares[0][1]] if len(shares) > 1 and shares[0][0] > shares[1][0] else ()


def _share(low: str, one: Mention) -> float | None:
    """The per cent or the fraction that a reply gives a choice, if it does."""
    share = cues.PERCENT.match(low, one.end) or cues.PERCENT_BEFORE.search(low[max(0, one.start - 12) : one.start])
    return float(next(filter(None, share.groups()))) if share else None


def last(listing: MentionList) -> Sequence[Mention]:
    if not listing.chains:
        return ()
    chain = listing.chains[-1]
    line = listing.lower[listing.lower.rfind("\n", 0, chain[0].start) + 1 : chain[0].start]
    if chain[0].stance == "denied" or words_in(listing.lower[chain[-1].end :]):
        return ()
    return chain if not words_in(line) else ()


# ---------------------------------------------------------------- weak rules, in their order


def last_clause(listing: MentionList) -> Sequence[Mention]:
    """The last clause, after "and", "so" or a pause, if it is a choice and nothing else."""
    if not listing.chains or len(listing.chains[-1]) > 1:
        return ()
    (one,) = listing.chains[-1]
    lead = sentence_before(listing.lower, one.start)[0]
    if one.stance == "denied" or words_in(listing.lower[one.end :]) or cues.DENIED.search(lead):
        return ()
    if (one.form == "bare" and listing.text[one.start].islower()) or _in_words(listing, {one.label}):
        return ()
    whole = not words_in(lead) and words_in(listing.lower[: one.start])  # a sentence of its own
    return (one,) if whole or cues.CLAUSE_LEAD.search(lead) else ()


def only_label(listing: MentionList) -> Sequence[Mention]:
    found = _standing(listing, [one for one in listing.mentions if one.form == "marked" and one.stance != "denied"])
    if found:
        return _only(found, listing)
    bare = [one for one in listing.mentions if one.form == "bare"]
    kept = [one for one in bare if one.stance != "denied" and _stands(listing, one)]
    return _only(_standing(listing, kept), listing) if len(kept) < len(bare) else ()  # the others are denied


def option_text(listing: MentionList) -> Sequence[Mention]:
    found = _said(listing)
    marked = [one for one in listing.mentions if one.form == "marked" and one.stance != "denied"]
    if not _only([*found, *marked], listing):
        return ()
    listed = cues.ALSO.match(listing.lower, found[-1].end) if found else None  # "a taxi or walk"
    if _in_words(listing, {one.label for one in listing.mentions}, least=1 if listed else 2):
        return ()
    return _standing(listing, found)


def first_sentence(listing: MentionList) -> Sequence[Mention]:
    begin = len(listing.lower) - len(listing.lower.lstrip())
    stop = cues.SENTENCE_END.search(listing.lower, begin)
    found = [one for one in _said(listing) if one.start < (stop.start() if stop else len(listing.lower))]
    found = list(_standing(listing, found))
    if len({one.label for one in found}) == 1:
        return [one for one in found if cues.CLAIMED.search(sentence_before(listing.lower, one.start)[0])]
    if (
        len(found) > 1
        and not words_in(listing.lower[: found[0].start])
        and cues.VERB.match(listing.lower, found[0].end)
    ):
        rest = listing.lower[found[0].end : found[-1].start]  # "A begins the piece with B", not "A chases B"
        return found[:1] if cues.BY_MEANS.search(rest) and not cues.CLAUSE_END.search(rest) else ()
    return ()


def option_words(listing: MentionList) -> Sequence[Mention]:
    found = _in_words(listing, {one.label for one in listing.mentions if one.stance == "denied"})
    others = [one for one in listing.mentions if one.stance != "denied" and one.form == "text"]
    if others:  # named on the way to a conclusion
        found = [one for one in found if cues.CONCLUDED_TEXT.search(listing.lower[one.start : one.end])]
        found = [one for one in found if not any(one.start <= other.start < one.end for other in others)]
    if len({one.label for one in found}) == 1 or listing.multi_select:
        return _standing(listing, found)
    return ()


def opening_word(listing: MentionList) -> Sequence[Mention]:
    """Yes or no in other words: "Not really.", "Absolutely." """
    answer = polarity(listing.lower)
    found = [label for text, label in listing.key.verbatim.items() if text == answer]
    return (
        [Mention(found[0], 0, len(listing.lower.split(".")[0]), "text")]
        if found and len(listing.key.labels) <= 3
        else ()
    )


FIRM: Mapping[str, Rule] = {"ranked": ranked, "first": first, "concluded": concluded, "last": last}
WEAK: Mapping[str, Rule] = {
    "last-clause": last_clause,
    "label": only_label,
    "option-text": option_text,
    "first-sentence": first_sentence,
    "yes-no": opening_word,
    "option-words": option_words,
}

# ---------------------------------------------------------------- questions that the rules ask


def _last(chains: Sequence[Sequence[Mention]], stance: Stance) -> Sequence[Mention]:
    found: Sequence[Mention] = ()
    for chain in chains:
        found = [one for one in chain if one.stance == stance] or found
    return found


def _declared_after(listing: MentionList, chain: Sequence[Mention]) -> bool:
    """True if what follows a choice declares it, as "B is correct" does."""
    return any(one.stance == "declared" and cues.DECLARED_AFTER.match(listing.lower, one.end) for one in chain)


def _only(found: Sequence[Mention], listing: MentionList) -> Sequence[Mention]:
    """All of them, if they name one choice or if several were asked for."""
    return found if listing.multi_select or len({one.label for one in found}) == 1 else ()


def _standing(listing: MentionList, found: Sequence[Mention]) -> Sequence[Mention]:
    """The mentions that no refusal, request or plan takes away."""
    return [one for one in found if not _taken_away(listing, one)]


def _taken_away(listing: MentionList, one: Mention) -> bool:
    """True if a mention stands in a plan, or in a reply that declines and does not come back to it."""
    lead = sentence_before(listing.lower, one.start)[0]
    if cues.PLAN.search(lead) or _elided(listing, one, lead):
        return True
    refusals = [(start, end) for start, end in listing.refusals if not one.start <= start < one.end]
    untold = [match.span() for match in cues.NOT_SAID.finditer(listing.lower)]
    before = [end for start, end in (*refusals, *untold) if start < one.start]
    if before and not cues.RETURNS.search(listing.lower, max(before), one.start):
        return True
    after = [start for start, _ in refusals if start >= one.end]
    return bool(after) and not (
        cues.CLAIMED.search(lead) and cues.SENTENCE_END.search(listing.lower, one.end, after[0])
    )


def _elided(listing: MentionList, one: Mention, lead: str) -> bool:
    """True if a mention ends "before or after the meeting", whose first word stands for another option."""
    before = cues.OR_BEFORE.search(lead)
    words = lead[: before.start()].split() if before else []
    if not words or any(one.start - len(lead) <= other.start < one.start for other in listing.mentions):
        return False
    return any(words[-1] in text.split() for text, label in listing.key.verbatim.items() if label != one.label)


def _stands(listing: MentionList, one: Mention) -> bool:
    """True if a bare letter is followed by a pause or a reason rather than by a word."""
    return one.form != "bare" or bool(cues.PAUSE.match(listing.text[one.end : one.end + 12]))


def opens_with_label(listing: MentionList) -> bool:
    """True if a reply opens with a label that stands alone: "B.", "(A) The first"."""
    if (
        not listing.mentions
        or listing.mentions[0].form == "text"
        or words_in(listing.lower[: listing.mentions[0].start])
    ):
        return False
    one = listing.mentions[0]
    return one.form == "marked" or bool(cues.LABEL_ALONE.match(listing.text, one.end))


def _enumerated(listing: MentionList) -> bool:
    """True if a reply goes through the options one by one: "A: ... B: ..."."""
    opened = [
        one.label
        for one in listing.mentions
        if listing.text[one.end : one.end + 2].lstrip()[:1] in {".", ")", ":", "]"}
    ]
    return len(opened) > 1 and opened[:2] == list(listing.key.labels[:2])


def _said(listing: MentionList) -> list[Mention]:
    """The texts of options that are not denied, nor words such as "no" said in passing."""
    return [
        one
        for one in listing.mentions
        if one.form == "text"
        and one.stance != "denied"
        and (one.stance != "said" or listing.lower[one.start : one.end] not in cues.COMMON or _claims(listing, one))
    ]


def _claims(listing: MentionList, one: Mention) -> bool:
    """True if a common word opens its sentence before a pause, or is said to be the case."""
    lead = sentence_before(listing.lower, one.start)[0]
    if listing.lower[one.start : one.end] in cues.CLAIMABLE and cues.CLAIMED.search(lead):
        return True
    return not words_in(lead) and bool(cues.STOP.match(listing.lower.replace(",", "."), one.end))


def _in_words(listing: MentionList, named: set[str], least: int = 1) -> list[Mention]:
    """The options all whose telling words one sentence has, of those that have enough and are not named anyway."""
    wanted = {
        label: words
        for label, words in telling_of(listing.key).items()
        if label not in named
        and len(words - cues.COMMON - {"not"}) >= least
        and not all(is_number(word) for word in words)
    }
    found: list[Mention] = []
    unclaimed = [cue for cue in cues.NO_CLAIM if not any(cue.search(text) for text in listing.key.verbatim)]
    for place in SENTENCES.finditer(without_speech(listing)) if wanted else ():
        start = _after_declining(place[0])
        sentence = place[0][start:]
        if not sentence.strip() or sentence.rstrip().endswith("?") or any(cue.search(sentence) for cue in unclaimed):
            continue
        said = keywords(cues.INSTEAD.sub("", sentence) if named else sentence)
        found += [
            Mention(label, place.start() + start, place.start() + start + len(sentence.rstrip()), "text")
            for label, words in wanted.items()
            if words <= said and ("not" in words) == ("not" in said)
        ]
    return found


def _after_declining(sentence: str) -> int:
    """The place in a sentence where it comes back to the question: "it is not said, but it sounds ..."."""
    refusals = [match.end() for cue in (cues.DECLINES, cues.NOT_SAID) for match in cue.finditer(sentence)]
    back = cues.RETURNS.search(sentence, max(refusals)) if refusals else None
    return back.end() if back else 0
