"""Rules that parse a choice from mentions: firm ones, and weak ones for replies that neither decline nor plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from earmark.text import _cues as cues
from earmark.text._comparatives import two_sounds
from earmark.text._keys import Mention, Stance, distinctive_keywords, is_number
from earmark.text._keywords import keywords, polarity
from earmark.text._lazy import LazyPattern
from earmark.text._mentions import MentionList, sentence_before, without_speech, words_in

Rule: TypeAlias = Callable[[MentionList], Sequence[Mention]]
SENTENCES = LazyPattern(r"[^.!?\n]*(?:[.!?\n]+|\Z)")


# ---------------------------------------------------------------- firm rules, in their order


def rule_declared(listing: MentionList) -> Sequence[Mention]:
    chains = listing.chains
    mentions = _last(chains, "declared")
    if listing.multi_select and _has_declaration_after(listing, mentions):  # "A is right. B is wrong. C is right."
        return [mention for chain in chains if _has_declaration_after(listing, chain) for mention in chain]
    return mentions


def rule_first(listing: MentionList) -> Sequence[Mention]:
    if not listing.chains or enumerates_options(listing):
        return ()
    chain = listing.chains[0]
    opening = words_in(cues.LEAD_ARTICLE.sub("", cues.NAMED.sub("", listing.lower[: chain[0].start])))
    if opening or chain[0].stance == "denied" or cues.TAKEN_BACK.match(listing.lower, chain[-1].end):
        return ()
    alone = len({mention.label for mention in listing.mentions}) == 1
    return chain if (_text_opens if chain[0].form == "text" else _label_opens)(listing, chain, alone=alone) else ()


def _label_opens(listing: MentionList, chain: Sequence[Mention], *, alone: bool) -> bool:
    """True if a label that opens a reply is an answer, not the subject of a sentence: "B is high, C is low"."""
    if chain[0].form == "bare" and not cues.LABEL_ALONE.match(listing.text, chain[0].end) and two_sounds(listing.index):
        return False
    subject = chain[0].form == "bare" and bool(cues.SUBJECT.match(listing.lower, chain[0].end))
    return _stands(listing, chain[0]) and (alone or not subject)


def _text_opens(listing: MentionList, chain: Sequence[Mention], *, alone: bool) -> bool:
    """True if the text of an option that opens a reply is followed by a pause, or by a reason that is no option."""
    if not alone and cues.BECAUSE.match(listing.lower, chain[-1].end):
        return False
    return bool(cues.STOP.match(listing.lower, chain[-1].end))


def rule_concluded(listing: MentionList) -> Sequence[Mention]:
    chains = [
        [mention for mention in chain if _stands(listing, mention) or cues.LABEL_VERB.match(listing.lower, mention.end)]
        for chain in listing.chains
    ]
    return _last(chains, "concluded")


def rule_ranked(listing: MentionList) -> Sequence[Mention]:
    """Find the first of a descending list, the last of an ascending one, or the one with the highest percentage."""
    mentions = listing.all_mentions
    signs = {listing.lower[one.end : other.start].strip() for one, other in pairwise(mentions)}
    if len(mentions) > 1 and signs in ({">"}, {"<"}):
        return mentions[:1] if signs == {">"} else mentions[-1:]
    shares = [(share, one) for one in mentions if (share := _share(listing.lower, one)) is not None]
    shares.sort(key=lambda one: -one[0])
    return [shares[0][1]] if len(shares) > 1 and shares[0][0] > shares[1][0] else ()


def _share(low: str, mention: Mention) -> float | None:
    """Percentage or fraction that a reply gives a choice, if any."""
    share = cues.PERCENT.match(low, mention.end) or cues.PERCENT_BEFORE.search(
        low[max(0, mention.start - 12) : mention.start]
    )
    return float(next(filter(None, share.groups()))) if share else None


def rule_last(listing: MentionList) -> Sequence[Mention]:
    if not listing.chains:
        return ()
    chain = listing.chains[-1]
    line = listing.lower[listing.lower.rfind("\n", 0, chain[0].start) + 1 : chain[0].start]
    if chain[0].stance == "denied" or words_in(listing.lower[chain[-1].end :]):
        return ()
    return chain if not words_in(line) else ()


# ---------------------------------------------------------------- weak rules, in their order


def rule_eliminated(listing: MentionList) -> Sequence[Mention]:
    """Find the one option that is left where all others are denied by their labels, or ruled out: "Not A, not C"."""
    denied = [mention for mention in listing.mentions if mention.stance == "denied"]
    if len(denied) < len(listing.mentions) or listing.refusals or listing.dropped or listing.multi_select:
        return ()
    left = set(listing.index.labels) - {mention.label for mention in denied}
    by_label = all(mention.form != "text" for mention in denied)
    if len(left) != 1 or len(denied) < 2 or not (by_label or cues.RULED_OUT.search(listing.lower)):
        return ()
    return [Mention(left.pop(), denied[0].start, denied[-1].end, "marked", "concluded")]


def rule_last_clause(listing: MentionList) -> Sequence[Mention]:
    """Find the last clause, after "and", "so" or a pause, if it is only a choice."""
    if not listing.chains or len(listing.chains[-1]) > 1:
        return ()
    (mention,) = listing.chains[-1]
    lead = sentence_before(listing.lower, mention.start)[0]
    if mention.stance == "denied" or words_in(listing.lower[mention.end :]) or cues.DENIED.search(lead):
        return ()
    if (mention.form == "bare" and listing.text[mention.start].islower()) or _match_keywords(listing, {mention.label}):
        return ()
    whole = not words_in(lead) and words_in(listing.lower[: mention.start])  # a sentence of its own
    return (mention,) if whole or cues.CLAUSE_LEAD.search(lead) else ()


def rule_label(listing: MentionList) -> Sequence[Mention]:
    mentions = _keep_standing(
        listing, [mention for mention in listing.mentions if mention.form == "marked" and mention.stance != "denied"]
    )
    if mentions:
        return _only(mentions, listing)
    bare = [mention for mention in listing.mentions if mention.form == "bare"]
    kept = [mention for mention in bare if mention.stance != "denied" and _stands(listing, mention)]
    return _only(_keep_standing(listing, kept), listing) if len(kept) < len(bare) else ()  # the others are denied


def rule_option_text(listing: MentionList) -> Sequence[Mention]:
    mentions = _text_mentions(listing)
    marked = [mention for mention in listing.mentions if mention.form == "marked" and mention.stance != "denied"]
    if not _only([*mentions, *marked], listing):
        return ()
    listed = cues.ALSO.match(listing.lower, mentions[-1].end) if mentions else None  # "a taxi or walk"
    if _match_keywords(listing, {mention.label for mention in listing.mentions}, least=1 if listed else 2):
        return ()
    return _keep_standing(listing, mentions)


def rule_first_sentence(listing: MentionList) -> Sequence[Mention]:
    begin = len(listing.lower) - len(listing.lower.lstrip())
    stop = cues.SENTENCE_END.search(listing.lower, begin)
    mentions = [
        mention for mention in _text_mentions(listing) if mention.start < (stop.start() if stop else len(listing.lower))
    ]
    mentions = list(_keep_standing(listing, mentions))
    if len({mention.label for mention in mentions}) == 1:
        return [
            mention for mention in mentions if cues.CLAIMED.search(sentence_before(listing.lower, mention.start)[0])
        ]
    if (
        len(mentions) > 1
        and not words_in(listing.lower[: mentions[0].start])
        and cues.VERB.match(listing.lower, mentions[0].end)
    ):
        rest = listing.lower[mentions[0].end : mentions[-1].start]  # "A begins the piece with B", not "A chases B"
        return mentions[:1] if cues.BY_MEANS.search(rest) and not cues.CLAUSE_END.search(rest) else ()
    return ()


def rule_option_words(listing: MentionList) -> Sequence[Mention]:
    mentions = _match_keywords(listing, {mention.label for mention in listing.mentions if mention.stance == "denied"})
    others = [mention for mention in listing.mentions if mention.stance != "denied" and mention.form == "text"]
    if others:  # named on the way to a conclusion
        mentions = [
            mention for mention in mentions if cues.CONCLUDED_TEXT.search(listing.lower[mention.start : mention.end])
        ]
        mentions = [
            mention for mention in mentions if not any(mention.start <= other.start < mention.end for other in others)
        ]
    if len({mention.label for mention in mentions}) == 1 or listing.multi_select:
        return _keep_standing(listing, mentions)
    return ()


def rule_yes_no(listing: MentionList) -> Sequence[Mention]:
    """Find yes or no in other words: "Not really.", "Absolutely." """
    answer = polarity(listing.lower)
    labels = [label for text, label in listing.index.verbatim.items() if text == answer]
    return (
        [Mention(labels[0], 0, len(listing.lower.split(".")[0]), "text")]
        if labels and len(listing.index.labels) <= 3
        else ()
    )


FIRM: Mapping[str, Rule] = {"ranked": rule_ranked, "first": rule_first, "concluded": rule_concluded, "last": rule_last}
WEAK: Mapping[str, Rule] = {
    "eliminated": rule_eliminated,
    "last-clause": rule_last_clause,
    "label": rule_label,
    "option-text": rule_option_text,
    "first-sentence": rule_first_sentence,
    "yes-no": rule_yes_no,
    "option-words": rule_option_words,
}

# ---------------------------------------------------------------- questions that the rules ask


def _last(chains: Sequence[Sequence[Mention]], stance: Stance) -> Sequence[Mention]:
    mentions: Sequence[Mention] = ()
    for chain in chains:
        mentions = [mention for mention in chain if mention.stance == stance] or mentions
    return mentions


def _has_declaration_after(listing: MentionList, chain: Sequence[Mention]) -> bool:
    """True if the text after a choice declares it, as in "B is correct"."""
    return any(
        mention.stance == "declared" and cues.DECLARED_AFTER.match(listing.lower, mention.end) for mention in chain
    )


def _only(mentions: Sequence[Mention], listing: MentionList) -> Sequence[Mention]:
    """Return the mentions if they name one choice, or if several were asked for."""
    return mentions if listing.multi_select or len({mention.label for mention in mentions}) == 1 else ()


def _keep_standing(listing: MentionList, mentions: Sequence[Mention]) -> Sequence[Mention]:
    """Return the mentions that no refusal, request or plan retracts."""
    return [mention for mention in mentions if not _is_taken_away(listing, mention)]


def _is_taken_away(listing: MentionList, mention: Mention) -> bool:
    """True if a mention is part of a plan, or of a reply that declines and does not return to the question."""
    lead = sentence_before(listing.lower, mention.start)[0]
    if cues.PLAN.search(lead) or _is_elided(listing, mention, lead):
        return True
    refusals = [(start, end) for start, end in listing.refusals if not mention.start <= start < mention.end]
    untold = [match.span() for match in cues.NOT_SAID.finditer(listing.lower)]
    before = [end for start, end in (*refusals, *untold) if start < mention.start]
    if before and not cues.RETURNS.search(listing.lower, max(before), mention.start):
        return True
    after = [start for start, _ in refusals if start >= mention.end]
    return bool(after) and not (
        cues.CLAIMED.search(lead) and cues.SENTENCE_END.search(listing.lower, mention.end, after[0])
    )


def _is_elided(listing: MentionList, mention: Mention, lead: str) -> bool:
    """True if a mention ends an ellipsis such as "before or after the meeting", whose first word is another option."""
    before = cues.OR_BEFORE.search(lead)
    words = lead[: before.start()].split() if before else []
    if not words or any(mention.start - len(lead) <= other.start < mention.start for other in listing.mentions):
        return False
    return any(words[-1] in text.split() for text, label in listing.index.verbatim.items() if label != mention.label)


def _stands(listing: MentionList, mention: Mention) -> bool:
    """True if a bare letter is followed by a pause or a reason rather than by a word."""
    return mention.form != "bare" or bool(cues.PAUSE.match(listing.text[mention.end : mention.end + 12]))


def opens_with_label(listing: MentionList) -> bool:
    """True if a reply opens with a label on its own: "B.", "(A) The first"."""
    if (
        not listing.mentions
        or listing.mentions[0].form == "text"
        or words_in(listing.lower[: listing.mentions[0].start])
    ):
        return False
    mention = listing.mentions[0]
    return mention.form == "marked" or bool(cues.LABEL_ALONE.match(listing.text, mention.end))


def enumerates_options(listing: MentionList) -> bool:
    """True if a reply discusses the options one by one: "A: ... B: ..."."""
    opened = [
        mention.label
        for mention in listing.mentions
        if listing.text[mention.end : mention.end + 2].lstrip()[:1] in {".", ")", ":", "]"}
    ]
    return len(opened) > 1 and opened[:2] == list(listing.index.labels[:2])


def _text_mentions(listing: MentionList) -> list[Mention]:
    """Return mentions of option texts that are not denied, without words such as "no" used in passing."""
    return [
        mention
        for mention in listing.mentions
        if mention.form == "text"
        and mention.stance != "denied"
        and (
            mention.stance != "said"
            or listing.lower[mention.start : mention.end] not in cues.COMMON
            or _claims(listing, mention)
        )
    ]


def _claims(listing: MentionList, mention: Mention) -> bool:
    """True if a common word opens its sentence before a pause, or is said to be the case."""
    lead = sentence_before(listing.lower, mention.start)[0]
    if listing.lower[mention.start : mention.end] in cues.CLAIMABLE and cues.CLAIMED.search(lead):
        return True
    return not words_in(lead) and bool(cues.STOP.match(listing.lower.replace(",", "."), mention.end))


def _match_keywords(listing: MentionList, excluded: set[str], least: int = 1) -> list[Mention]:
    """Find options whose distinctive keywords are all in one sentence, of those with enough that are not excluded."""
    wanted = {
        label: words
        for label, words in distinctive_keywords(listing.index).items()
        if label not in excluded
        and len(words - cues.COMMON - {"not"}) >= least
        and not all(is_number(word) for word in words)
    }
    mentions: list[Mention] = []
    unclaimed = [cue for cue in cues.NO_CLAIM if not any(cue.search(text) for text in listing.index.verbatim)]
    for place in SENTENCES.finditer(without_speech(listing)) if wanted else ():
        start = _after_declining(place[0])
        sentence = place[0][start:]
        if not sentence.strip() or sentence.rstrip().endswith("?") or any(cue.search(sentence) for cue in unclaimed):
            continue
        words_of_sentence = keywords(cues.INSTEAD.sub("", sentence) if excluded else sentence)
        mentions += [
            Mention(label, place.start() + start, place.start() + start + len(sentence.rstrip()), "text")
            for label, words in wanted.items()
            if words <= words_of_sentence and ("not" in words) == ("not" in words_of_sentence)
        ]
    return mentions


def _after_declining(sentence: str) -> int:
    """Offset in a sentence where it returns to the question: "it is not said, but it sounds ..."."""
    refusals = [match.end() for cue in (cues.DECLINES, cues.NOT_SAID) for match in cue.finditer(sentence)]
    back = cues.RETURNS.search(sentence, max(refusals)) if refusals else None
    return back.end() if back else 0
